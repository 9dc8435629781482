package cli

import (
	"context"
	"time"

	"github.com/memoryd/memoryd/internal/term"
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
	done, err := reindex(c.ctx, c.at)
	if err != nil {
		return err
	}
	if c.json {
		all := []reindexed{}
		for _, r := range done {
			x := reindexed{r.File, r.Created, []indexChange{}}
			for _, d := range r.Changes {
				x.Changes = append(x.Changes, indexChange{d.ID, d.Message})
			}
			all = append(all, x)
		}
		return c.printJSON(struct {
			Written []reindexed `json:"written"`
		}{all})
	}
	printReindexed(&c.printer, done, c.dryRun())
	return nil
}

func printReindexed(p *printer, done []workspace.Reindexed, dry bool) {
	if len(done) == 0 {
		p.say("all indexes agree with the files\n")
		return
	}
	for _, r := range done {
		what := "changed"
		switch {
		case dry && r.Created:
			what = "would make"
		case dry:
			what = "would change"
		case r.Created:
			what = "made"
		}
		p.say("%s %s, %s\n", what, p.style.Bold(term.Printable(r.File)), quantity(len(r.Changes), "difference"))
		for i, d := range r.Changes {
			if i == skippedShown && !p.verbose {
				p.say("  and %s more\n", thousands(len(r.Changes)-i))
				break
			}
			p.say("  %s: %s\n", term.Printable(d.ID), term.Printable(d.Message))
		}
	}
}
