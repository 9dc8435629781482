package index

import (
	"strings"

	"github.com/memoryd/memoryd/pkg/workspace/internal/journal"
)

// Turns say when a run writes its indexes, as long as no action dies.
type Turns struct {
	// Of each index of the journal: true for the turn after files were created, false for
	// the one before files are removed, or both.
	Of [][]bool
	// Order is that in which indexes are written within a turn.
	Order []int
}

// changes is what a run does with the files and memories of one index.
type changes struct {
	creates bool // files
	edits   bool // files, or removes them
	gains   bool // memories
	early   bool // a memory in a created file leaves its old place before the second turn
}

// TurnsOf plans the writes. An index for which files are only created has the first turn, any
// other the second, and those that gain memories come first: so each is written once, and a
// memory is listed in its new place before its old line goes. An index for which files are
// created and edited has both turns if a memory that comes to it would have left its old
// place by the second: a collection, or another index that gains memories.
func TurnsOf(j *journal.Run) Turns {
	kinds, owner, all := make(map[string]string, len(j.Files)), map[string]int{}, make([]changes, len(j.Indexes))
	for i := range j.Files {
		kinds[j.Files[i].Path] = j.Files[i].Kind()
	}
	for k := range all {
		for _, name := range j.Indexes[k].Files {
			owner[name] = k
			if kinds[name] == journal.Create {
				all[k].creates, all[k].gains = true, true
			} else {
				all[k].edits = true
			}
		}
	}
	var moves []journal.Op
	for _, a := range j.Actions {
		for _, op := range a.Ops {
			if to, ok := owner[fileOf(op.To)]; ok && op.Kind == journal.Move {
				moves, all[to].gains = append(moves, op), true
			}
		}
	}
	for _, op := range moves {
		to := owner[fileOf(op.To)]
		from, listed := owner[op.Ref]
		if kinds[op.To] == journal.Create && (kinds[op.Ref] != journal.Remove || listed && from != to && all[from].gains) {
			all[to].early = true
		}
	}
	t := Turns{Of: make([][]bool, len(all))}
	for k, x := range all {
		if x.creates && (x.early || !x.edits) {
			t.Of[k] = append(t.Of[k], true)
		}
		if x.edits {
			t.Of[k] = append(t.Of[k], false)
		}
	}
	for _, gaining := range []bool{true, false} {
		for k := range all {
			if all[k].gains == gaining {
				t.Order = append(t.Order, k)
			}
		}
	}
	return t
}

// fileOf is the file of a memory.Ref that was written as a text.
func fileOf(ref string) string {
	if at := strings.LastIndexByte(ref, '#'); at >= 0 && strings.HasPrefix(ref[at:], "#/") {
		return ref[:at]
	}
	return ref
}
