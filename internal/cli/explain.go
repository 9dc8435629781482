package cli

import (
	"github.com/memoryd/memoryd/internal/document"
	"github.com/memoryd/memoryd/internal/op/find"
	"github.com/memoryd/memoryd/internal/printer"
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
		return printer.Archived(&c.Printer, c.snap, m)
	}
	x := rules.Explain(c.snap, rules.Request{Settings: c.conf.Settings, Secrets: secret, LogHead: c.store.Log().Head()}, m)
	if c.JSON {
		return c.PrintJSON(document.NewExplanation(m, x))
	}
	printer.Explanation(&c.Printer, m, x)
	return nil
}
