package printer

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/memoryd/memoryd/internal/app"
	"github.com/memoryd/memoryd/internal/document"
	"github.com/memoryd/memoryd/internal/op/commit"
	"github.com/memoryd/memoryd/internal/term"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/workspace"
)

// Would prints what a command would do.
func Would(p *Printer, plan *memory.Plan) error {
	doc := document.NewPlan(plan, nil)
	if p.JSON {
		return p.PrintJSON(doc)
	}
	for i := range doc.Actions {
		p.Say("would %s\n", ActionHead(&doc.Actions[i]))
	}
	p.Say("nothing was written\n")
	return nil
}

// Warnings passes on what a commit has to say besides.
func Warnings(p *Printer, result *workspace.Result) {
	for _, w := range result.Warnings {
		p.Note("%s", w)
	}
}

// Run prints what one run did.
func Run(p *Printer, snap *memory.Snapshot, plan *memory.Plan, result *workspace.Result) error {
	doc := document.NewPlan(plan, result)
	if p.JSON {
		return p.PrintJSON(doc)
	}
	Done(p, snap, doc, result)
	return nil
}

// Done prints a run for people.
func Done(p *Printer, snap *memory.Snapshot, doc *document.Run, result *workspace.Result) {
	if result.Entry == nil {
		p.Say("nothing to do (%s)\n", leftAlone(*doc.Stats))
		return
	}
	printActions(p, snap, doc, waiting)
	p.Say("\n%s\n%s\n", app.Totals(*doc.Stats), p.Style.Dim("memory log "+doc.RunID+" tells more"))
}

// waiting tells where the questions stand that a run leaves unlisted.
const waiting = "memory review lists what waits"

// printActions prints a line for each of the first actions, how to see the others, and the actions that were not done.
func printActions(p *Printer, snap *memory.Snapshot, doc *document.Run, others string) {
	if p.Quiet {
		return
	}
	t := p.Facts()
	shown, more := listed(p, doc.Actions)
	for _, i := range shown {
		a := &doc.Actions[i]
		what, text := ActionDone(a)
		if words := namedBy(snap, a); words == "" {
			t.Row(what, text)
		} else {
			t.Row(what, text, words)
		}
	}
	if more.questions > 0 {
		t.Row("flagged", more.String()+": "+others)
	}
	for _, s := range doc.Skipped {
		if s.Reason == workspace.ReasonChanged || s.Reason == workspace.ReasonUnwritable || s.Reason == workspace.ReasonWording {
			t.Row("left alone", commit.Skipped(s))
		}
	}
	p.Printf("%s", t.Format("", p.Style))
}

// namedBy are the words, or the file, that stand for the memory of an action, so that nobody has to look up an id.
func namedBy(snap *memory.Snapshot, a *oplog.Action) string {
	id := cmp.Or(a.MemoryID, a.ResultID)
	if snap == nil || id == "" {
		return a.From
	}
	return cmp.Or(app.WordsOf(snap, id), a.From)
}

// ActionDone says in two parts what an action has done.
func ActionDone(a *oplog.Action) (what, text string) {
	id := a.MemoryID
	switch a.Type {
	case oplog.Merge:
		text := strings.Join(a.SourceIDs, ", ") + " into " + a.ResultID
		if words := app.Kept(a); words != "" {
			text += ": " + words
		}
		return "merged", text
	case oplog.Undo:
		return app.UndoneWord(a), a.Detail
	case oplog.Review:
		return "flagged", strings.Join(a.MemoryIDs, ", ") + ": " + app.Reason(a.Reason)
	case oplog.Summarize:
		return "summarised", fmt.Sprintf("%s: %s characters, were %s", id, app.Thousands(a.CharsAfter), app.Thousands(a.CharsBefore))
	case oplog.Promote:
		text := fmt.Sprintf("%s to %s as %s", id, a.To, a.ResultID)
		if a.AcceptedBy != "" {
			text += ", accepted by " + a.AcceptedBy
		}
		return "promoted", text
	case oplog.Propose:
		return "proposed", fmt.Sprintf("%s for %s as %s", id, a.To, a.ResultID)
	case oplog.Archive:
		return "archived", id + ": " + cmp.Or(a.Detail, app.Reason(a.Reason))
	case oplog.Restore:
		return "restored", id + " to " + a.To
	case oplog.Judge:
		return "judged", strings.Join(a.MemoryIDs, ", ") + ": " + judgedText(a)
	case oplog.Decide:
		return "decided", strings.Join(a.MemoryIDs, ", ") + ": both stay"
	case oplog.Add:
		if a.Detail != "" {
			id += ": " + a.Detail
		}
		return "added", id
	case oplog.Edit:
		return "edited", id + ": " + cmp.Or(a.Detail, "by hand")
	case oplog.Link:
		return "linked", a.Detail
	case oplog.Tend:
		return "tended", a.Detail
	case oplog.Unlink:
		return "unlinked", a.Detail
	case oplog.Cluster:
		return "summarised", fmt.Sprintf("%s in %s", app.Quantity(len(a.MemoryIDs), "memory"), a.ResultID)
	case oplog.Skip:
		return "left alone", id + ": " + app.Reason(a.Reason) + ": " + a.Detail
	}
	return a.Type, id
}

