package printer

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/memoryd/memoryd/internal/app"
	"github.com/memoryd/memoryd/internal/document"
	"github.com/memoryd/memoryd/internal/fail"
	"github.com/memoryd/memoryd/internal/gitsync"
	"github.com/memoryd/memoryd/internal/op/installing"
	"github.com/memoryd/memoryd/internal/op/login"
	"github.com/memoryd/memoryd/internal/op/sharing"
	"github.com/memoryd/memoryd/internal/term"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/workspace"
)

// Check prints what a check has found. That there are errors is its [fail.Outcome].
func Check(p *Printer, snap *memory.Snapshot, doc *document.Check) error {
	if p.JSON {
		if err := p.PrintJSON(doc); err != nil {
			return err
		}
	} else {
		printFindings(p, snap, doc)
	}
	if doc.Errors > 0 {
		return fail.Outcome(fail.ExitProblems)
	}
	return nil
}

func printFindings(p *Printer, snap *memory.Snapshot, doc *document.Check) {
	printProblems(p, snap, doc.Problems)
	if doc.Later > 0 {
		p.Say("%s may come of it: --verbose shows them\n", app.Quantity(doc.Later, "other problem"))
	}
	for _, name := range doc.Behind {
		p.Say("%s is behind the newest saves: the next command that writes brings it up to date\n", term.Printable(name))
	}
	if doc.Swap != "" {
		p.Say("atomic file replacement: %s\n", cmp.Or(swapLimit[doc.Swap], "supported"))
	}
}

// swapLimit says what a lesser way of replacing files costs.
var swapLimit = map[string]string{
	"link":   "by hard links: this file system has no atomic exchange, so a file that an editor renames into place in the same instant can be lost",
	"rename": "by renaming: this file system has neither atomic exchange nor hard links, so what an editor writes in the same instant can be lost",
}

// printProblems prints what check found, grouped by file.
func printProblems(p *Printer, snap *memory.Snapshot, problems []memory.Problem) {
	files := map[string]bool{}
	for _, ms := range [][]*memory.Memory{snap.Memories(), snap.Archived()} {
		for _, m := range ms {
			files[m.File] = true
		}
	}
	held := app.Quantity(len(snap.Memories())+len(snap.Archived()), "memory") + " in " + app.Quantity(len(files), "file")
	if len(problems) == 0 {
		p.Say("clean: %s\n", held)
		return
	}
	last := ""
	for i, found := range problems {
		if found.File != last || i == 0 {
			if i > 0 {
				p.Printf("\n")
			}
			p.Printf("%s\n", p.Style.Bold(term.Printable(cmp.Or(found.File, "workspace"))))
			last = found.File
		}
		p.Printf("  %s %s%s\n", severity(p, found.Severity), term.Printable(where(found)), term.Printable(found.Message))
		again := i+1 < len(problems) && problems[i+1].File == found.File && problems[i+1].Hint == found.Hint
		if found.Hint != "" && !again {
			p.Printf("          %s\n", p.Style.Dim(term.Printable(found.Hint)))
		}
	}
	errors, warnings := document.CountProblems(problems)
	p.Say("\n%s, %s; %s\n", app.Quantity(errors, "error"), app.Quantity(warnings, "warning"), held)
}

// where returns the prefix of a problem's message: its id and place, unless the message
// names them itself.
func where(p memory.Problem) (text string) {
	if p.ID != "" && !strings.Contains(p.Message, p.ID) {
		text = p.ID + ": "
	}
	for _, part := range strings.Fields(p.Place) {
		if !strings.Contains(p.Message, part) {
			text += part + ": "
		}
	}
	return text
}

func severity(p *Printer, word string) string {
	padded := fmt.Sprintf("%-*s", len(memory.Warning), word)
	if word == memory.Error {
		return p.Style.Red(padded)
	}
	return p.Style.Yellow(padded)
}

