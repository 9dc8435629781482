package cli

import (
	"fmt"
	"os"

	urfave "github.com/urfave/cli/v2"

	"github.com/memoryd/memoryd/internal/app"
	"github.com/memoryd/memoryd/internal/document"
	"github.com/memoryd/memoryd/internal/fail"
	"github.com/memoryd/memoryd/internal/op/edit"
	"github.com/memoryd/memoryd/internal/printer"
	"github.com/memoryd/memoryd/internal/term"
	"github.com/memoryd/memoryd/pkg/memory"
)

func aliasesCommand() *command {
	return &command{
		args:    "[FILE] [options]",
		purpose: "list memories without aliases, and take the list back filled in",
		detail: `Aliases are words by which somebody would search for a memory and which it does
not say: synonyms, another language. Search finds the memory by them; nothing
shows them. The list has one memory a line as JSON: id, title, text and an empty
list of aliases, those that are read most first. An agent or a person fills in 5
to 8 each. With FILE, a filled list (- is the standard input), it says what it
would write, and with --apply it does: one run, which undo takes back. Memories
that say something else by now are left out.`,
		example: "memory aliases --limit 20",
		page:    "rules.md#aliases",
		flags: []urfave.Flag{
			scopesFlag(),
			&urfave.IntFlag{Name: "limit", Usage: "list at most `N`", Value: 50},
			&urfave.BoolFlag{Name: "apply", Usage: "do it; without this nothing is written"},
			allowSecretFlag(),
		},
		least: 0, most: 1, writes: true, run: runAliases,
	}
}

func runAliases(c *call) error {
	scope, err := c.scopes()
	if err != nil {
		return err
	}
	conf, err := c.settings()
	if err != nil {
		return err
	}
	var list []document.Aliased
	filled := len(c.args) == 1
	switch {
	case c.flags.Bool("apply") && !filled:
		return fail.Usagef("--apply: which list?")
	case filled:
		text, err := []byte(nil), error(nil)
		if c.args[0] == "-" {
			text, err = c.readStdin()
		} else {
			text, err = os.ReadFile(c.path(c.args[0]))
		}
		if err == nil {
			list, err = document.ReadAliases(text)
		}
		if err != nil {
			return fmt.Errorf("take the aliases of %s: %w", c.args[0], err)
		}
	}
	store, snap, err := c.load()
	if err != nil {
		return err
	}
	if filled {
		actions, left, err := edit.AddAliases(store, conf.Settings, snap, list, edit.Options{Secrets: secretsOf(c.flags)})
		if err != nil {
			return err
		}
		if len(left) > 0 {
			c.Note("%s changed or archived since the list was made, and left out: %s", app.Quantity(len(left), "memory"), term.Printable(app.First(left, 6)))
		}
		if !c.flags.Bool("apply") && !c.dryRun() && len(actions) > 0 {
			return tellAliases(c, actions)
		}
		return applyEdits(c, actions, "no new alias in the list")
	}
	if err := unknownChosen(c, snap); err != nil {
		return err
	}
	limit, err := c.limit()
	if err != nil {
		return err
	}
	doc := edit.Unaliased(snap, func(m *memory.Memory) bool { return scope == nil || scope.Covers(m.Scope) }, limit)
	if c.JSON {
		return c.PrintJSON(doc)
	}
	for _, one := range doc.Memories {
		line, err := document.Marshal(one)
		if err != nil {
			return err
		}
		c.Printf("%s\n", line)
	}
	if rest := doc.Total - len(doc.Memories); rest > 0 || doc.Total == 0 {
		c.Note("%s more without aliases", app.Quantity(rest, "memory"))
	}
	return nil
}

// tellAliases says what a filled list would write.
func tellAliases(c *call, actions []memory.Action) error {
	if c.JSON {
		return printer.Would(&c.Printer, memory.Command(c.snap, c.store.Log().Head(), actions...))
	}
	for i := range actions {
		c.Say("%s: %s\n", term.Printable(actions[i].MemoryID), term.Printable(actions[i].Detail))
	}
	c.Say("nothing was written. To do it: --apply\n")
	return nil
}
