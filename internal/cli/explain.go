package cli

import (
	"fmt"
	"strings"

	"github.com/memoryd/memoryd/internal/document"
	"github.com/memoryd/memoryd/internal/op/find"
	"github.com/memoryd/memoryd/internal/term"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/rules"
)

func explainCommand() *command {
	return &command{
		args:    "ID",
		purpose: "say why the rules would change a memory, or why not",
		detail:  `For an archived memory it says when and why it was archived.`,
		page:    "troubleshooting.md",
		example: "memory explain mem_k3x9q0a7b2cd",
		least:   1, most: 1, needs: needsSettings | needsSnapshot, run: runExplain, words: allIDs,
	}
}

func runExplain(c *call) error {
	secret, err := c.secretRules()
	if err != nil {
		return err
	}
	m, err := find.One(c.snap, c.args[0])
	if err != nil {
		return err
	}
	if m.Archived {
		return c.explainArchived(m)
	}
	x := rules.Explain(c.snap, rules.Request{Settings: c.conf.Settings, Secrets: secret, LogHead: c.store.Log().Head()}, m)
	if c.json {
		return c.printJSON(x)
	}
	c.printExplanation(m, x)
	return nil
}

// explainArchived says how a memory came into the archive.
func (c *call) explainArchived(m *memory.Memory) error {
	if c.json {
		return c.printJSON(document.NewInArchive(c.snap, m))
	}
	c.printf("%s\n  archived: %s\n  no rule looks at it; \"memory restore %s\" brings it back\n",
		c.style.Bold(term.Legible(m.ID)), term.Legible(c.archivedText(c.snap, m)), term.Legible(m.ID))
	return nil
}

// printExplanation prints, rule by rule, what the rules make of a memory.
func (c *call) printExplanation(m *memory.Memory, x rules.Explanation) {
	summary, _ := m.Summary()
	c.printf("%s  %s\n", c.style.Bold(term.Legible(x.MemoryID)), c.style.Dim(term.Legible(x.Place)))
	if summary != "" {
		c.printf("  %s\n", term.Legible(summary))
	}
	c.printf("\n%s\n", c.style.Bold("May a rule change it at all?"))
	c.printConditions(x.Exclusions)
	for _, v := range x.Verdicts {
		text := term.Legible(v.Outcome)
		if strings.HasPrefix(text, "does not apply") {
			text = c.style.Dim("does not apply") // what it lacks stands below
		}
		c.printf("\n%s: %s\n", c.style.Bold(v.Rule), text)
		c.printConditions(v.Conditions)
	}
	if len(x.Neighbours) == 0 {
		return
	}
	c.printf("\n%s\n", c.style.Bold("Most alike"))
	for _, n := range x.Neighbours {
		text := fmt.Sprintf("content %.2f, tags %.2f", n.ContentSimilarity, n.TagOverlap)
		if n.Apart != "" {
			text += ", " + n.Apart
		}
		c.printf("  %s  %s\n", term.Legible(n.MemoryID), term.Legible(text))
		for _, d := range n.Differences {
			c.printf("    differs: %s\n", term.Legible(d))
		}
	}
}

// printConditions prints what is asked of a memory, whether it holds, and the
// value it was judged by.
func (c *call) printConditions(conditions []rules.Condition) {
	for _, cond := range conditions {
		mark := c.style.Red("✗")
		if cond.Met {
			mark = c.style.Green("✓")
		}
		c.printf("  %s %s: %s\n", mark, term.Legible(cond.What), term.Legible(cond.Is))
	}
}
