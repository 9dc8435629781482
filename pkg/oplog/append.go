package oplog

import (
	"errors"
	"fmt"
	"time"

	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
)

// Append returns doc with e as its last entry; nil or empty doc begins a new
// log. It fills e.PrevHash and e.Hash, and brings e.Timestamp to UTC and whole
// seconds, as it is written.
//
// The document keeps its shape, its style and every byte of its earlier
// entries; doc itself is not changed. A broken chain is continued from the hash
// that the last entry carries, so that what broke it stays visible.
//
// Errors: [ErrBroken] if doc is no log; others if e can't be written (no run id,
// no time, a score that is no number). On an error e is as it was.
func Append(doc []byte, e *Entry) ([]byte, error) {
	out, sealed, err := appendTo(doc, *e)
	if err != nil {
		return nil, fmt.Errorf("append run %s to the consolidation log: %w", e.RunID, err)
	}
	*e = sealed
	return out, nil
}

func appendTo(doc []byte, e Entry) ([]byte, Entry, error) {
	if e.RunID == "" {
		return nil, e, errors.New("the entry has no run id")
	}
	if e.Timestamp.IsZero() {
		return nil, e, errors.New("the entry has no time")
	}
	d, err := parse(doc)
	if err != nil {
		return nil, e, err
	}
	e.Timestamp = e.Timestamp.UTC().Truncate(time.Second)
	if e.Actions == nil {
		e.Actions = []Action{}
	}
	e.PrevHash = d.lastLink()
	raw, err := seal(&e)
	if err != nil {
		return nil, e, err
	}
	out, err := jsonedit.Apply(d.raw, jsonedit.Append(raw, d.list))
	return out, e, err
}

// seal fills e.Hash and returns e as JSON.
func seal(e *Entry) ([]byte, error) {
	raw, err := marshal(e)
	if err != nil {
		return nil, err
	}
	e.Hash = Hash(raw) // leaves the member hash out, whatever it holds now
	return marshal(e)
}

// Head returns how many entries were written, those of the documents that this one
// follows included, and the link that the next entry
// will carry: the hash of the last one, "" if there is none. Kept elsewhere, it
// later shows that the tail of the log was cut off or replaced, which the chain
// can't show by itself: the entry with that number must still carry that hash.
func Head(doc []byte) (count int, hash string, err error) {
	d, err := parse(doc)
	if err != nil {
		return 0, "", fmt.Errorf("read the head of the consolidation log: %w", err)
	}
	return d.before.Entries + len(d.entries), d.lastLink(), nil
}
