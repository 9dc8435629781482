package cli

import (
	"context"
	"time"

	"github.com/memoryd/memoryd/internal/gitsync"
	"github.com/memoryd/memoryd/internal/printer"
	"github.com/memoryd/memoryd/pkg/workspace"
)

func reindexCommand() *command {
	return &command{
		purpose: "rebuild the indexes from the files",
		detail: `Every _index.json is updated from the memory files, and missing ones are made.
An index that is correct is not written.`,
		example: "memory reindex",
		needs:   needsStore, writes: true, run: runReindex,
	}
}

// reindexed is one index that was written, for --json.
type reindexed struct {
	File    string        `json:"file"`
	Created bool          `json:"created"`
	Changes []indexChange `json:"changes"`
}

type indexChange struct {
	ID      string `json:"memory_id,omitempty"`
	Message string `json:"message"`
}

func runReindex(c *call) error {
	reindex := c.store.Reindex
	if c.dryRun() {
		reindex = func(_ context.Context, now time.Time) ([]workspace.Reindexed, error) { return c.store.PlanReindex(now) }
	}
	if !c.dryRun() {
		if _, err := gitsync.TakeMerged(c.ctx, c.store.Dir(), c.at); err != nil {
			return err
		}
	}
	done, err := reindex(c.ctx, c.at)
	if err != nil {
		return err
	}
	if c.JSON {
		all := []reindexed{}
		for _, r := range done {
			x := reindexed{r.File, r.Created, []indexChange{}}
			for _, d := range r.Changes {
				x.Changes = append(x.Changes, indexChange{d.ID, d.Message})
			}
			all = append(all, x)
		}
		return c.PrintJSON(struct {
			Written []reindexed `json:"written"`
		}{all})
	}
	printer.Reindexed(&c.Printer, done, c.dryRun())
	return nil
}
