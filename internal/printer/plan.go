package printer

import (
	"cmp"
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"sync"

	"github.com/memoryd/memoryd/internal/app"
	"github.com/memoryd/memoryd/internal/term"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/rules"
	"github.com/memoryd/memoryd/pkg/text"
)

// Plan prints a plan for people; do is the command that does it.
func Plan(p *Printer, snap *memory.Snapshot, plan *memory.Plan, do string) {
	if p.IDs(Members(plan.LogActions())...) {
		return
	}
	p.Printf("%s\n", p.Style.Dim(fmt.Sprintf("as of %s, trigger %s, scope %s", p.When(plan.At), plan.Trigger, term.Printable(cmp.Or(plan.Scope, "all")))))
	if len(plan.Off) > 0 {
		p.Printf("%s\n", offText(plan.Off))
	}
	shown, more := listed(p, plan.LogActions())
	for _, text := range actionTexts(p, snap, plan, shown) {
		p.Printf("\n%s", text)
	}
	if more.questions > 0 {
		p.Printf("\n%s: --verbose shows them\n", p.Style.Bold(more.String()))
	}
	if plan.Empty() {
		p.Printf("\nnothing to do\n")
	}
	printSkips(p, plan.Skipped)
	printDeferred(p, plan.Deferred, len(plan.Deferred))
	if len(plan.DeferredRules) > 0 {
		p.Printf("  This run is at its limit. Outdated memories are looked for in the next run that has room.\n")
	}
	if plan.Empty() {
		return
	}
	p.Printf("\n%s %s\n", p.Style.Bold("Total:"), app.Planned(plan.Stats()))
	p.Printf("Nothing has been written. To do it: memory %s\n", do)
}

// offText names the rules that the settings switch off.
func offText(rules []string) string {
	return "switched off: " + strings.Join(rules, ", ") + " (enabled = false in memory.toml)"
}

// QuestionsShown is how many questions to a person a list holds without --verbose. A run asks
// as many as there are; what changes memories is never left out.
const QuestionsShown = 20

// unlisted are the questions that a list leaves out, and the memories that they are about.
type unlisted struct{ questions, memories int }

func (u unlisted) String() string {
	return fmt.Sprintf("%s to a person, about %s", app.Quantity(u.questions, "more question"), app.Quantity(u.memories, "memory"))
}

// listed chooses the actions that are printed one by one.
func listed(p *Printer, actions []oplog.Action) (shown []int, more unlisted) {
	questions := 0
	for i := range actions {
		if a := &actions[i]; a.Type == oplog.Review && !p.Verbose {
			if questions++; questions > QuestionsShown {
				more.questions++
				more.memories += len(a.MemoryIDs)
				continue
			}
		}
		shown = append(shown, i)
	}
	return shown, more
}

// actionTexts is [actionText] of some actions, put together on all cores: the memories
// may have to be read for it.
func actionTexts(p *Printer, snap *memory.Snapshot, plan *memory.Plan, shown []int) []string {
	texts, cores := make([]string, len(shown)), runtime.GOMAXPROCS(0)
	var group sync.WaitGroup
	for core := range cores {
		group.Go(func() {
			for i := core; i < len(texts); i += cores {
				texts[i] = actionText(p, snap, &plan.Actions[shown[i]].Action)
			}
		})
	}
	group.Wait()
	return texts
}

// actionText describes one action with its memories and its reason.
func actionText(p *Printer, snap *memory.Snapshot, a *oplog.Action) string {
	t := p.Facts()
	memory := func(name, id string) { t.Row(name, id+"  "+app.WordsOf(snap, id)) }
	switch a.Type {
	case oplog.Merge:
		memory("keep", a.ResultID)
		for _, id := range a.SourceIDs {
			memory("merge", id)
			if app.WordsOf(snap, id) == app.WordsOf(snap, a.ResultID) {
				t.Row("", inWhat(p, snap.Live(id), snap.Live(a.ResultID)))
			}
		}
	case oplog.Review:
		for i, id := range a.MemoryIDs {
			memory(app.RoleInReview(a, i), id)
		}
		for _, d := range a.Differences {
			t.Fact(app.DifferenceVerb(a.Reason), d)
		}
	case oplog.Judge:
		for _, id := range a.MemoryIDs {
			memory("", id)
		}
		t.Fact("model", judgedText(a))
	default:
		t.Fact("says", app.WordsOf(snap, a.MemoryID))
	}
	t.Fact("why", app.ActionReason(a))
	return fmt.Sprintf("%s\n%s", p.Style.Bold(ActionHead(a)), t.Format("  ", p.Style))
}

// inWhat says in what two memories of a merge differ that are shown with the same words.
func inWhat(p *Printer, goes, stays *memory.Memory) string {
	if goes == nil || stays == nil {
		return ""
	}
	if goes.Text() == stays.Text() {
		return fmt.Sprintf("same text, written %s / %s", p.Day(goes.Newest()), p.Day(stays.Newest()))
	}
	const most = 3
	var parts []string
	for _, run := range text.Diff(goes.Text(), stays.Text()) {
		words := strings.Join(strings.Fields(strings.Join(run.Words, " ")), " ")
		switch {
		case run.Change == text.Same || words == "":
			continue
		case len(parts) == most:
			return strings.Join(parts, ", ") + " and more"
		case run.Change == text.Deleted:
			parts = append(parts, "only here: "+strconv.Quote(app.Headline(words)))
		default:
			parts = append(parts, "only in the kept one: "+strconv.Quote(app.Headline(words)))
		}
	}
	return strings.Join(parts, ", ")
}

// skippedShown is how many ids of one reason are named without --verbose.
const skippedShown = 3

// printSkips groups what was left alone by its reason.
func printSkips(p *Printer, skips []memory.Skip) {
	if len(skips) == 0 {
		return
	}
	p.Printf("\n%s\n", p.Style.Bold("Left alone"))
	if p.Verbose {
		t := &term.Table{}
		for _, s := range skips {
			t.Row(app.Reason(s.Reason), s.Rule, s.MemoryID, s.Detail)
		}
		p.Printf("%s", t.Format("  ", p.Style))
		return
	}
	t := &term.Table{Right: map[int]bool{1: true}}
	for _, g := range memory.GroupSkips(skips) {
		text := app.First(g.IDs, skippedShown)
		if g.Reason == rules.ReasonUser {
			text += " (--consent-user includes them)"
		}
		t.Row(app.Reason(g.Reason), app.Thousands(len(g.IDs)), text)
	}
	p.Printf("%s", t.Format("  ", p.Style))
}

// printDeferred lists what a run deferred. A long list is cut.
func printDeferred(p *Printer, named []string, all int) {
	if all = max(all, len(named)); all == 0 {
		return
	}
	shown := skippedShown
	if p.Verbose {
		shown = len(named)
	}
	verbs := "are over the limit of a run and come"
	if all == 1 {
		verbs = "is over the limit of a run and comes"
	}
	p.Printf("\n%s %s first in the next run.\n  %s\n",
		p.Style.Bold(app.Quantity(all, "more memory")), verbs, term.Printable(app.FirstOf(named, shown, all)))
}
