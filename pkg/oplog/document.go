package oplog

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
)

// ErrBroken means that the document is not a log: not valid JSON, or without one
// clear list of entries. Nobody can append to it until a person repairs it or
// moves it out of the way.
var ErrBroken = errors.New("repair the file by hand, or move it away: the next run begins a new log")

// empty is the document that the first entry goes into.
const empty = `{
  "version": "1.0.0",
  "entries": []
}
`

// A Document is a log that has been taken apart, once for all that is asked of it. It holds on
// to the bytes, which must not change.
type Document struct {
	raw     []byte
	list    string // the member that holds the entries: "entries" or "log"
	entries []gjson.Result
	before  follows // what the document continues
}

// follows is the member of a document that continues another one: where that was
// put, how many entries had been written by then, and the link of the last.
type follows struct {
	File    string `json:"file"`
	Entries int    `json:"entries"`
	Hash    string `json:"hash"`
}

// Parse takes doc apart. Nothing but white space is a new log. The error is [ErrBroken].
func Parse(doc []byte) (*Document, error) {
	if len(bytes.TrimSpace(doc)) == 0 {
		doc = []byte(empty)
	}
	if err := jsonedit.Check(doc); err != nil {
		return nil, fmt.Errorf("the log can't be read: %w: %w", err, ErrBroken)
	}
	d := &Document{raw: doc}
	members, object := jsonedit.MembersOf(doc)
	for _, name := range []string{"entries", "log"} {
		if !object {
			break
		}
		entries, ok := members.Elements(name)
		if !ok {
			continue
		}
		if d.list != "" {
			return nil, fmt.Errorf(`the log has both a list "entries" and a list "log": %w`, ErrBroken)
		}
		d.list, d.entries = name, entries
	}
	if d.list == "" {
		return nil, fmt.Errorf(`the log has no list "entries": %w`, ErrBroken)
	}
	if twice := members.Repeated(); len(twice) > 0 {
		return nil, fmt.Errorf("the log has the member %q twice: %w", twice[0], ErrBroken)
	}
	if f, ok := members.Get("follows"); ok && f.IsObject() {
		d.before = follows{strings.Clone(f.Get("file").Str), int(f.Get("entries").Int()), strings.Clone(f.Get("hash").Str)}
	}
	return d, nil
}

// lastLink returns the link of the last entry; without one that of the document
// before, "" if there is none.
func (d *Document) lastLink() string { return lastLink(d.entries, d.before.Hash) }

// Follow returns a new log without entries that continues doc, which is kept as
// file: its first entry will carry the link of doc's last one, so that the chain
// goes through.
func Follow(doc []byte, file string) ([]byte, error) {
	d, err := Parse(doc)
	if err != nil {
		return nil, fmt.Errorf("continue the consolidation log: %w", err)
	}
	f, err := json.Marshal(follows{file, d.before.Entries + len(d.entries), d.lastLink()})
	if err != nil {
		return nil, err
	}
	return jsonedit.Apply([]byte(empty), jsonedit.Set(f, "follows"))
}

// Follows returns the file that the document continues, "" if it is the first, how many
// entries had been written by then, and the link of the last.
func (d *Document) Follows() (file string, entries int, hash string) {
	return d.before.File, d.before.Entries, d.before.Hash
}

// A Log is what a log document says, in the order of the file: oldest first, as
// far as everyone appended at the end.
type Log struct {
	Version string // "" if the document has none that is a string
	Entries []Entry

	// Undecoded are the members that hold something else than an Entry has in
	// their place, usually in entries of other tools. The other members of these
	// entries were read.
	Undecoded []Problem
}

// Read decodes a log; nil or empty doc is a log without entries. It is
// tolerant: it keeps one Entry for every element of the list, with whatever of
// it decodes, and does not look at the chain, which [Verify] does. It fails with
// [ErrBroken] only.
func Read(doc []byte) (*Log, error) {
	d, err := Parse(doc)
	if err != nil {
		return nil, fmt.Errorf("read the consolidation log: %w", err)
	}
	return d.Log(), nil
}

// Log is [Read] of the document.
func (d *Document) Log() *Log {
	l := &Log{Entries: make([]Entry, len(d.entries))}
	version, _ := jsonedit.Get(d.raw, "version")
	l.Version = strings.Clone(version.Str)
	for i, raw := range d.entries {
		for _, message := range l.Entries[i].decode(raw, true) {
			l.Undecoded = append(l.Undecoded, Problem{Index: i, RunID: l.Entries[i].RunID, Message: message})
		}
	}
	return l
}

