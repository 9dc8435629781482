package cli

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/recall"
)

func (c *call) printRecall(snap *memory.Snapshot, hits []recall.Found, leftOut int) {
	switch {
	case c.quiet && c.flags.Bool("reason"):
		return
	case c.quiet:
		for _, h := range hits {
			c.printf("%s\n", printable(h.Memory.ID))
		}
		return
	case len(hits) == 0:
		c.printf("no memories fit\n")
	case c.flags.Bool("full"):
		for i := range hits {
			if i > 0 {
				c.printf("\n")
			}
			c.printMemory(snap, shown{memory: hits[i].Memory, about: ""})
			if c.flags.Bool("explain") {
				c.printf("\n")
				c.printParts(&hits[i])
			}
		}
	case c.flags.Bool("explain"):
		for i := range hits {
			h := &hits[i]
			c.printf("%s  %s\n", c.style.bold(printable(h.Memory.ID)), oneLine.Replace(printable(c.hitLine(h))))
			c.printParts(h)
		}
	default:
		c.printHits(hits)
	}
	if leftOut > 0 {
		c.printf("%s\n", c.style.dim(quantity(leftOut, "colder memory")+" would stand among them: --mode deep or exhaustive"))
	}
}

func (c *call) printHits(hits []recall.Found) {
	t := &table{
		head: []string{"SCORE", "ID", "TYPE", "SCOPE", "WRITTEN", "SUMMARY"}, right: map[int]bool{0: true}, cut: true, spare: []int{3, 2, 4},
		paint: func(row, _ int, text string) string {
			if hits[row].Archived || len(hits[row].SupersededBy) > 0 {
				return c.style.dim(text)
			}
			return text
		},
	}
	for i := range hits {
		m := hits[i].Memory
		t.row(score(hits[i].Score), m.ID, or(m.Type, "-"), m.Scope.String(), c.day(m.Newest()), c.hitLine(&hits[i]))
	}
	c.printf("%s", t.format("", c.style))
}

// hitLine is the line that stands for a hit.
func (c *call) hitLine(h *recall.Found) string {
	line, _ := h.Memory.Summary()
	if len(h.SupersededBy) > 0 {
		line = "[superseded by " + strings.Join(h.SupersededBy, ", ") + "] " + line
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
func (c *call) printParts(h *recall.Found) {
	t := &table{right: map[int]bool{0: true}}
	t.row(score(h.Score), "score")
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
		{p.Priority, "priority " + or(h.Memory.Priority, "medium")}, {p.Reads, fmt.Sprintf("read %s", quantity(int(h.Memory.AccessCount), "time"))}, {p.Retention, "retention"},
		{p.Inherited, "inherited from what it supersedes"}, {p.Superseded, "superseded by " + strings.Join(h.SupersededBy, ", ")},
	} {
		if part.value != 0 {
			t.row(score(part.value), part.name)
		}
	}
	c.printf("%s", t.format("  ", c.style))
}

func score(x float64) string { return strconv.FormatFloat(x, 'f', 2, 64) }
