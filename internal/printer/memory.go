package printer

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/memoryd/memoryd/internal/app"
	"github.com/memoryd/memoryd/internal/document"
	"github.com/memoryd/memoryd/internal/op/find"
	"github.com/memoryd/memoryd/internal/op/saving"
	"github.com/memoryd/memoryd/internal/term"
	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/enrich"
	"github.com/memoryd/memoryd/pkg/forecast"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/retention"
	"github.com/memoryd/memoryd/pkg/rules"
	"github.com/memoryd/memoryd/pkg/secrets"
)

// Saved says what became of a memory besides being saved.
func Saved(p *Printer, out document.Saved) {
	for _, f := range out.Redacted {
		p.Say("redacted: %s\n", term.Printable(f.String()))
	}
	if len(out.Supersedes) > 0 {
		p.Say("supersedes %s\n", term.Printable(strings.Join(out.Supersedes, ", ")))
	}
	switch out.Status {
	case saving.Merged:
		p.Say("%s\n  to save it as it is: --no-check", term.Printable(saving.Merging(&out)))
		if out.Says == rules.SaysMore {
			p.Say("; the text before: memory show %s --original", term.Printable(out.ID))
		}
		if out.RunID != "" {
			p.Say("; to take it back: memory undo %s", out.RunID)
		}
		p.Say("\n")
	case saving.Flagged:
		p.Say("flagged: %s\n", term.Printable(saving.Flagging(&out)))
		for _, d := range out.Differences {
			p.Say("  %s  %s\n", app.DifferenceVerb(out.Reason), term.Printable(d))
		}
		p.Say("  memory review %s\n", out.PairID)
	}
}

// Redacted says which secrets were taken out of a text.
func Redacted(p *Printer, found []secrets.Finding) {
	for _, f := range found {
		p.Say("redacted: %s\n", term.Printable(f.String()))
	}
}

// Clusters lists clusters.
func Clusters(p *Printer, docs []document.Cluster) {
	t := &term.Table{Head: []string{"ID", "MEMORIES", "ALIKE", "STATE", "SCOPE", "TITLE"}, Right: map[int]bool{1: true}, Spare: []int{4, 2}, Cut: true}
	for _, d := range docs {
		t.Row(d.ID, fmt.Sprint(len(d.Members)), fmt.Sprintf("%.2f", d.Coherence), string(d.State), d.Scope, d.Title)
	}
	p.Printf("%s", t.Format("", p.Style))
}

// Cluster prints a cluster with its memories.
func Cluster(p *Printer, d document.Cluster, of enrich.Cluster) {
	p.Printf("%s\n", p.Style.Bold(term.Printable(d.ID)))
	var common []string
	for _, what := range d.Common {
		common = append(common, what.Kind+" "+what.Value)
	}
	t := p.Facts()
	t.Fact("title", d.Title)
	t.Fact("scope", d.Scope)
	t.Fact("state", string(d.State))
	t.Fact("alike", fmt.Sprintf("%.2f", d.Coherence))
	t.Fact("common", strings.Join(common, ", "))
	p.Printf("%s\n", t.Format("  ", p.Style))
	list := &term.Table{Cut: true}
	for _, m := range of.Members {
		line, _ := m.Summary()
		list.Row(m.ID, line)
	}
	p.Printf("%s", list.Format("  ", p.Style))
}

// Archived says how a memory came into the archive.
func Archived(p *Printer, snap *memory.Snapshot, m *memory.Memory) error {
	if p.JSON {
		return p.PrintJSON(document.NewArchived(snap, m))
	}
	p.Printf("%s\n  archived: %s\n  no rule looks at it; \"memory restore %s\" brings it back\n",
		p.Style.Bold(term.Legible(m.ID)), term.Legible(archivedText(p, snap, m)), term.Legible(m.ID))
	return nil
}