// Runs prints several runs; last is the empty plan that ended them, nil when an error did. With single, one run is printed as
// that run alone, and none as idle, unless that is empty.
func Runs(p *Printer, snap *memory.Snapshot, sum *document.Runs, last *memory.Plan, single bool, idle string) error {
	if last != nil {
		stats := last.Stats()
		sum.Stats.MemoriesDeferred = stats.MemoriesDeferred
		if len(sum.Runs) != 1 { // of one run the plan and the log say it, too
			sum.Stats.MemoriesSkipped = stats.MemoriesSkipped
		}
	}
	if single && last != nil && len(sum.Runs) < 2 {
		return printOnly(p, snap, sum, last, idle)
	}
	if p.JSON {
		return p.PrintJSON(sum)
	}
	for i, doc := range sum.Runs {
		if !p.Quiet {
			if i > 0 {
				p.Printf("\n")
			}
			p.Printf("%s\n", p.Style.Bold(doc.RunID))
			printActions(p, snap, doc, waiting)
		}
	}
	if len(sum.Runs) == 0 {
		p.Say("nothing to do (%s)\n", leftAlone(*sum.Stats))
		return nil
	}
	p.Say("\n%s: %s\n", app.Quantity(len(sum.Runs), "run"), app.Totals(*sum.Stats))
	return nil
}

// printOnly prints the one run that was needed, or that none was.
func printOnly(p *Printer, snap *memory.Snapshot, sum *document.Runs, empty *memory.Plan, idle string) error {
	result := &workspace.Result{}
	doc := document.NewPlan(empty, result)
	if len(sum.Runs) == 1 {
		doc, result.Entry = sum.First, &oplog.Entry{}
	}
	switch {
	case p.JSON:
		return p.PrintJSON(doc)
	case result.Entry == nil && idle != "":
		p.Say("%s\n", idle)
		return nil
	}
	Done(p, snap, doc, result)
	return nil
}

// leftAlone says how much an empty plan has left alone.
func leftAlone(s oplog.Stats) string {
	if s.MemoriesSkipped == 0 {
		return "all is well"
	}
	return app.Thousands(s.MemoriesSkipped) + " left alone: \"memory plan\" says why"
}

// judgedText is a verdict in one line.
func judgedText(a *oplog.Action) string {
	text := strings.ReplaceAll(a.Verdict, "_", " ")
	if a.ResultID != "" {
		text += ", " + a.ResultID + " stays"
	}
	if a.Confidence != nil {
		text += fmt.Sprintf(" (%.2f sure)", *a.Confidence)
	}
	if a.Reason != "" {
		text += ": " + a.Reason
	}
	return text + " [" + a.By + "]"
}

// Enriched prints an enrichment for people.
func Enriched(p *Printer, doc *document.Enrichment, dry bool) {
	titles := map[string]string{}
	for _, cl := range doc.Clusters {
		titles[cl.ID] = cl.Title
	}
	t := p.Facts()
	for i := range doc.Actions {
		a := &doc.Actions[i]
		what, text := ActionDone(a)
		switch a.Type {
		case oplog.Cluster:
			what, text = "summary", fmt.Sprintf("%s of %s: %s", a.ResultID, app.Quantity(len(a.MemoryIDs), "memory"), titles[a.ResultID])
		case oplog.Edit:
			what = "rewritten"
		}
		t.Row(what, text)
	}
	for _, s := range doc.Stale {
		t.Row("out of date", s.ID+": "+s.Detail)
	}
	if !p.Quiet {
		p.Printf("%s", t.Format("", p.Style))
	}
	if n := len(doc.Transitions); n > 0 {
		p.Say("%s came to another tier since the last run\n", app.Quantity(n, "memory"))
	}
	switch {
	case len(doc.Actions) == 0:
		p.Say("nothing to do: %s, each with its summary\n", app.Quantity(len(doc.Clusters)-len(doc.Stale), "cluster"))
	case dry:
		p.Say("\n%s\nnothing was changed\n", app.Totals(*doc.Stats))
	default:
		p.Say("\n%s\n%s\n", app.Totals(*doc.Stats), p.Style.Dim("memory undo "+doc.RunID+" takes it back"))
	}
}

// Members lists the memories that actions are about.
func Members(actions []oplog.Action) (ids []string) {
	for i := range actions {
		ids = append(ids, (&memory.Action{Action: actions[i]}).Members()...)
	}
	return ids
}

// ActionHead is an action in one line.
func ActionHead(a *oplog.Action) string {
	return term.ShortWords(term.Printable(app.DescribeAction(a)))
}

// Undone prints what an undo took back, or would; named are the actions of the run as they were before.
func Undone(p *Printer, named []string, run string, result *workspace.Result, doc document.Run) {
	for _, a := range doc.Actions {
		would := ""
		if doc.DryRun {
			would = "would be "
		}
		text := a.Detail
		if n := a.Of - 1; n >= 0 && n < len(named) {
			text = named[n]
		}
		p.Say("%s%s  %s\n", would, app.UndoneWord(&a), term.Printable(text))
	}
	switch {
	case doc.DryRun && result.Applied > 0:
		p.Say("nothing was changed. To do it: memory undo %s\n", term.Printable(run))
	case result.Applied > 0:
		p.Say("%s of %s taken back, as run %s\n", app.Quantity(result.Applied, "action"), term.Printable(run), term.Printable(doc.RunID))
	case len(result.Skipped) == 0:
		p.Say("nothing to undo: %s has changed no memory\n", term.Printable(run))
	}
}
