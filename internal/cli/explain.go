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
	secret, err := secretRules(c)
	if err != nil {
		return err
	}
	m, err := find.One(c.snap, c.args[0])
	if err != nil {
		return err
	}
	if m.Archived {
		return explainArchived(c, m)
	}
	x := rules.Explain(c.snap, rules.Request{Settings: c.conf.Settings, Secrets: secret, LogHead: c.store.Log().Head()}, m)
	if c.json {
		return c.printJSON(document.NewExplanation(m, x))
	}
	printExplanation(&c.printer, m, x)
	return nil
}

// explainArchived says how a memory came into the archive.
func explainArchived(c *call, m *memory.Memory) error {
	if c.json {
		return c.printJSON(document.NewArchived(c.snap, m))
	}
	c.printf("%s\n  archived: %s\n  no rule looks at it; \"memory restore %s\" brings it back\n",
		c.style.Bold(term.Legible(m.ID)), term.Legible(archivedText(&c.printer, c.snap, m)), term.Legible(m.ID))
	return nil
}

// printExplanation prints, rule by rule, what the rules make of a memory.
func printExplanation(p *printer, m *memory.Memory, x rules.Explanation) {
	summary, _ := m.Summary()
	p.printf("%s  %s\n", p.style.Bold(term.Legible(x.MemoryID)), p.style.Dim(term.Legible(x.Place)))
	if summary != "" {
		p.printf("  %s\n", term.Legible(summary))
	}
	for line := range strings.Lines(alsoText(p, m)) {
		p.printf("  %s\n", p.style.Dim(term.Legible(strings.TrimRight(line, "\n"))))
	}
	p.printf("\n%s\n", p.style.Bold("May a rule change it at all?"))
	printConditions(p, x.Exclusions)
	for _, v := range x.Verdicts {
		text := term.Legible(v.Outcome)
		if strings.HasPrefix(text, "does not apply") {
			text = p.style.Dim("does not apply") // what it lacks stands below
		}
		p.printf("\n%s: %s\n", p.style.Bold(v.Rule), text)
		printConditions(p, v.Conditions)
	}
	if len(x.Neighbours) == 0 {
		return
	}
	p.printf("\n%s\n", p.style.Bold("Most alike"))
	for _, n := range x.Neighbours {
		text := fmt.Sprintf("content %.2f, tags %.2f", n.ContentSimilarity, n.TagOverlap)
		if n.Apart != "" {
			text += ", " + n.Apart
		}
		p.printf("  %s  %s\n", term.Legible(n.MemoryID), term.Legible(text))
		for _, d := range n.Differences {
			p.printf("    differs: %s\n", term.Legible(d))
		}
	}
}

// printConditions prints what is asked of a memory, whether it holds, and the
// value it was judged by.
func printConditions(p *printer, conditions []rules.Condition) {
	for _, cond := range conditions {
		mark := p.style.Red("✗")
		if cond.Met {
			mark = p.style.Green("✓")
		}
		p.printf("  %s %s: %s\n", mark, term.Legible(cond.What), term.Legible(cond.Is))
	}
}
