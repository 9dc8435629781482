package printer

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/memoryd/memoryd/internal/app"
	"github.com/memoryd/memoryd/internal/document"
	"github.com/memoryd/memoryd/internal/term"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
)

// LogEntries lists runs, the latest first.
func LogEntries(p *Printer, entries []oplog.Entry, all int) {
	ids := make([]string, len(entries))
	for i := range entries {
		ids[i] = entries[i].RunID
	}
	if p.IDs(ids...) {
		return
	}
	if all == 0 {
		p.Printf("no runs yet\n")
		return
	}
	t := &term.Table{Head: []string{"RUN", "WHEN", "WHO", "TRIGGER", "SCOPE", "WHAT"}}
	for i := range entries {
		e := &entries[i]
		t.Row(cmp.Or(e.RunID, "-"), p.When(e.Timestamp), cmp.Or(app.Who(e), "-"), cmp.Or(e.Trigger, "-"), cmp.Or(e.Scope, "-"), app.WhatWasDone(e))
	}
	p.Printf("%s", t.Format("", p.Style))
	if len(entries) < all {
		p.Printf("%s\n", p.Style.Dim(fmt.Sprintf("%s of %s: --limit N lists more", app.Thousands(len(entries)), app.Quantity(all, "run"))))
	}
}

// LogEntry prints one run.
func LogEntry(p *Printer, snap *memory.Snapshot, e *oplog.Entry) {
	p.Printf("%s\n", p.Style.Bold(term.Printable(e.RunID)))
	t := p.Facts()
	t.Fact("when", p.When(e.Timestamp))
	t.Fact("trigger", e.Trigger)
	t.Fact("scope", e.Scope)
	t.Fact("types", strings.Join(e.Types, ", "))
	if !e.Since.IsZero() {
		t.Fact("since", p.When(e.Since))
	}
	if !e.Until.IsZero() {
		t.Fact("until", p.When(e.Until))
	}
	t.Fact("actor", app.Who(e))
	t.Fact("machine", e.Machine)
	t.Fact("undo of", e.UndoOf)
	t.Fact("status", e.Status)
	if e.DurationMS > 0 {
		t.Fact("took", (time.Duration(e.DurationMS) * time.Millisecond).String())
	}
	t.Fact("result", app.Totals(e.Stats))
	if p.Verbose {
		t.Fact("hash", e.Hash)
		t.Fact("after", cmp.Or(e.PrevHash, "nothing"))
	}
	p.Printf("%s\n", t.Format("  ", p.Style))
	printActions(p, snap, &document.Run{Actions: e.Actions}, "--verbose shows them")
	if len(e.Skipped) > 0 {
		t := &term.Table{Right: map[int]bool{1: true}}
		for _, reason := range slices.Sorted(maps.Keys(e.Skipped)) {
			t.Row(app.Reason(reason), app.Thousands(e.Skipped[reason]))
		}
		p.Printf("\n%s\n%s", p.Style.Bold("Left alone"), t.Format("  ", p.Style))
	}
	printDeferred(p, e.Deferred, e.Stats.MemoriesDeferred)
}

// Chain prints whether the log is as it was written.
func Chain(out *Printer, problems []oplog.Problem, n int, head string) {
	for _, p := range problems {
		out.Printf("%s %s\n", out.Style.Red("error"), term.Printable(p.String()))
	}
	entries := app.Quantity(n, "entry")
	switch {
	case len(problems) > 0 && n == 0:
		out.Printf("the chain can't be verified\n")
	case len(problems) > 0:
		out.Printf("chain broken: %s in %s\n", app.Quantity(len(problems), "problem"), entries)
	case n == 0:
		out.Printf("chain intact: no entries yet\n")
	default:
		out.Printf("chain intact: %s, head %s\n", entries, head)
	}
}

// Receipts lists what sessions were given; with named, or --verbose, by memory.
func Receipts(p *Printer, all []document.Receipt, named bool) {
	if len(all) == 0 {
		p.Printf("no receipts\n")
		return
	}
	t := &term.Table{
		Head:  []string{"WHEN", "SESSION", "HOST", "AT", "GIVEN", "COUNT AS", "CUT", "TOKENS", "READ SINCE"},
		Right: map[int]bool{4: true, 6: true, 7: true, 8: true},
	}
	for _, r := range all {
		t.Row(p.When(r.At), cmp.Or(r.Session, "-"), cmp.Or(r.Host, "-"), cmp.Or(r.File, r.Event), app.Thousands(len(r.Given)), r.As, app.Thousands(r.CutAll),
			fmt.Sprintf("%s of %s", app.Thousands(r.Tokens), app.Thousands(r.Budget)), app.Thousands(len(r.Read)))
	}
	p.Printf("%s", t.Format("", p.Style))
	if !named && !p.Verbose {
		return
	}
	for _, r := range all {
		p.Printf("\n%s\n", p.Style.Bold(term.Printable(p.When(r.At)+" "+r.Event)))
		facts := p.Facts()
		facts.Fact("given", strings.Join(r.Given, ", "))
		var cut []string
		for _, m := range r.Cut {
			cut = append(cut, fmt.Sprintf("%s (%s)", m.ID, m.Reason))
		}
		if more := r.CutAll - len(r.Cut); more > 0 {
			cut = append(cut, app.Thousands(more)+" more")
		}
		facts.Fact("cut", strings.Join(cut, ", "))
		facts.Fact("read since", strings.Join(r.Read, ", "))
		facts.Fact("not live any more", strings.Join(r.Gone, ", "))
		p.Printf("%s", facts.Format("  ", p.Style))
	}
}