// HostFindings prints what a check of a host has found.
func HostFindings(p *Printer, findings []installing.Finding) {
	for _, f := range findings {
		p.Printf("%-8s %-10s %s\n", f.State, f.What, term.Printable(f.Detail))
		if f.Todo != "" {
			p.Printf("%20s%s\n", "", p.Style.Dim(term.Printable(f.Todo)))
		}
	}
}

// GitInstalled says what was set up for git, or would be.
func GitInstalled(p *Printer, machine string, done *gitsync.Installed, dry bool) {
	is, wrote, set, keeps := "is", "wrote", "set  ", "no longer keeps"
	if dry {
		is, wrote, set, keeps = "would be", "would write", "would set  ", "would no longer keep"
	}
	if machine != "" {
		p.Say("this machine %s %s\n", is, machine)
	}
	for _, name := range done.Files {
		p.Say("%s %s\n", wrote, term.Printable(name))
	}
	for _, key := range done.Settings {
		p.Say("%s %s\n", set, term.Printable(key))
	}
	if n := len(done.Untracked); n > 0 {
		p.Say("git %s %s, which each machine has for itself: %s\n", keeps, app.Quantity(n, "file"), term.Printable(app.First(done.Untracked, 3)))
	}
	if len(done.Files)+len(done.Settings)+len(done.Untracked) == 0 {
		p.Say("nothing to change\n")
	}
	if dry {
		p.Say("nothing was written\n")
	}
}

var scopeKinds = []string{"global", "team", "agent", "project", "session"}

// Reindexed prints which indexes were made or changed, or would be.
func Reindexed(p *Printer, done []workspace.Reindexed, dry bool) {
	if len(done) == 0 {
		p.Say("all indexes agree with the files\n")
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
		p.Say("%s %s, %s\n", what, p.Style.Bold(term.Printable(r.File)), app.Quantity(len(r.Changes), "difference"))
		for i, d := range r.Changes {
			if i == skippedShown && !p.Verbose {
				p.Say("  and %s more\n", app.Thousands(len(r.Changes)-i))
				break
			}
			p.Say("  %s: %s\n", term.Printable(d.ID), term.Printable(d.Message))
		}
	}
}

// Schedule lists the runs to come, as of at, in a time zone.
func Schedule(p *Printer, at time.Time, doc *document.Schedule, zone *time.Location) {
	t := &term.Table{Head: []string{"TRIGGER", "WHEN", "ON", "WOULD BE, AS OF NOW"}, Cut: true}
	for _, r := range doc.Runs {
		when := "when it holds"
		if r.At != nil {
			if when = r.At.In(zone).Format("Mon 2006-01-02 15:04"); !r.At.After(at) {
				when = "due now"
			}
		}
		r.Would.MemoriesSkipped, r.Would.MemoriesDeferred = 0, 0
		t.Row(r.Trigger, when, r.On, app.Totals(r.Would))
	}
	if doc.Held != "" {
		p.Printf("no run starts by itself: %s\n", doc.Held)
		return
	}
	p.Printf("%s", t.Format("", p.Style))
	if zone != time.Local {
		p.Say("\ntimes are those of %s\n", doc.Zone)
	}
	if !doc.Watched {
		p.Say("\nno watcher is running, so none of these will start: run \"memory watch\"\n")
	}
}

func watchText(p *Printer, d *document.Watch) string {
	full := "nothing compared yet"
	if d.Full != nil {
		full = "last full comparison " + p.When(*d.Full)
	}
	switch {
	case !d.Running && d.Full != nil:
		return "no process; " + full
	case !d.Running:
		return `no process; start "memory watch" to keep it fresh`
	case d.Stale:
		return fmt.Sprintf("%s, but it says nothing any more; %s", d.Holder, full)
	}
	event := "no change seen yet"
	if d.LastEvent != nil {
		event = "last change seen " + p.When(*d.LastEvent)
	}
	return fmt.Sprintf("%s; %s, %s", d.Holder, event, full)
}