// Explanation prints, rule by rule, what the rules make of a memory.
func Explanation(p *Printer, m *memory.Memory, x rules.Explanation) {
	summary, _ := m.Summary()
	p.Printf("%s  %s\n", p.Style.Bold(term.Legible(x.MemoryID)), p.Style.Dim(term.Legible(x.Place)))
	if summary != "" {
		p.Printf("  %s\n", term.Legible(summary))
	}
	for line := range strings.Lines(alsoText(p, m)) {
		p.Printf("  %s\n", p.Style.Dim(term.Legible(strings.TrimRight(line, "\n"))))
	}
	p.Printf("\n%s\n", p.Style.Bold("May a rule change it at all?"))
	printConditions(p, x.Exclusions)
	for _, v := range x.Verdicts {
		text := term.Legible(v.Outcome)
		if strings.HasPrefix(text, "does not apply") {
			text = p.Style.Dim("does not apply") // what it lacks stands below
		}
		p.Printf("\n%s: %s\n", p.Style.Bold(v.Rule), text)
		printConditions(p, v.Conditions)
	}
	if len(x.Neighbours) == 0 {
		return
	}
	p.Printf("\n%s\n", p.Style.Bold("Most alike"))
	for _, n := range x.Neighbours {
		text := fmt.Sprintf("content %.2f, tags %.2f", n.ContentSimilarity, n.TagOverlap)
		if n.Apart != "" {
			text += ", " + n.Apart
		}
		p.Printf("  %s  %s\n", term.Legible(n.MemoryID), term.Legible(text))
		for _, d := range n.Differences {
			p.Printf("    differs: %s\n", term.Legible(d))
		}
	}
}

// printConditions prints each condition of a rule, whether it holds, and the
// value it was judged by.
func printConditions(p *Printer, conditions []rules.Condition) {
	for _, cond := range conditions {
		mark := p.Style.Red("✗")
		if cond.Met {
			mark = p.Style.Green("✓")
		}
		p.Printf("  %s %s: %s\n", mark, term.Legible(cond.What), term.Legible(cond.Is))
	}
}

// actionWords name what happens to a memory for people.
var actionWords = map[string]string{
	oplog.Merge: "merge", oplog.Promote: "promote", oplog.Summarize: "summarise", oplog.Archive: "archive",
}

// Forecast prints what happens, the soonest first; what never does only where it
// was named.
func Forecast(p *Printer, at time.Time, told []forecast.Forecast, totals map[string]int, named bool) {
	t := &term.Table{Head: []string{"WHEN", "IN", "ACTION", "ID", "WHY"}, Right: map[int]bool{1: true}, Cut: true, Spare: []int{1}}
	for _, f := range told {
		switch {
		case f.Action != "":
			why := f.Detail
			if f.Result != "" && f.Result != f.Memory.ID {
				why = strings.TrimPrefix(fmt.Sprintf("%s; into %s", why, f.Result), "; ")
			}
			t.Row(soon(p, at, f.At), ahead(f.At.Sub(at)), actionWords[f.Action], f.Memory.ID, why)
		case named || p.Verbose:
			why := "no rule has a reason to"
			if f.Never.Reason != "" {
				why = app.Reason(f.Never.Reason) + ": " + f.Never.Detail
			}
			t.Row("never", "", "", f.Memory.ID, why)
		}
	}
	if len(t.Rows) > 0 {
		p.Printf("%s", t.Format("", p.Style))
	}
	var parts []string
	for _, what := range []string{oplog.Merge, oplog.Promote, oplog.Summarize, oplog.Archive} {
		if n := totals[what]; n > 0 {
			parts = append(parts, app.Thousands(n)+" to "+actionWords[what])
		}
	}
	if n := totals["never"]; n > 0 {
		parts = append(parts, app.Thousands(n)+" never to change")
	}
	p.Say("%s\n", p.Style.Dim(cmp.Or(strings.Join(parts, ", "), "no memories")))
}

// soon writes the time of something that will happen.
func soon(p *Printer, now, at time.Time) string {
	if !at.After(now) {
		return "at the next run"
	}
	return p.written(at, "2006-01-02 15:04:05 MST")
}

// ahead writes how far away something is.
func ahead(d time.Duration) string {
	switch {
	case d <= 0:
		return ""
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h", int(d.Hours()))
	}
	return fmt.Sprintf("%d days", int(d.Hours()/24))
}

