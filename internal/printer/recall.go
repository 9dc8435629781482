package printer

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/memoryd/memoryd/internal/app"
	"github.com/memoryd/memoryd/internal/document"
	"github.com/memoryd/memoryd/internal/op/find"
	"github.com/memoryd/memoryd/internal/term"
	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/recall"
)

// Answer prints an answer for people. What nobody requested is printed only if it says something.
func Answer(p *Printer, doc *document.Answer, asked bool) {
	switch {
	case doc == nil || !asked && (doc.Answer == nil || p.Quiet):
		return
	case doc.Answer == nil:
		p.Say("no answer: %s\n\n", term.Printable(cmp.Or(doc.Reasoning, "the memories don't say")))
		return
	case p.Quiet:
		p.Text = true // --answer
		p.Printf("%s\n", term.OneLine(term.Printable(*doc.Answer)))
		return
	}
	p.Printf("%s\n", p.Style.Bold(term.OneLine(term.Printable(*doc.Answer))))
	t := p.Facts()
	how := "confidence " + score(doc.Confidence) + ", by " + doc.By
	if doc.RequiresInference {
		how += ", concluded"
	}
	t.Row("how sure", how)
	if doc.Reasoning != "" {
		t.Row("why", term.OneLine(term.Printable(doc.Reasoning)))
	}
	for _, s := range doc.Sources {
		t.Row("source", term.Printable(s.MemoryID)+": "+term.OneLine(term.Printable(s.Quote)))
	}
	p.Printf("%s\n", t.Format("  ", p.Style))
}

// Recalled is what a search found, and how it is to be printed.
type Recalled struct {
	Snapshot *memory.Snapshot
	Settings config.Settings
	Query    *recall.Query
	Hits     []recall.Found
	Within   int       // the first of the hits, which are of the mode of the query
	LeftOut  int       // hits that the mode leaves out
	Marks    app.Marks // what memories name and the code no longer has

	Answered      bool // with --answer: with --quiet it is all
	Full, Explain bool // the whole record; what the score is made of
}

// Recall prints hits.
func Recall(p *Printer, r *Recalled) {
	hits, within := r.Hits, r.Within
	switch {
	case p.Quiet && r.Answered:
		return
	case p.Quiet:
		for _, h := range hits {
			p.IDs(h.Memory.ID)
		}
		return
	case len(hits) == 0 && r.Query.Mode == recall.Reflexive:
		p.Printf("no hot memories fit: --mode standard looks further back\n")
	case len(hits) == 0:
		p.Printf("no memories fit\n")
	}
	own := slices.IndexFunc(hits[:within], func(h recall.Found) bool { return h.Elsewhere })
	if own < 0 {
		own = within
	}
	printFound(p, r, hits[:own], false)
	if own < within {
		if own > 0 {
			p.Printf("\n")
		}
		p.Printf("%s\n", p.Style.Dim("of other projects:"))
		printFound(p, r, hits[own:within], false)
	}
	if len(hits) > within {
		head := "colder and archived memories, because little else fits:"
		if within == 0 {
			head = "nothing else fits but colder and archived memories:"
		} else {
			p.Printf("\n")
		}
		p.Printf("%s\n", p.Style.Dim(head))
		printFound(p, r, hits[within:], true)
		if i := slices.IndexFunc(hits, func(h recall.Found) bool { return h.Beyond && h.Memory.Archived }); i >= 0 {
			p.Printf("%s\n", p.Style.Dim("to bring one back from the archive: memory restore "+term.Printable(hits[i].Memory.ID)))
		}
	}
	if r.LeftOut > 0 {
		p.Printf("%s\n", p.Style.Dim(app.Quantity(r.LeftOut, "colder memory")+" may match too: show them with --mode deep or exhaustive"))
	}
}

