package workspace

import (
	"strings"

	"github.com/memoryd/memoryd/pkg/workspace/internal/journal"
)

// indexTurns are when the indexes of a run are brought along while nothing dies.
type indexTurns struct {
	of    [][]bool // of each index: with adding (before files are replaced), without (before files are removed), or both
	order []int    // in which they have their turn
}

// traffic is what a run does with the files and memories of an index.
type traffic struct {
	creates bool // files
	changes bool // files, or removes them
	gains   bool // memories, in created files or others
	early   bool // one of a created file has left its old place when files are to be removed
}

// turnsOf has an index for which files are only created brought along with adding, any other without,
// and first those to which memories come. So each is written once, and what a run creates or moves is listed
// in its new place before its line in the old one goes. Two turns are left to an index for which files are created and
// changed, if a memory that comes to it would have left its old place by then: a collection, or another
// index to which some come.
func turnsOf(j *journal.Run) indexTurns {
	kinds, owner, all := make(map[string]string, len(j.Files)), map[string]int{}, make([]traffic, len(j.Indexes))
	for i := range j.Files {
		kinds[j.Files[i].Path] = j.Files[i].Kind()
	}
	for k := range all {
		for _, name := range j.Indexes[k].Files {
			owner[name] = k
			if kinds[name] == journal.Create {
				all[k].creates, all[k].gains = true, true
			} else {
				all[k].changes = true
			}
		}
	}
	var moves []journal.Op
	for _, a := range j.Actions {
		for _, op := range a.Ops {
			if to, ok := owner[fileIn(op.To)]; ok && op.Kind == journal.Move {
				moves, all[to].gains = append(moves, op), true
			}
		}
	}
	for _, op := range moves {
		to := owner[fileIn(op.To)]
		from, listed := owner[op.Ref]
		if kinds[op.To] == journal.Create && (kinds[op.Ref] != journal.Remove || listed && from != to && all[from].gains) {
			all[to].early = true
		}
	}
	t := indexTurns{of: make([][]bool, len(all))}
	for k, x := range all {
		if x.creates && (x.early || !x.changes) {
			t.of[k] = append(t.of[k], true)
		}
		if x.changes {
			t.of[k] = append(t.of[k], false)
		}
	}
	for _, gaining := range []bool{true, false} {
		for k := range all {
			if all[k].gains == gaining {
				t.order = append(t.order, k)
			}
		}
	}
	return t
}

// fileIn is the file of a [Ref] that was written as a text.
func fileIn(ref string) string {
	if at := strings.LastIndexByte(ref, '#'); at >= 0 && strings.HasPrefix(ref[at:], "#/") {
		return ref[:at]
	}
	return ref
}