// Change prints one change of the memory id.
func Change(p *Printer, id string, v document.Change) {
	if v.Type == document.Deleted {
		p.Printf("%s\n  to bring it back: memory restore %s\n", p.Style.Bold("deleted outside of memoryd"), term.Printable(id))
		return
	}
	if v.RunID == "" {
		p.Printf("%s\n", p.Style.Bold("edited by hand"))
	} else {
		p.Printf("%s\n", p.Style.Bold(term.Printable(v.RunID)))
		t := p.Facts()
		t.Fact("when", p.When(v.Time))
		t.Fact("what", v.Type)
		t.Fact("rule", v.Rule)
		t.Fact("undo of", v.UndoOf)
		switch {
		case v.From == v.To:
			t.Fact("place", v.To)
		case v.From == "":
			t.Fact("place", "new: "+v.To)
		case v.To == "":
			t.Fact("place", v.From+", taken away")
		default:
			t.Fact("place", v.From+" → "+v.To)
		}
		p.Printf("%s", t.Format("  ", p.Style))
	}
	if v.Diff == "" {
		p.Printf("  the same bytes\n")
		return
	}
	p.Printf("%s", term.Printable(v.Diff))
}

// List prints memories in a table, or their ids alone with --quiet.
func List(p *Printer, settings config.Settings, at time.Time, ms []*memory.Memory, found int) {
	ids := make([]string, len(ms))
	for i, m := range ms {
		ids[i] = m.ID
	}
	if p.IDs(ids...) {
		return
	}
	if found == 0 {
		p.Printf("no memories\n")
		return
	}
	t := &term.Table{
		Head:  []string{"ID", "TYPE", "SCOPE", "UPDATED", "READS", "TIER", "PRIORITY", "SUMMARY"},
		Right: map[int]bool{4: true}, Cut: true, Spare: []int{6, 4, 5, 3, 1},
		Paint: func(row, _ int, text string) string {
			if ms[row].Archived {
				return p.Style.Dim(text)
			}
			return text
		},
	}
	for _, m := range ms {
		summary, _ := m.Summary()
		if m.Archived {
			summary = "[archived] " + summary
		}
		t.Row(m.ID, cmp.Or(m.Type, "-"), m.Scope.String(), p.Day(m.Newest()), strconv.FormatInt(m.AccessCount, 10), retention.Of(m, at, settings).Tier.String(), cmp.Or(m.Priority, "-"), summary)
	}
	p.Printf("%s", t.Format("", p.Style))
	if len(ms) < found {
		p.Printf("%s\n", p.Style.Dim(app.Thousands(len(ms))+" of "+app.Quantity(found, "memory")))
	}
}

// tierText writes how many memories each tier has, "" where there are none.
func tierText(tiers map[string]int) string {
	var parts []string
	for _, name := range retention.TierNames() {
		if tiers[name] > 0 {
			parts = append(parts, app.Thousands(tiers[name])+" "+tierWord(name))
		}
	}
	return strings.Join(parts, ", ")
}

// tierWord is how people read the name of a tier: a live memory of the last one is not in the archive.
func tierWord(name string) string {
	if name == retention.Archived.String() {
		return "below cold"
	}
	return name
}

// scoreText writes a score with its parts.
func scoreText(s retention.Score) string {
	text := fmt.Sprintf("%s: score %.2f of recency %.2f, reads %.2f, importance %.2f", tierWord(s.Tier.String()), s.Score, s.Recency, s.Activation, s.Importance)
	if s.Superseded {
		text += ", superseded"
	}
	return text
}

// Records prints the bytes of the records; several as one document.
func Records(p *Printer, all []find.Shown) error {
	if len(all) > 1 {
		var doc document.Records
		for _, s := range all {
			doc.Records = append(doc.Records, s.Memory.Raw())
		}
		return p.PrintJSON(doc)
	}
	raw := all[0].Memory.Raw()
	_, err := p.Out.Write(append(raw[:len(raw):len(raw)], '\n'))
	return err
}