// decode fills e member by member, so that one which doesn't fit costs only
// itself, and says which didn't. Without actions they are left out.
func (e *Entry) decode(raw gjson.Result, actions bool) (messages []string) {
	if !raw.IsObject() {
		return []string{"it is not an object"}
	}
	fields := map[string]any{
		"run_id": &e.RunID, "timestamp": &e.Timestamp, "trigger": &e.Trigger, "scope": &e.Scope, "types": &e.Types, "since": &e.Since, "until": &e.Until, "actor": &e.Actor, "machine": &e.Machine, "undo_of": &e.UndoOf,
		"actions": &e.Actions, "skipped_by_reason": &e.Skipped, "deferred": &e.Deferred, "stats": &e.Stats, "model": &e.Model,
		"duration_ms": &e.DurationMS, "status": &e.Status, "prev_hash": &e.PrevHash, "hash": &e.Hash,
	}
	raw.ForEach(func(key, value gjson.Result) bool {
		switch {
		case key.Str == "deferred":
			if list, plain := jsonedit.PlainStrings(value); plain {
				e.Deferred = list
				return true
			}
		case key.Str == "actions" && !actions:
			return true
		}
		if field, ok := fields[key.Str]; ok {
			// On a type that doesn't fit, Unmarshal goes on and fills the rest.
			if err := json.Unmarshal([]byte(value.Raw), field); err != nil {
				messages = append(messages, fmt.Sprintf("its %s is not as memoryd writes it: %v", key.Str, err))
			}
		}
		return true
	})
	return messages
}

// Find returns the entry of a run. The start of a run id will do if only one
// run id begins so. If several entries have the same run id, it is the last.
func (l *Log) Find(runID string) (*Entry, bool) {
	if runID == "" {
		return nil, false
	}
	var found *Entry
	unique := true
	for i := len(l.Entries) - 1; i >= 0; i-- {
		switch e := &l.Entries[i]; {
		case e.RunID == runID:
			return e, true
		case !strings.HasPrefix(e.RunID, runID):
		case found == nil:
			found = e
		case e.RunID != found.RunID:
			unique = false
		}
	}
	if !unique {
		return nil, false
	}
	return found, found != nil
}

// Last returns the last entry, nil if there is none.
func (l *Log) Last() *Entry {
	if len(l.Entries) == 0 {
		return nil
	}
	return &l.Entries[len(l.Entries)-1]
}

// ErrParts means that two documents are not continuations of one log, or that one of them was continued in a new document meanwhile.
var ErrParts = errors.New("the two are different parts of a log")

// United is one log again of two documents that were continued apart from each other, as on two branches of version control.
type United struct {
	Doc []byte // goes on under the name of the log
	// Branch is a log of its own with the entries that Doc lacks; nil if it lacks none. Its chain begins at the last entry that both
	// documents had, so that it can be verified. First is the hash of its first entry.
	Branch []byte
	First  string
}

// Unite brings two continuations of one log together. No entry is changed and none is lost. Which of the two goes on depends on the first
// entries in which they differ, and not on the order of the arguments or on what follows: uniting further continuations later
// chooses the same one.
func Unite(a, b []byte) (United, error) {
	x, err := Parse(a)
	if err != nil {
		return United{}, fmt.Errorf("unite two logs: %w", err)
	}
	y, err := Parse(b)
	if err != nil {
		return United{}, fmt.Errorf("unite two logs: %w", err)
	}
	if x.before != y.before {
		return United{}, fmt.Errorf("unite two logs: %w", ErrParts)
	}
	n := 0
	for n < min(len(x.entries), len(y.entries)) && bytes.Equal(x.compact(n), y.compact(n)) {
		n++
	}
	switch {
	case n == len(x.entries):
		return United{Doc: b}, nil
	case n == len(y.entries):
		return United{Doc: a}, nil
	case Hash([]byte(y.entries[n].Raw)) < Hash([]byte(x.entries[n].Raw)):
		x, y = y, x
	}
	branch, err := y.from(n)
	return United{Doc: x.raw, Branch: branch, First: Hash([]byte(y.entries[n].Raw))}, err
}

func (d *Document) compact(i int) []byte { return jsonedit.Compact([]byte(d.entries[i].Raw)) }

// from is the document with its entries from one on, as a log of its own that follows no file.
func (d *Document) from(n int) ([]byte, error) {
	shared := jsonedit.ArrayEdit{Remove: map[int]bool{}}
	for i := range n {
		shared.Remove[i] = true
	}
	doc, err := jsonedit.EditArray(d.raw, []string{d.list}, shared)
	if err != nil {
		return nil, err
	}
	f, err := json.Marshal(follows{Entries: d.before.Entries + n, Hash: lastLink(d.entries[:n], d.before.Hash)})
	if err != nil {
		return nil, err
	}
	return jsonedit.Apply(doc, jsonedit.Set(f, "follows"))
}
