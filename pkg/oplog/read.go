package oplog

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
)

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
		return []string{"it is no object"}
	}
	fields := map[string]any{
		"run_id": &e.RunID, "timestamp": &e.Timestamp, "trigger": &e.Trigger, "scope": &e.Scope, "actor": &e.Actor, "machine": &e.Machine, "undo_of": &e.UndoOf,
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
