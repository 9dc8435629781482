package cli

import (
	"github.com/memoryd/memoryd/cmd/memory/internal/app"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/rules"
)

func explainCommand() *command {
	return &command{
		args:    "ID",
		purpose: "say why the rules would change a memory, or why not",
		detail:  `For an archived memory it says when and why it was archived.`,
		example: "memory explain mem_k3x9q0a7b2cd",
		least:   1, most: 1, needs: needsSettings | needsSnapshot, run: runExplain, words: allIDs,
	}
}

func runExplain(c *call) error {
	secret, err := c.secretRules()
	if err != nil {
		return err
	}
	m, err := one(c.snap, c.args[0])
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
		return c.printJSON(app.NewArchivedDocument(c.snap, m))
	}
	c.printf("%s\n  archived: %s\n  no rule looks at it; \"memory restore %s\" brings it back\n",
		c.style.bold(printable(m.ID)), printable(c.archivedText(c.snap, m)), printable(m.ID))
	return nil
}
