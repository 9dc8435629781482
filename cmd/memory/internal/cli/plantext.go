package cli

import (
	"fmt"
	"runtime"
	"strings"
	"sync"

	"github.com/memoryd/memoryd/cmd/memory/internal/app"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
)

// printPlan prints a plan for people.
func (c *call) printPlan(snap *memory.Snapshot, plan *memory.Plan) {
	if c.quiet {
		c.printf("%s\n", totals(plan.Stats()))
		return
	}
	c.printf("%s\n", c.style.dim(fmt.Sprintf("as of %s, trigger %s, scope %s", c.when(plan.At), plan.Trigger, printable(or(plan.Scope, "all")))))
	if len(plan.Off) > 0 {
		c.printf("%s\n", offText(plan.Off))
	}
	shown, more := c.told(plan.LogActions())
	for _, text := range c.actionTexts(snap, plan, shown) {
		c.printf("\n%s", text)
	}
	if more.questions > 0 {
		c.printf("\n%s: --verbose shows them\n", c.style.bold(more.String()))
	}
	if plan.Empty() {
		c.printf("\nnothing to do\n")
	}
	c.printSkips(plan.Skipped)
	c.printDeferred(plan.Deferred, len(plan.Deferred))
	if len(plan.DeferredRules) > 0 {
		c.printf("  the run is full: updates are looked for by one that is not\n")
	}
	if plan.Empty() {
		return
	}
	c.printf("\n%s %s\n", c.style.bold("In all:"), totals(plan.Stats()))
	c.printf("Nothing has been written. To do it: memory consolidate\n")
}

// offText names the rules that the settings switch off.
func offText(rules []string) string {
	return "switched off: " + strings.Join(rules, ", ") + " (enabled = false in memory.toml)"
}

// questionsShown is how many questions to a person a list holds without --verbose. A run asks
// as many as there are; what changes memories is never left out.
const questionsShown = 20

// untold are the questions that a list leaves out, and the memories that they are about.
type untold struct{ questions, memories int }

func (u untold) String() string {
	return fmt.Sprintf("%s to a person, about %s", quantity(u.questions, "more question"), quantity(u.memories, "memory"))
}

// told chooses the actions that are printed one by one.
func (c *call) told(actions []oplog.Action) (shown []int, more untold) {
	questions := 0
	for i := range actions {
		if a := &actions[i]; a.Type == oplog.Review && !c.verbose {
			if questions++; questions > questionsShown {
				more.questions++
				more.memories += len(a.MemoryIDs)
				continue
			}
		}
		shown = append(shown, i)
	}
	return shown, more
}

// actionTexts is [call.actionText] of some actions, put together on all cores: the memories
// may have to be read for it.
func (c *call) actionTexts(snap *memory.Snapshot, plan *memory.Plan, shown []int) []string {
	texts, cores := make([]string, len(shown)), runtime.GOMAXPROCS(0)
	var group sync.WaitGroup
	for core := range cores {
		group.Go(func() {
			for i := core; i < len(texts); i += cores {
				texts[i] = c.actionText(snap, &plan.Actions[shown[i]].Action)
			}
		})
	}
	group.Wait()
	return texts
}

// actionText tells of one action with its memories and its reason.
func (c *call) actionText(snap *memory.Snapshot, a *oplog.Action) string {
	t := c.facts()
	memory := func(name, id string) { t.row(name, id+"  "+summaryOf(snap, id)) }
	switch a.Type {
	case oplog.Merge:
		memory("keep", a.ResultID)
		for _, id := range a.SourceIDs {
			memory("merge", id)
		}
	case oplog.Review:
		for i, id := range a.MemoryIDs {
			memory(app.RoleInReview(a, i), id)
		}
		for _, d := range a.Differences {
			t.fact(app.DifferenceVerb(a.Reason), d)
		}
	case oplog.Judge:
		for _, id := range a.MemoryIDs {
			memory("", id)
		}
		t.fact("model", judgedText(a))
	default:
		t.fact("says", summaryOf(snap, a.MemoryID))
	}
	t.fact("why", app.ActionReason(a))
	return fmt.Sprintf("%s\n%s", c.style.bold(actionHead(a)), t.format("  ", c.style))
}

// summaryOf is the line that stands for the memory with an id.
func summaryOf(snap *memory.Snapshot, id string) string {
	for _, m := range snap.Find(id) {
		if summary, _ := m.Summary(); summary != "" {
			return summary
		}
	}
	return ""
}

// skippedShown is how many ids of one reason are named without --verbose.
const skippedShown = 3

// printSkips groups what was left alone by its reason.
func (c *call) printSkips(skips []memory.Skip) {
	if len(skips) == 0 {
		return
	}
	c.printf("\n%s\n", c.style.bold("Left alone"))
	if c.verbose {
		t := &table{}
		for _, s := range skips {
			t.row(reasonWords(s.Reason), s.Rule, s.MemoryID, s.Detail)
		}
		c.printf("%s", t.format("  ", c.style))
		return
	}
	var reasons []string
	ids := map[string][]string{}
	told := make(map[[2]string]bool, len(skips)) // by memory and reason
	for _, s := range skips {
		if _, ok := ids[s.Reason]; !ok {
			reasons = append(reasons, s.Reason)
		}
		if one := [2]string{s.MemoryID, s.Reason}; !told[one] {
			told[one] = true
			ids[s.Reason] = append(ids[s.Reason], s.MemoryID)
		}
	}
	t := &table{right: map[int]bool{1: true}}
	for _, r := range reasons {
		t.row(reasonWords(r), thousands(len(ids[r])), some(ids[r], skippedShown))
	}
	c.printf("%s", t.format("  ", c.style))
}

// printDeferred lists what a run deferred. A long list is cut.
func (c *call) printDeferred(named []string, all int) {
	if all = max(all, len(named)); all == 0 {
		return
	}
	shown := skippedShown
	if c.verbose {
		shown = len(named)
	}
	c.printf("\n%s %s over the limit of a run: first in the next one\n  %s\n",
		c.style.bold("Deferred"), quantity(all, "memory"), printable(app.FirstOf(named, shown, all)))
}
