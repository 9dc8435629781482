package oplog

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
)

// ErrParts means that two documents are no continuations of one log, or that one of them was continued in a new document meanwhile.
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
