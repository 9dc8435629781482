package workspace

import (
	"slices"
	"strings"

	"github.com/memoryd/memoryd/pkg/workspace/internal/journal"
)

// indexTurns are when the indexes of a run are brought along while nothing dies.
type indexTurns struct {
	of    [][]bool // of each index: with adding (before files are replaced), without (before files are removed), or both
	order []int    // in which they have their turn
}

// turnsOf has an index for which files are only created brought along with adding, any other without,
// and first those to which memories come. So each is written once, and what a run creates or moves is listed
// in its new place before its line in the old one goes. Two turns are left to an index for which files are created and
// changed, if a memory that comes to it would have left its old place by then: a collection, or another
// index to which some come.
func turnsOf(j *journal.Run) indexTurns {
	kinds, owner := make(map[string]string, len(j.Files)), map[string]int{}
	for i := range j.Files {
		kinds[j.Files[i].Path] = j.Files[i].Kind()
	}
	n := len(j.Indexes)
	adds, changes, gains, early := make([]bool, n), make([]bool, n), make([]bool, n), make([]bool, n)
	for k := range j.Indexes {
		for _, name := range j.Indexes[k].Files {
			owner[name] = k
			created := kinds[name] == journal.Create
			adds[k], changes[k] = adds[k] || created, changes[k] || !created
		}
		gains[k] = adds[k]
	}
	for _, a := range j.Actions {
		for _, op := range a.Ops {
			if to, ok := owner[fileIn(op.To)]; ok && op.Kind == journal.Move {
				gains[to] = true
			}
		}
	}
	for _, a := range j.Actions {
		for _, op := range a.Ops {
			to, ok := owner[op.To]
			if !ok || op.Kind != journal.Move || kinds[op.To] != journal.Create {
				continue
			}
			from, listed := owner[op.Ref]
			if kinds[op.Ref] != journal.Remove || listed && from != to && gains[from] {
				early[to] = true
			}
		}
	}
	t := indexTurns{of: make([][]bool, n)}
	for k := range n {
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
		case gains[a] == gains[b]:
			return 0
		case gains[a]:
			return -1
		}
		return 1
	})
	return t
}

// fileIn is the file of a [Ref] that was written as a text.
func fileIn(ref string) string {
	if at := strings.LastIndexByte(ref, '#'); at >= 0 && strings.HasPrefix(ref[at:], "#/") {
		return ref[:at]
	}
	return ref
}
