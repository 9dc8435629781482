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
	d, err := Parse(doc)
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
	members, _ := jsonedit.MembersOf(d.raw)
	edit := members.Edit()
	span := func(i int) (start, end int) { return d.entries[i].Index, d.entries[i].Index + len(d.entries[i].Raw) }
	last := jsonedit.ArrayEdit{Insert: []jsonedit.Insertion{{Before: len(d.entries), Raw: raw}}}
	if err := edit.EditArray(d.list, len(d.entries), span, last); err != nil {
		return nil, e, err
	}
	out, _, err := edit.Bytes()
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