// Hub is the status of a project that has no workspace but that of a hub.
func Hub(p *Printer, hub *login.Status) error {
	if p.JSON {
		return p.PrintJSON(struct {
			Hub *login.Status `json:"hub"`
		}{hub})
	}
	t := p.Facts()
	t.Fact("workspace", "none here: agents use the hub's")
	hubFacts(t, hub)
	p.Printf("%s", t.Format("", p.Style))
	return nil
}

// hubFacts says which hub agents use.
func hubFacts(t *term.Table, hub *login.Status) {
	t.Fact("hub", hub.Text())
	t.Fact("project", hub.Dir)
	if !hub.Answers {
		t.Fact("", hub.Todo())
	}
}

// unreadShown is how many files that can't be read the overview names.
const unreadShown = 5

// Status prints the overview of a workspace; brief shortens paths.
func Status(p *Printer, s *document.Status, hub *login.Status, brief func(string) string) {
	t := p.Facts()
	t.Fact("workspace", brief(s.Workspace)+" (preset "+s.Preset+")")
	if s.Worktree != nil {
		t.Fact("worktree", worktreeText(s.Worktree, brief))
	}
	if hub != nil {
		hubFacts(t, hub)
		t.Fact("", "agents use the hub, and not this folder")
	}
	t.Fact("memories", app.Thousands(s.Memories)+shares(s.Types, ": ", ""))
	kinds := map[string]int{}
	owners := map[string]int{}
	for scope, n := range s.Scopes {
		kind, _, _ := strings.Cut(scope, ":")
		kinds[kind] += n
		owners[kind]++
	}
	t.Fact("tiers", tierText(s.Tiers))
	t.Fact("scopes", strings.TrimPrefix(scopeText(kinds, owners), ", "))
	t.Fact("archived", app.Thousands(s.Archived))
	t.Fact("indexes", strconv.Itoa(s.Indexes))
	t.Fact("last run", lastText(p, s.LastRun))
	t.Fact("to review", orNone(s.Review, "pair"))
	for i, copied := range s.Copies {
		if i == unreadShown && !p.Verbose {
			t.Fact("", fmt.Sprintf("and %s more", app.Thousands(len(s.Copies)-i)))
			break
		}
		t.Fact("conflict copy", fmt.Sprintf("%s of %s: memory review %s", copied.File, copied.Of, copied.PairID))
		t.Fact("", memory.DifferingIn(copied.Differences))
	}
	if len(s.Due) > 0 {
		t.Fact("to look at", fmt.Sprintf("%s: %s", app.First(s.Due, 6), "memory edit ID --review-on DATE once it is checked"))
	}
	if len(s.Conflicts) > 0 {
		t.Fact("merge conflicts", app.First(s.Conflicts, 3)+": memory review "+s.Conflicts[0])
	}
	t.Fact("next run", nextText(s.Next))
	if len(s.Off) > 0 {
		t.Fact("rules", offText(s.Off))
	}
	if s.Held != "" {
		t.Fact("automatic", "no run starts by itself: "+s.Held)
	}
	t.Fact("watch", watchText(p, s.Watch))
	t.Fact("last check", checkText(p, s.LastCheck))
	t.Fact("problems", problemText(s))
	for i, u := range s.Unread {
		if i == unreadShown && !p.Verbose {
			t.Fact("", fmt.Sprintf("and %s more", app.Thousands(len(s.Unread)-i)))
			break
		}
		t.Fact("not read", u.File+": "+u.Message)
	}
	p.Printf("%s", t.Format("", p.Style))
}

// shares lists counts, the largest first.
func shares(counts map[string]int, before, after string) string {
	if len(counts) == 0 {
		return ""
	}
	names := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
	for i, name := range names {
		names[i] = app.Thousands(counts[name]) + " " + term.Cut(name, term.LongestCell)
	}
	return before + strings.Join(names, ", ") + after
}

