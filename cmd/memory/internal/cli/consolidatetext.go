package cli

import (
	"fmt"
	"strings"

	"github.com/memoryd/memoryd/cmd/memory/internal/app"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/workspace"
)

// printRun prints what one run did.
func (c *call) printRun(plan *memory.Plan, result *workspace.Result) error {
	doc := app.NewPlanDocument(plan, result)
	if c.json {
		return c.printJSON(doc)
	}
	c.printDone(doc, result)
	return nil
}

// printDone prints a run for people.
func (c *call) printDone(doc *app.PlanDocument, result *workspace.Result) {
	if result.Entry == nil {
		c.say("nothing to do (%s)\n", leftAlone(doc.Stats))
		return
	}
	c.printActions(&doc.RunDocument, waiting)
	c.say("\n%s\n%s\n", totals(doc.Stats), c.style.dim("memory log "+doc.RunID+" tells more"))
}

// waiting tells where the questions stand that a run leaves untold.
const waiting = "memory review lists what waits"

// printActions prints a line for each of the first actions, how to see the others, and the actions that were not done.
func (c *call) printActions(doc *app.RunDocument, others string) {
	if c.quiet {
		return
	}
	t := c.facts()
	shown, more := c.told(doc.Actions)
	for _, i := range shown {
		what, text := done(&doc.Actions[i])
		t.row(what, text)
	}
	if more.questions > 0 {
		t.row("flagged", more.String()+": "+others)
	}
	for _, s := range doc.Skipped {
		if s.Reason == workspace.ReasonChanged || s.Reason == workspace.ReasonUnwritable {
			t.row("left alone", skipText(s))
		}
	}
	c.printf("%s", t.format("", c.style))
}

// done says in two parts what an action has done.
func done(a *oplog.Action) (what, text string) {
	id := a.MemoryID
	switch a.Type {
	case oplog.Merge:
		text := strings.Join(a.SourceIDs, ", ") + " into " + a.ResultID
		if words := app.FactsKept(a); words != "" {
			text += ": " + words
		}
		return "merged", text
	case oplog.Undo:
		return "undid", a.Detail
	case oplog.Review:
		return "flagged", strings.Join(a.MemoryIDs, ", ") + ": " + reasonWords(a.Reason)
	case oplog.Summarize:
		return "summarised", fmt.Sprintf("%s: %s characters, were %s", id, thousands(a.CharsAfter), thousands(a.CharsBefore))
	case oplog.Promote:
		text := fmt.Sprintf("%s to %s as %s", id, a.To, a.ResultID)
		if a.AcceptedBy != "" {
			text += ", accepted by " + a.AcceptedBy
		}
		return "promoted", text
	case oplog.Propose:
		return "proposed", fmt.Sprintf("%s for %s as %s", id, a.To, a.ResultID)
	case oplog.Archive:
		return "archived", id + ": " + or(a.Detail, reasonWords(a.Reason))
	case oplog.Restore:
		return "restored", id + " to " + a.To
	case oplog.Judge:
		return "judged", strings.Join(a.MemoryIDs, ", ") + ": " + judgedText(a)
	case oplog.Decide:
		return "decided", strings.Join(a.MemoryIDs, ", ") + ": both stay"
	case oplog.Edit:
		return "edited", id + ": " + or(a.Detail, "by hand")
	case oplog.Link:
		return "linked", a.Detail
	case oplog.Unlink:
		return "unlinked", a.Detail
	case oplog.Cluster:
		return "summarised", fmt.Sprintf("%s in %s", quantity(len(a.MemoryIDs), "memory"), a.ResultID)
	case oplog.Skip:
		return "left alone", id + ": " + reasonWords(a.Reason) + ": " + a.Detail
	}
	return a.Type, id
}

// printRuns prints what --all did; last is the empty plan that ended it, nil when
// it was ended by an error.
func (r *consolidation) printRuns(sum *app.RunsDocument, last *memory.Plan) error {
	if last != nil {
		stats := last.Stats()
		sum.Stats.MemoriesSkipped, sum.Stats.MemoriesDeferred = stats.MemoriesSkipped, stats.MemoriesDeferred
	}
	r.progress.end()
	if r.single && last != nil && len(sum.Runs) < 2 {
		return r.printOnly(sum, last)
	}
	if r.json {
		return r.printJSON(sum)
	}
	for i, doc := range sum.Runs {
		if !r.quiet {
			if i > 0 {
				r.printf("\n")
			}
			r.printf("%s\n", r.style.bold(doc.RunID))
			r.printActions(doc, waiting)
		}
	}
	if len(sum.Runs) == 0 {
		r.say("nothing to do (%s)\n", leftAlone(sum.Stats))
		return nil
	}
	r.say("\n%s: %s\n", quantity(len(sum.Runs), "run"), totals(sum.Stats))
	return nil
}

// printOnly prints the one run that was needed, or that none was.
func (r *consolidation) printOnly(sum *app.RunsDocument, empty *memory.Plan) error {
	result := &workspace.Result{}
	doc := app.NewPlanDocument(empty, result)
	if len(sum.Runs) == 1 {
		doc, result.Entry = sum.First, &oplog.Entry{}
	}
	if r.json {
		return r.printJSON(doc)
	}
	r.printDone(doc, result)
	return nil
}

// leftAlone says how much an empty plan has left alone.
func leftAlone(s oplog.Stats) string {
	if s.MemoriesSkipped == 0 {
		return "all is well"
	}
	return thousands(s.MemoriesSkipped) + " left alone: \"memory plan\" says why"
}
