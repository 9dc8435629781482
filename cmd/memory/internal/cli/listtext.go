package cli

import (
	"strconv"

	"github.com/memoryd/memoryd/pkg/memory"
)

// printList prints memories in a table, or their ids alone with --quiet.
func (c *call) printList(ms []*memory.Memory, found int) {
	if c.quiet {
		for _, m := range ms {
			c.printf("%s\n", printable(m.ID))
		}
		return
	}
	if found == 0 {
		c.printf("no memories\n")
		return
	}
	t := &table{
		head:  []string{"ID", "TYPE", "SCOPE", "UPDATED", "READS", "TIER", "PRIORITY", "SUMMARY"},
		right: map[int]bool{4: true}, cut: true, spare: []int{6, 4, 5, 3, 1},
		paint: func(row, _ int, text string) string {
			if ms[row].Archived {
				return c.style.dim(text)
			}
			return text
		},
	}
	for _, m := range ms {
		summary, _ := m.Summary()
		if m.Archived {
			summary = "[archived] " + summary
		}
		t.row(m.ID, or(m.Type, "-"), m.Scope.String(), c.day(m.Newest()), strconv.FormatInt(m.AccessCount, 10), c.score(m).Tier.String(), or(m.Priority, "-"), summary)
	}
	c.printf("%s", t.format("", c.style))
	if len(ms) < found {
		c.printf("%s\n", c.style.dim(thousands(len(ms))+" of "+quantity(found, "memory")))
	}
}

// or is text, or another where that is empty.
func or(text, instead string) string {
	if text == "" {
		return instead
	}
	return text
}
