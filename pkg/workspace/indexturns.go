package workspace

import (
	"slices"

	"github.com/memoryd/memoryd/pkg/workspace/internal/journal"
)

// indexTurns are when the indexes of a run are brought along while nothing dies.
type indexTurns struct {
	of    [][]bool // of each index: with adding (before files are replaced), without (before files are removed), or both
	order []int    // in which they have their turn
}

// turnsOf has an index to which memories are only added brought along with adding, any other without, and first
// those to which some are added. So each is written once, and what a run creates or moves is listed in its new place before its old one is taken
// away. Two turns are left to an index that is added to and changed, if a memory that comes to it has
// left its old place by then: a collection, or another such index.
func turnsOf(j *journal.Run) indexTurns {
	kinds, owner := make(map[string]string, len(j.Files)), map[string]int{}
	for i := range j.Files {
		kinds[j.Files[i].Path] = j.Files[i].Kind()
	}
	adds, changes, early := make([]bool, len(j.Indexes)), make([]bool, len(j.Indexes)), make([]bool, len(j.Indexes))
	for k := range j.Indexes {
		for _, name := range j.Indexes[k].Files {
			owner[name] = k
			created := kinds[name] == journal.Create
			adds[k], changes[k] = adds[k] || created, changes[k] || !created
		}
	}
	for _, a := range j.Actions {
		for _, op := range a.Ops {
			to, ok := owner[op.To]
			if !ok || op.Kind != journal.Move || kinds[op.To] != journal.Create {
				continue
			}
			from, listed := owner[op.Ref]
			if kinds[op.Ref] != journal.Remove || listed && from != to && adds[from] {
				early[to] = true
			}
		}
	}
	t := indexTurns{of: make([][]bool, len(j.Indexes))}
	for k := range j.Indexes {
		if adds[k] && (early[k] || !changes[k]) {
			t.of[k] = append(t.of[k], true)
		}
		if changes[k] {
			t.of[k] = append(t.of[k], false)
		}
		t.order = append(t.order, k)
	}
	slices.SortStableFunc(t.order, func(a, b int) int {
		switch {
		case adds[a] == adds[b]:
			return 0
		case adds[a]:
			return -1
		}
		return 1
	})
	return t
}
