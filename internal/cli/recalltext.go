package cli

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/memoryd/memoryd/internal/document"
	"github.com/memoryd/memoryd/internal/op/find"
	"github.com/memoryd/memoryd/internal/term"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/recall"
)

// printRecall prints hits, of which the first within are of the mode that was asked for.
func printRecall(c *call, snap *memory.Snapshot, q *recall.Query, hits []recall.Found, within, leftOut int) {
	switch {
	case c.quiet && c.flags.Bool("answer"):
		return
	case c.quiet:
		for _, h := range hits {
			c.ids(h.Memory.ID)
		}
		return
	case len(hits) == 0 && q.Mode == recall.Reflexive:
		c.printf("no hot memories fit: --mode standard looks further back\n")
	case len(hits) == 0:
		c.printf("no memories fit\n")
	}
	own := slices.IndexFunc(hits[:within], func(h recall.Found) bool { return h.Elsewhere })
	if own < 0 {
		own = within
	}
	printFound(c, snap, hits[:own], false)
	if own < within {
		if own > 0 {
			c.printf("\n")
		}
		c.printf("%s\n", c.style.Dim("of other projects:"))
		printFound(c, snap, hits[own:within], false)
	}
	if len(hits) > within {
		head := "colder and archived memories, because little else fits:"
		if within == 0 {
			head = "nothing else fits but colder and archived memories:"
		} else {
			c.printf("\n")
		}
		c.printf("%s\n", c.style.Dim(head))
		printFound(c, snap, hits[within:], true)
		if i := slices.IndexFunc(hits, func(h recall.Found) bool { return h.Beyond && h.Memory.Archived }); i >= 0 {
			c.printf("%s\n", c.style.Dim("to bring one back from the archive: memory restore "+term.Printable(hits[i].Memory.ID)))
		}
	}
	if leftOut > 0 {
		c.printf("%s\n", c.style.Dim(quantity(leftOut, "colder memory")+" may match too: show them with --mode deep or exhaustive"))
	}
}

// printFound prints hits as the flags ask, those that the mode leaves out with their tier.
func printFound(c *call, snap *memory.Snapshot, hits []recall.Found, tiers bool) {
	switch {
	case len(hits) == 0:
	case c.flags.Bool("full"):
		for i := range hits {
			if i > 0 {
				c.printf("\n")
			}
			printMemory(c, snap, find.Shown{Memory: hits[i].Memory})
			if c.flags.Bool("explain") {
				c.printf("\n")
				printParts(&c.printer, &hits[i])
			}
		}
	case c.flags.Bool("explain"):
		for i := range hits {
			h := &hits[i]
			c.printf("%s  %s\n", c.style.Bold(term.Printable(h.Memory.ID)), term.OneLine(term.Printable(hitLine(c, h))))
			printParts(&c.printer, h)
		}
	default:
		printHits(c, hits, tiers)
	}
}

func printHits(c *call, hits []recall.Found, tiers bool) {
	t := &term.Table{
		Head: []string{"SCORE", "ID", "TYPE", "SCOPE", "WRITTEN", "SUMMARY"}, Right: map[int]bool{0: true}, Cut: true, Spare: []int{3, 2, 4},
		Paint: func(row, _ int, text string) string {
			if hits[row].Archived || hits[row].Beyond || len(hits[row].SupersededBy)+len(hits[row].Newer) > 0 {
				return c.style.Dim(text)
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
			kind = document.TierOf(m, c.at, *c.scored())
		}
		t.Row(score(hits[i].Score), m.ID, kind, m.Scope.String(), c.day(m.Newest()), hitLine(c, &hits[i]))
	}
	c.printf("%s", t.Format("", c.style))
}

// hitLine is the line that stands for a hit.
func hitLine(c *call, h *recall.Found) string {
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
	if gone := c.marks.Of(h.Memory); gone != "" {
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
func printParts(out *printer, h *recall.Found) {
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
		{p.Priority, "priority " + cmp.Or(h.Memory.Priority, "medium")}, {p.Reads, fmt.Sprintf("read %s", quantity(int(h.Memory.AccessCount), "time"))}, {p.Retention, "retention"},
		{p.Inherited, "inherited from what it supersedes"}, {p.Superseded, "superseded by " + strings.Join(h.SupersededBy, ", ")},
	} {
		if part.value != 0 {
			t.Row(score(part.value), part.name)
		}
	}
	out.printf("%s", t.Format("  ", out.style))
}

func score(x float64) string { return strconv.FormatFloat(x, 'f', 2, 64) }
