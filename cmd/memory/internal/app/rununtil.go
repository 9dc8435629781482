package app

import (
	"context"
	"errors"
	"fmt"

	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/rules"
)

// MaxRuns bounds the runs for one trigger: a workspace that needs more is not
// converging.
const MaxRuns = 10_000

// UntilEmpty runs until a plan is empty, though not more often than that, and sums
// up what was done.
func (r *Runner) UntilEmpty(ctx context.Context, request rules.Request, most int) (sum oplog.Stats, runs int, err error) {
	idle := 0
	for ; runs < most; runs++ {
		plan, result, err := r.Once(ctx, request, nil)
		if err != nil {
			return sum, runs, err
		}
		if plan.Empty() {
			return sum, runs, nil
		}
		if result.Entry != nil {
			AddStats(&sum, result.Entry.Stats)
		}
		if idle++; result.Applied > 0 {
			idle = 0
		}
		if idle == 2 {
			return sum, runs, errors.New("two runs in a row could change no memory: somebody else is writing them")
		}
	}
	if most > 1 {
		return sum, runs, fmt.Errorf("stopped after %d runs: there is always more to do", runs)
	}
	return sum, runs, nil
}

// AddStats adds what a run did.
func AddStats(sum *oplog.Stats, s oplog.Stats) {
	sum.MemoriesMerged += s.MemoriesMerged
	sum.MemoriesPromoted += s.MemoriesPromoted
	sum.MemoriesSummarized += s.MemoriesSummarized
	sum.MemoriesArchived += s.MemoriesArchived
	sum.MemoriesFlagged += s.MemoriesFlagged
}
