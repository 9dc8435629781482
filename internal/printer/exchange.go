package printer

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/memoryd/memoryd/internal/app"
	"github.com/memoryd/memoryd/internal/document"
	"github.com/memoryd/memoryd/internal/op/exporting"
	"github.com/memoryd/memoryd/internal/op/firstrun"
	"github.com/memoryd/memoryd/internal/op/importing"
	"github.com/memoryd/memoryd/internal/op/saving"
	"github.com/memoryd/memoryd/internal/simulate"
	"github.com/memoryd/memoryd/internal/term"
	"github.com/memoryd/memoryd/pkg/foreign"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/rules"
)

// Exported lists the files of an export.
func Exported(p *Printer, result *exporting.Result) {
	for _, f := range result.Files {
		p.Printf("%s\n", term.Printable(f.File))
	}
	verb := "exported"
	if result.DryRun {
		verb = "would be exported"
	}
	p.Say("%s %s\n", app.Quantity(result.Memories, "memory"), verb)
}

// Misfits prints what a format has no place for: once for each kind of thing.
func Misfits(p *Printer, misfits []foreign.Misfit) {
	var order []string
	n, example := map[string]int{}, map[string]string{}
	for _, m := range misfits {
		what := m.What
		if m.LeftOut {
			what = "left out: " + what
		}
		if n[what]++; n[what] == 1 {
			order, example[what] = append(order, what), m.Place
		}
	}
	for _, what := range order {
		place := example[what]
		if more := n[what] - 1; more > 0 {
			place += fmt.Sprintf(" and %d more", more)
		}
		p.Note("did not fit: %s (%s)", what, place)
	}
}

// GitNotes prints which notes on commits were written, or would be.
func GitNotes(p *Printer, result *exporting.NotesResult) {
	for _, ref := range result.Refs {
		state := "as it was"
		switch {
		case ref.Changed && result.DryRun:
			state = "would be written"
		case ref.Changed:
			state = "written"
		}
		p.Printf("%s  %s, %s\n", ref.Name, app.Quantity(ref.Notes, "commit"), state)
	}
	p.Say("%s with commits of the repository\n", app.Quantity(result.Memories, "memory"))
	if n := len(result.Unknown); n > 0 {
		var examples []string
		for _, u := range result.Unknown {
			examples = append(examples, fmt.Sprintf("%.12s (%s)", u.Commit, strings.Join(u.MemoryIDs, ", ")))
		}
		p.Note("%s that the repository doesn't have, or can't tell from others: %s", app.Quantity(n, "commit"), app.First(examples, 3))
	}
	Misfits(p, result.Misfits)
}

// FirstRun says what the first run would do, and how to see it; first is nil where that isn't known.
func FirstRun(p *Printer, first *document.FirstRun) {
	if first == nil {
		p.Say("To see what the first run would do: memory plan\n")
		return
	}
	p.Say("%s\nTo see it: memory plan\n", firstrun.Text(first))
}

// saysWords tells how a record stands to the memory that it was not imported beside.
func saysWords(item *document.ImportItem) string {
	switch {
	case item.Says == rules.SaysLess:
		return " (which says more)"
	case item.Says == rules.SaysMore && slices.Contains(item.Gained, memory.VariantsKey):
		return " (which said it in other words, and has its text now)"
	case item.Says == rules.SaysMore:
		return " (which said part of it, and has its text now)"
	}
	return ""
}

