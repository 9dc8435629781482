// Package firstrun says what the rules would do to memories that have just come into a workspace.
package firstrun

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/memoryd/memoryd/internal/app"
	"github.com/memoryd/memoryd/internal/document"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/rules"
)

// longest is how long the first run is planned for a sentence about it.
const longest = 10 * time.Second

var errSlow = errors.New("planning the first run takes too long")

// Plan plans a run of the workspace as a snapshot has it. It reads and writes no cache: the snapshot may be one that is not
// there yet. What came in at this very second counts too: that run is planned later. The result is nil where planning would
// take too long. The only error is that of request.Progress.
func Plan(snap *memory.Snapshot, request rules.Request, clock func() time.Time) (*document.FirstRun, error) {
	begun, progress := clock(), request.Progress
	request.Progress = func(done, total int) error {
		if clock().Sub(begun) > longest {
			return errSlow
		}
		if progress == nil {
			return nil
		}
		return progress(done, total)
	}
	request.Sketch, request.Again = rules.ReadMemo(nil), true
	plan, err := rules.PlanWithProgress(snap, request)
	if errors.Is(err, errSlow) {
		return nil, nil
	}
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

// Text says in sentences what a first run would do.
func Text(f *document.FirstRun) string {
	text := "The first run would " + app.Would(f.Would, true)
	if f.Expired > 0 {
		text += fmt.Sprintf(" (%s because their ttl has passed)", app.Thousands(f.Expired))
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
		parts = append(parts, app.Thousands(f.Unchanged[reason])+" "+unchangedAs(reason))
	}
	if all > 0 {
		text += fmt.Sprintf(" The rules leave %s unchanged: %s.", app.Thousands(all), strings.Join(parts, ", "))
	}
	return text
}

func leave(n int) string {
	return app.Quantity(n, "memory") + map[bool]string{true: " waits", false: " wait"}[n == 1]
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
	return app.Reason(reason)
}
