package app

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/memoryd/memoryd/internal/document"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/review"
	"github.com/memoryd/memoryd/pkg/rules"
)

// NewFirstRun plans a run of the workspace as a snapshot has it. It reads and writes no cache: the snapshot may be one that is not
// there yet. What came in at this very second counts too: whoever plans that run does so later. The only error is that of request.Progress.
func NewFirstRun(snap *memory.Snapshot, request rules.Request) (*document.FirstRun, error) {
	request.Sketch, request.Again = rules.ReadMemo(nil), true
	plan, err := rules.PlanWithProgress(snap, request)
	if err != nil {
		return nil, err
	}
	first := &document.FirstRun{Would: plan.Stats(), Unchanged: rules.LeftAlone(snap, request.Settings)}
	for i := range plan.Actions {
		if plan.Actions[i].Reason == rules.ReasonExpired {
			first.Expired++
		}
	}
	return first, nil
}

// FirstRunText says in sentences what a first run would do.
func FirstRunText(f *document.FirstRun) string {
	text := "The first run would " + Would(f.Would, true)
	if f.Expired > 0 {
		text += fmt.Sprintf(" (%s because their ttl has passed)", Thousands(f.Expired))
	}
	text += "."
	if f.Would.MemoriesDeferred > 0 {
		text += fmt.Sprintf(" %s for later runs.", leave(f.Would.MemoriesDeferred))
	}
	all, parts := 0, []string{}
	for _, reason := range slices.SortedFunc(maps.Keys(f.Unchanged), func(a, b string) int {
		return cmp.Or(cmp.Compare(f.Unchanged[b], f.Unchanged[a]), strings.Compare(a, b))
	}) {
		all += f.Unchanged[reason]
		parts = append(parts, Thousands(f.Unchanged[reason])+" "+unchangedAs(reason))
	}
	if all > 0 {
		text += fmt.Sprintf(" The rules leave %s unchanged: %s.", Thousands(all), strings.Join(parts, ", "))
	}
	return text
}

func leave(n int) string {
	return Quantity(n, "memory") + map[bool]string{true: " waits", false: " wait"}[n == 1]
}

// unchangedAs says of memories why no rule changes them, and where that is a choice, how to make another.
func unchangedAs(reason string) string {
	switch reason {
	case rules.ReasonUser:
		return "written by USER (--consent-user includes them)"
	case rules.ReasonInReview, rules.ReasonCopy, rules.ReasonConflict:
		return `waiting for a decision ("memory review")`
	case rules.ReasonNotUnique:
		return "with an id that is not unique"
	case rules.ReasonLocked:
		return "with a repeated key"
	case rules.ReasonNoAge:
		return "of unknown age"
	case rules.ReasonDecision:
		return "with subtype decision"
	}
	return Reason(reason)
}

// Would says what a run would do: "merge 7, promote 1 and archive 2". What is usual is said although it would do nothing of it, if
// even is set.
func Would(s oplog.Stats, even bool) string {
	var parts []string
	for _, p := range []struct {
		what  string
		n     int
		usual bool
	}{
		{"merge", s.MemoriesMerged, true}, {"promote", s.MemoriesPromoted, false}, {"propose", s.MemoriesProposed, false}, {"summarise", s.MemoriesSummarized, false},
		{"restore", s.MemoriesRestored, false}, {"edit", s.MemoriesEdited, false}, {"ask about", s.MemoriesFlagged, true}, {"archive", s.MemoriesArchived, true},
	} {
		if p.n > 0 || p.usual && even {
			parts = append(parts, p.what+" "+Thousands(p.n))
		}
	}
	switch n := len(parts) - 1; n {
	case -1:
		return "do nothing"
	case 0:
		return parts[0]
	default:
		return strings.Join(parts[:n], ", ") + " and " + parts[n]
	}
}

// After is the workspace as it is once some actions that write memories, and flag pairs of them, have happened.
func After(snap *memory.Snapshot, actions []memory.Action) (*memory.Snapshot, error) {
	var put []*memory.Memory
	var pairs []review.Pair
	for _, a := range actions {
		pairs = append(pairs, a.Pairs...)
		for _, op := range a.Ops {
			at := op.To
			if op.Kind == memory.Put {
				at = op.Ref
			}
			m, err := memory.OneRecord(at.File, op.Raw)
			if err != nil {
				return nil, err
			}
			m.Ref = at
			put = append(put, m)
		}
	}
	after := snap.With(put)
	return after.Suppose(after.At, after.Memories(), after.Archived(), pairs), nil
}