// Imported prints what became of each record of an import.
func Imported(p *Printer, doc *importing.Result) {
	flagged := 0
	for _, item := range doc.Items {
		switch item.Status {
		case importing.Imported, importing.Updated:
			p.Printf("%-9s  %s  %s\n", item.Status, term.Printable(item.ID), term.Printable(item.Place))
			for _, f := range item.Redacted {
				p.Say("           redacted: %s\n", term.Printable(f.String()))
			}
			if item.PairID != "" {
				flagged++
				p.Say("           flagged with %s (%s)\n", term.Printable(item.With), term.Printable(app.Reason(item.Reason)))
			} else if item.Reason != "" {
				p.Say("           %s\n", term.Printable(item.Reason))
			}
		case importing.Equal, saving.Merged:
			p.Printf("%-9s  %s  %s%s\n", item.Status, term.Printable(item.With), term.Printable(item.Place), saysWords(&item))
			if len(item.Gained) > 0 {
				p.Say("           it gained: %s\n", term.Printable(strings.Join(item.Gained, ", ")))
			}
			if item.Reason != "" {
				p.Say("           %s\n", term.Printable(item.Reason))
			}
		case importing.Kept:
			p.Printf("%-9s  %s  %s: %s\n", item.Status, term.Printable(item.ID), term.Printable(item.Place), term.Printable(item.Reason))
		case importing.Refused:
			p.Printf("%-9s  %s: %s\n", item.Status, term.Printable(item.Place), term.Printable(strings.ReplaceAll(item.Reason, "\n", "; ")))
		}
	}
	for _, m := range doc.LeftOut {
		how := "left out"
		if !m.LeftOut { // a part of it
			how = "in part"
		}
		p.Printf("%-9s  %s: %s\n", how, term.Printable(m.Place), term.Printable(m.What))
	}
	var parts []string
	for _, status := range []string{importing.Imported, importing.Updated, importing.Unchanged, importing.Equal, saving.Merged, importing.Kept, importing.Refused} {
		if n := doc.Counts[status]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, status))
		}
	}
	if flagged > 0 {
		parts = append(parts, fmt.Sprintf("%d flagged for \"memory review\"", flagged))
	}
	whole := slices.DeleteFunc(slices.Clone(doc.LeftOut), func(m foreign.Misfit) bool { return !m.LeftOut })
	if n := len(whole); n > 0 {
		parts = append(parts, fmt.Sprintf("%d left out", n))
	}
	p.Say("%s", cmp.Or(strings.Join(parts, ", "), "nothing to import"))
	switch {
	case doc.DryRun:
		p.Say("; nothing was written")
	case doc.RunID != "":
		p.Say("; to take it back: memory undo %s", doc.RunID)
	}
	p.Say("\n")
	if doc.DryRun && doc.Counts[importing.Imported]+doc.Counts[importing.Updated]+doc.Counts[saving.Merged] > 0 || doc.RunID != "" {
		FirstRun(p, doc.First)
	}
}

// Simulation prints a year of runs, a line for each month.
func Simulation(p *Printer, r *simulate.Report) {
	t := &term.Table{
		Head:  []string{"", "LIVE", "ARCHIVED", "KB", "HOT", "WARM", "COLD", "REST", "RUNS", "MERGED", "PROMOTED", "SUMMARISED", "STALE", "LARGEST INDEX"},
		Right: map[int]bool{1: true, 2: true, 3: true, 4: true, 5: true, 6: true, 7: true, 8: true, 9: true, 10: true, 11: true, 12: true},
	}
	for _, m := range r.Months {
		n := func(n int) string { return app.Thousands(n) }
		t.Row(p.Day(m.At), n(m.Live), n(m.Archived), n(int(math.Ceil(float64(m.Bytes)/1000))),
			n(m.Tiers["hot"]), n(m.Tiers["warm"]), n(m.Tiers["cold"]), n(m.Tiers["archived"]),
			n(m.Done.Runs), n(m.Done.Merged), n(m.Done.Promoted), n(m.Done.Summarised), n(m.Done.Archived), largestIndex(m))
	}
	p.Printf("%s", t.Format("", p.Style))
	kept, gone := len(r.Survivors), len(r.Archived)
	p.Say("\nafter %s: of %s, %s still there and %s archived or merged away", app.Quantity(r.Days, "day"), app.Quantity(kept+gone, "memory"), app.Thousands(kept), app.Thousands(gone))
	if n := len(r.Created); n > 0 {
		p.Say("; %s in wider scopes besides", left(n, "copy", "copies"))
	}
	p.Say("\n%s: %s merged away, %s, %s summarised, %s archived, %s flagged for review\n", app.Quantity(r.Runs.Runs, "run"),
		app.Thousands(r.Runs.Merged), app.Thousands(r.Runs.Promoted)+" promoted", app.Thousands(r.Runs.Summarised), app.Thousands(r.Runs.Archived), app.Thousands(r.Runs.Flagged))
	if r.Accesses+r.AccessesIgnored > 0 {
		p.Say("%s counted, %s ignored: of memories that aren't there, or before the start\n", app.Quantity(r.Accesses, "read"), app.Thousands(r.AccessesIgnored))
	}
	if r.Waiting > 0 {
		p.Say("%s would wait for a person's decision\n", app.Quantity(r.Waiting, "pair"))
	}
}

func left(n int, one, more string) string {
	if n == 1 {
		return "1 " + one
	}
	return app.Thousands(n) + " " + more
}

// largestIndex names the index with most entries, but for the archive's.
func largestIndex(m simulate.Tally) string {
	best := ""
	for file, n := range m.Indexes {
		if file == memory.ArchiveDir+"/_index.json" {
			continue
		}
		if most := m.Indexes[best]; best == "" || n > most || n == most && file < best {
			best = file
		}
	}
	if best == "" {
		return "-"
	}
	return strconv.Itoa(m.Indexes[best]) + " " + best
}
