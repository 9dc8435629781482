package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/rules"
	"github.com/memoryd/memoryd/pkg/workspace"
)

// printPlan prints a plan for people.
func (c *call) printPlan(snap *workspace.Snapshot, plan *workspace.Plan) {
	if c.quiet {
		c.printf("%s\n", totals(plan.Stats()))
		return
	}
	c.printf("%s\n", c.style.dim(fmt.Sprintf("as of %s, trigger %s, scope %s", when(plan.At), plan.Trigger, printable(or(plan.Scope, "all")))))
	for i := range plan.Actions {
		c.printf("\n")
		c.printAction(snap, &plan.Actions[i].Action)
	}
	if plan.Empty() {
		c.printf("\nnothing to do\n")
	}
	c.printSkips(plan.Skipped)
	c.printDeferred(plan.Deferred)
	if len(plan.DeferredRules) > 0 {
		c.printf("  the run is full: updates are looked for by one that is not\n")
	}
	if plan.Empty() {
		return
	}
	c.printf("\n%s %s\n", c.style.bold("In all:"), totals(plan.Stats()))
	c.printf("Nothing has been written. To do it: memory consolidate\n")
}

// printAction prints one action with its memories and its reason.
func (c *call) printAction(snap *workspace.Snapshot, a *oplog.Action) {
	c.printf("%s\n", c.style.bold(actionHead(a)))
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
			memory(side(a, i), id)
		}
		for _, d := range a.Differences {
			t.fact(shows(a.Reason), d)
		}
	default:
		t.fact("says", summaryOf(snap, a.MemoryID))
	}
	t.fact("why", actionWhy(a))
	c.printf("%s", t.format("  ", c.style))
}

// side names the i-th memory of a review: which is the newer matters only where
// it is said to update the others.
func side(a *oplog.Action, i int) string {
	switch {
	case a.Reason != rules.ReasonSupersede:
		return "either"
	case i == len(a.MemoryIDs)-1:
		return "newer"
	}
	return "older"
}

// summaryOf is the line that stands for the memory with an id.
func summaryOf(snap *workspace.Snapshot, id string) string {
	for _, m := range snap.Find(id) {
		if summary, _ := m.Summary(); summary != "" {
			return summary
		}
	}
	return ""
}

// actionHead says in one line what an action does.
func actionHead(a *oplog.Action) string {
	id := printable(a.MemoryID)
	switch a.Type {
	case oplog.Merge:
		return fmt.Sprintf("merge %s into %s", quantity(len(a.SourceIDs), "duplicate"), printable(a.ResultID))
	case oplog.Review:
		if a.Reason == rules.ReasonSupersede && len(a.MemoryIDs) > 1 {
			newer, older := a.MemoryIDs[len(a.MemoryIDs)-1], a.MemoryIDs[:len(a.MemoryIDs)-1]
			return fmt.Sprintf("ask a person whether %s supersedes %s", printable(newer), printable(strings.Join(older, ", ")))
		}
		return fmt.Sprintf("ask a person about %s: %s", quantity(len(a.MemoryIDs), "memory"), reasonWords(a.Reason))
	case oplog.Summarize:
		return fmt.Sprintf("summarise %s: %s characters instead of %s", id, thousands(a.CharsAfter), thousands(a.CharsBefore))
	case oplog.Promote:
		return fmt.Sprintf("promote %s from %s to %s", id, printable(a.From), printable(a.To))
	case oplog.Undo:
		return "undo: " + printable(a.Detail)
	case oplog.Archive:
		return fmt.Sprintf("archive %s: %s", id, reasonWords(a.Reason))
	}
	return a.Type + " " + id
}

// actionWhy is the reason of an action, with its scores.
func actionWhy(a *oplog.Action) string {
	var parts []string
	if a.ContentSimilarity != nil && a.TagOverlap != nil {
		parts = append(parts, fmt.Sprintf("content %.2f alike, tags %.2f", *a.ContentSimilarity, *a.TagOverlap))
	}
	if words := factsWords(a); words != "" {
		parts = append(parts, words)
	}
	if a.Detail != "" && a.Type != oplog.Review {
		parts = append(parts, a.Detail)
	}
	if a.Type == oplog.Promote {
		parts = append(parts, "the copy becomes "+a.ResultID)
	}
	return strings.Join(parts, "; ")
}

// factsWords says what a merge did with the facts of its sources: their numbers,
// dates, identifiers and names. "" for an action that doesn't tell.
func factsWords(a *oplog.Action) string {
	if a.FactsKept == nil || a.FactsArchived == nil {
		return ""
	}
	switch kept, left := *a.FactsKept, *a.FactsArchived; {
	case kept+left == 0:
		return "no facts to keep"
	case left == 0:
		return quantity(kept, "fact") + " kept"
	case kept == 0:
		return quantity(left, "fact") + " in the archive"
	default:
		return fmt.Sprintf("%s of %s kept, the others in the archive", thousands(kept), quantity(kept+left, "fact"))
	}
}

// skippedShown is how many ids of one reason are named without --verbose.
const skippedShown = 3

// printSkips groups what was left alone by its reason.
func (c *call) printSkips(skips []workspace.Skip) {
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
	for _, s := range skips {
		if !slices.Contains(reasons, s.Reason) {
			reasons = append(reasons, s.Reason)
		}
		if !slices.Contains(ids[s.Reason], s.MemoryID) {
			ids[s.Reason] = append(ids[s.Reason], s.MemoryID)
		}
	}
	t := &table{right: map[int]bool{1: true}}
	for _, r := range reasons {
		t.row(reasonWords(r), thousands(len(ids[r])), some(ids[r], skippedShown))
	}
	c.printf("%s", t.format("  ", c.style))
}

func (c *call) printDeferred(ids []string) {
	if len(ids) == 0 {
		return
	}
	shown := skippedShown
	if c.verbose {
		shown = len(ids)
	}
	c.printf("\n%s %s over the limit of a run: first in the next one\n  %s\n",
		c.style.bold("Deferred"), quantity(len(ids), "memory"), printable(some(ids, shown)))
}

// some lists the first few of the words and counts the others.
func some(words []string, n int) string {
	if len(words) <= n {
		return strings.Join(words, ", ")
	}
	return fmt.Sprintf("%s and %s more", strings.Join(words[:n], ", "), thousands(len(words)-n))
}