// printFound prints hits as the flags ask, those that the mode leaves out with their tier.
func printFound(p *Printer, r *Recalled, hits []recall.Found, tiers bool) {
	switch {
	case len(hits) == 0:
	case r.Full:
		for i := range hits {
			if i > 0 {
				p.Printf("\n")
			}
			Memory(p, r.Settings, r.Snapshot, find.Shown{Memory: hits[i].Memory})
			if r.Explain {
				p.Printf("\n")
				printParts(p, &hits[i])
			}
		}
	case r.Explain:
		for i := range hits {
			h := &hits[i]
			p.Printf("%s  %s\n", p.Style.Bold(term.Printable(h.Memory.ID)), term.OneLine(term.Printable(hitLine(h, r.Marks))))
			printParts(p, h)
		}
	default:
		printHits(p, r, hits, tiers)
	}
}

func printHits(p *Printer, r *Recalled, hits []recall.Found, tiers bool) {
	t := &term.Table{
		Head: []string{"SCORE", "ID", "TYPE", "SCOPE", "WRITTEN", "SUMMARY"}, Right: map[int]bool{0: true}, Cut: true, Spare: []int{3, 2, 4},
		Paint: func(row, _ int, text string) string {
			if hits[row].Archived || hits[row].Beyond || len(hits[row].SupersededBy)+len(hits[row].Newer) > 0 {
				return p.Style.Dim(text)
			}
			return text
		},
	}
	if tiers {
		t.Head[2] = "TIER"
	}
	for i := range hits {
		m := hits[i].Memory
		kind := cmp.Or(m.Type, "-")
		if tiers {
			kind = document.TierOf(m, r.Snapshot.At, r.Settings)
		}
		t.Row(score(hits[i].Score), m.ID, kind, m.Scope.String(), p.Day(m.Newest()), hitLine(&hits[i], r.Marks))
	}
	p.Printf("%s", t.Format("", p.Style))
}

// hitLine is the line that stands for a hit.
func hitLine(h *recall.Found, marks app.Marks) string {
	line := h.Line()
	if len(h.SupersededBy) > 0 {
		line = "[superseded by " + strings.Join(h.SupersededBy, ", ") + "] " + line
	}
	for _, n := range h.Newer {
		line = "[" + n.String() + "] " + line
	}
	if len(h.Copies) > 0 {
		line = "[also " + strings.Join(h.Copies, ", ") + "] " + line
	}
	if gone := marks.Of(h.Memory); gone != "" {
		line = "[outdated: " + gone + "] " + line
	}
	if h.Loose() {
		line = "[loose] " + line
	}
	if h.Archived {
		line = "[archived] " + line
	}
	return line
}

// printParts prints what a score is made of.
func printParts(out *Printer, h *recall.Found) {
	t := &term.Table{Right: map[int]bool{0: true}}
	t.Row(score(h.Score), "score")
	p := &h.Parts
	var like []string
	for _, w := range h.Like {
		like = append(like, "like "+w)
	}
	for _, part := range []struct {
		value float64
		name  string
	}{
		{p.Listed, "listed without a query"}, {p.Words, "words: " + strings.Join(slices.Concat(h.Words, like), ", ")}, {p.Related, "words of the best hits"}, {p.Neighbours, "words in the neighbours in its session"},
		{p.Session, "words in its session"}, {p.People, "people named"}, {p.Title, "its title is the query"}, {p.Time, "time named"}, {p.Meaning, "meaning"}, {p.Recency, "recency"},
		{p.Priority, "priority " + cmp.Or(h.Memory.Priority, "medium")}, {p.Reads, fmt.Sprintf("read %s", app.Quantity(int(h.Memory.AccessCount), "time"))}, {p.Retention, "retention"},
		{p.Inherited, "inherited from what it supersedes"}, {p.Superseded, "superseded by " + strings.Join(h.SupersededBy, ", ")},
	} {
		if part.value != 0 {
			t.Row(score(part.value), part.name)
		}
	}
	out.Printf("%s", t.Format("  ", out.Style))
}

func score(x float64) string { return strconv.FormatFloat(x, 'f', 2, 64) }