// Memory prints a record for people: what is known of it, then its content.
func Memory(p *Printer, settings config.Settings, snap *memory.Snapshot, s find.Shown) {
	m := s.Memory
	p.Printf("%s\n", p.Style.Bold(term.Printable(m.ID)))
	t := p.Facts()
	t.Fact("original", s.About)
	t.Fact("version", s.Version)
	t.Fact("place", m.Ref.String())
	t.Fact("type", kind(m))
	t.Fact("scope", m.Scope.String())
	t.Fact("tags", strings.Join(m.Tags, ", "))
	t.Fact("priority", m.Priority)
	t.Fact("written", writtenBy(p, m))
	t.Fact("origin", originText(p, m))
	t.Fact("read", readings(p, m.AccessCount, m.LastAccessed))
	if given := snap.LastGiven(m); given.N > 0 {
		t.Fact("given", readings(p, given.N, given.At))
	}
	if s.About == "" && s.Version == "" {
		t.Fact("tier", scoreText(retention.Of(m, snap.At, settings)))
	}
	t.Fact("ttl", m.TTL)
	if m.ReviewOn != "" {
		t.Fact("look again", "on "+m.ReviewOn)
	}
	t.Fact("found by", strings.Join(memory.Aliases(m), ", "))
	if m.Archived {
		t.Fact("archived", archivedText(p, snap, m))
	}
	replaced, partly := memory.ReplacedBy(m)
	for _, link := range []struct {
		name string
		ids  []string
	}{
		{"supersedes", m.Supersedes}, {"replaced by", replaced}, {"replaced in part by", partly},
		{"promoted to", m.PromotedTo}, {"made from", m.PromotedFrom}, {"references", document.References(m)},
	} {
		t.Fact(link.name, strings.Join(link.ids, ", "))
	}
	t.Fact("locked", m.Locked)
	p.Printf("%s", t.Format("  ", p.Style))
	if text := document.ContentText(m.Content()); text != "" {
		p.Printf("\n%s", document.Indent(term.Printable(strings.ReplaceAll(text, "\r\n", "\n")), "  "))
	}
	if also := alsoText(p, m); also != "" {
		p.Printf("\n%s", document.Indent(term.Printable(also), "  "))
	}
}

// alsoText lists the other wordings of a memory, each with the day on which it was written; "" for none.
func alsoText(p *Printer, m *memory.Memory) (lines string) {
	for _, v := range memory.Variants(m) {
		lines += "also: " + strings.ReplaceAll(strings.TrimSpace(v.Line()), "\n", "\n      ")
		if !v.Written.IsZero() {
			lines += ", " + p.Day(v.Written)
		}
		lines += "\n"
	}
	return lines
}

func kind(m *memory.Memory) string {
	if m.Subtype != "" {
		return m.Type + " / " + m.Subtype
	}
	return m.Type
}

func writtenBy(p *Printer, m *memory.Memory) string {
	text := p.When(m.CreatedAt)
	if m.CreatedBy != "" {
		text += " by " + m.CreatedBy
	}
	if !m.UpdatedAt.IsZero() && !m.UpdatedAt.Equal(m.CreatedAt) {
		text += ", updated " + p.When(m.UpdatedAt)
	}
	return text
}

// originText says who said a memory and when it came from elsewhere; "" for one that tells neither.
func originText(p *Printer, m *memory.Memory) string {
	switch {
	case m.Arrived.IsZero():
		return memory.SaidBy(m)
	case m.Origin == "":
		return "arrived " + p.When(m.Arrived)
	}
	return memory.SaidBy(m) + ", arrived " + p.When(m.Arrived)
}

// readings says how often a memory was read, or given, and when last.
func readings(p *Printer, n int64, last time.Time) string {
	switch {
	case n == 0 && last.IsZero():
		return "never"
	case last.IsZero():
		return app.Quantity(int(n), "time")
	}
	return app.Quantity(int(n), "time") + ", last " + p.When(last)
}

func archivedText(p *Printer, snap *memory.Snapshot, m *memory.Memory) string {
	origin, ok := memory.OriginOf(m, snap.Indexes)
	if !ok {
		return "where it came from isn't known"
	}
	return fmt.Sprintf("%s, %s, from %s", p.When(origin.ArchivedAt), origin.Reason, origin.Ref)
}
