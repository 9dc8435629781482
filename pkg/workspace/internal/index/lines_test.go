package index_test

import (
	"fmt"
	"testing"

	"github.com/memoryd/memoryd/pkg/internal/durable"
	"github.com/memoryd/memoryd/pkg/workspace/internal/index"
	"github.com/memoryd/memoryd/pkg/workspace/internal/journal"
)

func create(path string) journal.Change {
	return journal.Change{Path: path, Base: durable.Absent, Next: "n"}
}
func remove(path string) journal.Change {
	return journal.Change{Path: path, Base: "b", Next: durable.Absent}
}
func put(path string) journal.Change { return journal.Change{Path: path, Base: "b", Next: "n"} }

func move(from, to string) journal.Action {
	return journal.Action{Ops: []journal.Op{{Kind: journal.Move, Ref: from, To: to}}}
}

// TestTurnsOf checks in which turns an index is written: t the one after files were created, f the one before files are removed.
func TestTurnsOf(t *testing.T) {
	tests := []struct {
		name    string
		run     journal.Run
		turns   string // of each index
		indexes string // in the order of writing
	}{
		{"a new file", journal.Run{
			Files:   []journal.Change{create("a/m.json")},
			Indexes: []journal.Index{{Files: []string{"a/m.json"}}},
		}, "[[true]]", "[0]"},
		{"an edit", journal.Run{
			Files:   []journal.Change{put("a/m.json")},
			Indexes: []journal.Index{{Files: []string{"a/m.json"}}},
		}, "[[false]]", "[0]"},
		{"archived: the archive lists it before its old index forgets it", journal.Run{
			Files:   []journal.Change{remove("a/m.json"), create("archive/m.json")},
			Actions: []journal.Action{move("a/m.json", "archive/m.json")},
			Indexes: []journal.Index{{Files: []string{"a/m.json"}}, {Files: []string{"archive/m.json"}}},
		}, "[[false] [true]]", "[1 0]"},
		{"out of a collection, with an edit beside: the index that gains is written in both turns", journal.Run{
			Files:   []journal.Change{put("a/all.json"), create("archive/m.json"), put("archive/n.json")},
			Actions: []journal.Action{move("a/all.json#/0", "archive/m.json")},
			Indexes: []journal.Index{{Files: []string{"a/all.json"}}, {Files: []string{"archive/m.json", "archive/n.json"}}},
		}, "[[false] [true false]]", "[1 0]"},
		{"a whole file into an index that is edited too: once, before the removal", journal.Run{
			Files:   []journal.Change{remove("a/m.json"), create("archive/m.json"), put("archive/n.json")},
			Actions: []journal.Action{move("a/m.json", "archive/m.json")},
			Indexes: []journal.Index{{Files: []string{"a/m.json"}}, {Files: []string{"archive/m.json", "archive/n.json"}}},
		}, "[[false] [false]]", "[1 0]"},
		{"no index", journal.Run{Files: []journal.Change{put("a/m.json")}}, "[]", "[]"},
	}
	for _, tt := range tests {
		got := index.TurnsOf(&tt.run)
		if of, order := fmt.Sprint(got.Of), fmt.Sprint(got.Order); of != tt.turns || order != tt.indexes {
			t.Errorf("%s: turns %s in the order %s, want %s in %s", tt.name, of, order, tt.turns, tt.indexes)
		}
	}
}

func TestChangesOf(t *testing.T) {
	run := &journal.Run{
		Files:   []journal.Change{create("a/new.json"), put("a/old.json"), put("b/other.json")},
		Indexes: []journal.Index{{Files: []string{"a/new.json", "a/old.json"}}},
	}
	for created, want := range map[bool]string{false: "a/new.json a/old.json", true: "a/new.json"} {
		got := ""
		for _, c := range index.ChangesOf(run, 0, created) {
			if got != "" {
				got += " "
			}
			got += c.Path
		}
		if got != want {
			t.Errorf("created %v: %q, want %q", created, got, want)
		}
	}
}