// scopeText says how many memories each kind of scope holds, in how many of it.
func scopeText(kinds, owners map[string]int) (text string) {
	if len(kinds) == 0 {
		return "none"
	}
	for _, kind := range scopeKinds {
		switch {
		case kinds[kind] == 0:
		case kind == "global":
			text += ", " + app.Thousands(kinds[kind]) + " global"
		default:
			text += ", " + app.Thousands(kinds[kind]) + " in " + app.Quantity(owners[kind], kind)
		}
	}
	return text
}

// checkText says when the last check was and what it found.
func checkText(p *Printer, last *document.CheckSummary) string {
	switch {
	case last == nil:
		return "none known: run \"memory check\""
	case last.Errors+last.Warnings == 0:
		return p.When(last.At) + ": clean"
	case last.IndexDrift > 0:
		return fmt.Sprintf("%s: %s, %s; indexes: %s from the files", p.When(last.At), app.Quantity(last.Errors, "error"), app.Quantity(last.Warnings, "warning"), app.Quantity(last.IndexDrift, "difference"))
	}
	return fmt.Sprintf("%s: %s, %s", p.When(last.At), app.Quantity(last.Errors, "error"), app.Quantity(last.Warnings, "warning"))
}

func lastText(p *Printer, r *document.LastRun) string {
	if r == nil {
		return "none yet"
	}
	return fmt.Sprintf("%s, %s: %s (%s)", p.When(r.At), r.Trigger, app.Totals(r.Stats), r.RunID)
}

func nextText(next oplog.Stats) string {
	next.MemoriesSkipped = 0
	if next == (oplog.Stats{}) {
		return "nothing to do"
	}
	text := "would " + app.Would(next, false)
	if next.MemoriesDeferred > 0 {
		text += fmt.Sprintf(", and defer %s", app.Thousands(next.MemoriesDeferred))
	}
	return text + ": see \"memory plan\""
}

func problemText(s *document.Status) string {
	if s.Errors+s.Warnings == 0 {
		return "none"
	}
	return app.Quantity(s.Errors, "error") + ", " + app.Quantity(s.Warnings, "warning") + ": see \"memory check\""
}

func orNone(n int, what string) string {
	if n == 0 {
		return "none"
	}
	return app.Quantity(n, what)
}

// worktreeText says which workspace a linked worktree uses, and why.
func worktreeText(w *document.Worktree, brief func(string) string) string {
	text := "uses the workspace of its repository: "
	if w.Own {
		text = "uses its own workspace: "
	}
	text += w.Why
	if w.Other != "" {
		text += "; not used: " + brief(w.Other)
	}
	return text
}

// Synced says what a sync has exchanged, or would commit.
func Synced(p *Printer, out *gitsync.Outcome) {
	defer withheld(p, out.Withheld)
	verb := "committed"
	if out.DryRun {
		verb = "to commit:"
	}
	for _, name := range out.Sent {
		if p.Verbose || out.DryRun {
			p.Printf("  %s\n", term.Printable(name))
		}
	}
	p.Say("%s %s\n", verb, app.Quantity(len(out.Sent), "file"))
	if out.Remote == "" {
		p.Say("there is no remote: nothing was fetched or pushed\n")
		return
	}
	p.Say("%s from %s/%s\n", app.Quantity(out.Incoming, "commit"), term.Printable(out.Remote), term.Printable(out.Branch))
	if len(out.Merged) > 0 {
		p.Say("also merged: %s\n", term.Printable(app.First(out.Merged, 5)))
	}
	if out.Pushed {
		p.Say("pushed\n")
	}
	for _, branch := range out.Proposed {
		p.Say("pushed %s: merge it to accept what it proposes\n", term.Printable(branch))
	}
}

// withheld names the files that were not shared, and what to do, once for each kind.
func withheld(p *Printer, held []gitsync.Withheld) {
	for i, h := range held {
		p.Say("not shared: %s: %s\n", term.Printable(h.File), term.Printable(h.Reason))
		if !slices.ContainsFunc(held[i+1:], func(later gitsync.Withheld) bool { return later.Kind == h.Kind }) {
			p.Say("  %s\n", sharing.Remedies[h.Kind])
		}
	}
}
