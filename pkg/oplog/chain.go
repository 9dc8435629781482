package oplog

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
)

// Hash returns the hash of one entry as the file has it: the lower-case
// hex SHA-256 of its compact form without its member hash. Where that member
// stands, and how the entry is indented, makes no difference.
//
// rawEntry must be valid JSON; for other bytes the result means nothing.
func Hash(rawEntry []byte) string {
	return sum(withoutHash(jsonedit.Compact(rawEntry)))
}

// withoutHash cuts the members named hash out of a compact object. What is no
// object comes back as it is.
func withoutHash(compact []byte) []byte {
	entry := gjson.ParseBytes(compact)
	if !entry.IsObject() {
		return compact
	}
	out := make([]byte, 0, len(compact))
	entry.ForEach(func(key, value gjson.Result) bool {
		if key.Str == "hash" {
			return true
		}
		if len(out) > 0 {
			out = append(out, ',')
		}
		out = append(out, key.Raw...)
		out = append(out, ':')
		out = append(out, value.Raw...)
		return true
	})
	return append(append([]byte{'{'}, out...), '}')
}

func sum(b []byte) string {
	digest := sha256.Sum256(b)
	return hex.EncodeToString(digest[:])
}

// A stamp is what one entry says about its place in the chain.
type stamp struct {
	entry   string // as the file has it
	runID   string
	hash    string // as carried
	hashes  int    // how many members are named hash
	prev    string // as carried
	hasPrev bool
}

// computed is what hash must be.
func (s stamp) computed() string { return Hash([]byte(s.entry)) }

// stampOf reads the stamp of one entry of any kind, also one that is not an object.
func stampOf(entry gjson.Result) stamp {
	s := stamp{entry: entry.Raw}
	if !entry.IsObject() {
		return s
	}
	entry.ForEach(func(key, value gjson.Result) bool {
		switch key.Str {
		case "run_id":
			s.runID = strings.Clone(value.Str)
		case "hash":
			s.hash = text(value)
			s.hashes++
		case "prev_hash":
			s.prev, s.hasPrev = text(value), true
		}
		return true
	})
	return s
}

// text is the value of a string, and the literal of anything else: null or 7 is
// a hash that doesn't match, not an absent one. It doesn't share the memory of
// the document.
func text(v gjson.Result) string {
	if v.Type == gjson.String {
		return strings.Clone(v.Str)
	}
	return strings.Clone(v.Raw)
}

// ours tells an entry that memoryd wrote, whole or damaged, from one of another
// tool.
func (s stamp) ours() bool { return s.hashes > 0 || s.hasPrev }

// link is what the next entry must carry as its prev_hash; before is the link
// of the entry before this one.
func (s stamp) link(before string) string {
	switch {
	case s.hashes == 1:
		return s.hash
	case s.ours() || before == "":
		return s.computed()
	default:
		compact := jsonedit.Compact([]byte(s.entry))
		return sum(append([]byte(before+"\n"), compact...))
	}
}

// lastLink returns the link of the last entry, or before if there is none. The link of
// an entry that carries a hash needs none before it, so the walk starts at the
// last such entry.
func lastLink(entries []gjson.Result, before string) string {
	start, link := len(entries), before
	for start > 0 {
		start--
		if stampOf(entries[start]).hashes > 0 {
			break
		}
	}
	for _, entry := range entries[start:] {
		link = stampOf(entry).link(link)
	}
	return link
}

// Append returns doc with e as its last entry; nil or empty doc begins a new
// log. It fills e.PrevHash and e.Hash, and brings e.Timestamp to UTC and whole
// seconds, as it is written.
//
// The document keeps its shape, its style and every byte of its earlier
// entries; doc itself is not changed. A broken chain is continued from the hash
// that the last entry carries, so that what broke it stays visible.
//
// Errors: [ErrBroken] if doc is not a log; others if e can't be written (no run id,
// no time, a score that is not a number). On an error e is as it was.
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

// Tail is where a log ends.
type Tail struct {
	// Count is how many entries were written, those of the documents that this one
	// follows included.
	Count int
	// Hash is the link that the next entry will carry: the hash of the last one, "" if
	// there is none.
	Hash string
	// Empty is set when the document itself has no entry. Last is the timestamp of the
	// last one; zero, too, for one that can't be read.
	Empty bool
	Last  time.Time
}

// TailOf reads where a log ends. Kept elsewhere, count and hash later show that the tail
// of the log was cut off or replaced, which the chain can't show by itself: the entry with
// that number must still carry that hash. The error is [ErrBroken].
func TailOf(doc []byte) (Tail, error) {
	d, err := Parse(doc)
	if err != nil {
		return Tail{}, fmt.Errorf("read the end of the consolidation log: %w", err)
	}
	return d.Tail(), nil
}

// Tail is [TailOf] of the document.
func (d *Document) Tail() Tail {
	t := Tail{Count: d.before.Entries + len(d.entries), Hash: d.lastLink(), Empty: len(d.entries) == 0}
	if !t.Empty {
		t.Last = timestampOf(d.entries[len(d.entries)-1])
	}
	return t
}

// timestampOf is the timestamp of an entry as [Entry.decode] reads it: of an entry that is
// large for what it defers little else is asked.
func timestampOf(entry gjson.Result) (at time.Time) {
	if entry.IsObject() {
		entry.ForEach(func(key, value gjson.Result) bool {
			if key.Str == "timestamp" {
				_ = json.Unmarshal([]byte(value.Raw), &at) // a time that can't be read is an error of Read
			}
			return true
		})
	}
	return at
}
