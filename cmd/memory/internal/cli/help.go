package cli

import (
	"strings"

	urfave "github.com/urfave/cli/v2"
)

func helpCommand() *command {
	return &command{
		args:    "[COMMAND]",
		purpose: "explain a command",
		example: "memory help consolidate",
		flags: []urfave.Flag{
			&urfave.BoolFlag{Name: "man", Usage: "print the page of the manual, for man -l -"},
		},
		most: 1, textOnly: true,
		run: func(c *call) error {
			var cmd *command
			if len(c.args) > 0 {
				if cmd = c.all.find(c.args[0]); cmd == nil {
					return unknownCommand(c.all, c.args[0])
				}
			}
			if c.flags.Bool("man") {
				c.printf("%s", manual(c.all, cmd))
				return nil
			}
			return c.help(cmd)
		},
		words: func(c *call) []string { return c.all.names() },
	}
}

// help prints what a command is for; without one, what there is.
func (c *call) help(cmd *command) error {
	if cmd == nil {
		c.overview()
		return nil
	}
	c.printf("%s: %s\n\nUsage:\n  memory %s\n", c.style.bold("memory "+cmd.name), cmd.purpose, cmd.synopsis())
	if cmd.detail != "" {
		c.printf("\n%s\n", cmd.detail)
	}
	if len(cmd.flags) > 0 {
		c.printf("\nOptions:\n%s", flagTable(cmd.flags).format("  ", c.style))
	}
	c.printf("\nExample:\n  %s\n", strings.ReplaceAll(cmd.example, "\n", "\n  "))
	c.printf("\n%s\n", c.style.dim(`Every command takes --workspace, --json, --at, --quiet and --verbose: see "memory help".`))
	return nil
}

func (c *call) overview() {
	c.printf("%s keeps folders of coding agents' memories healthy: it merges duplicates,\n", c.style.bold("memory"))
	c.printf("shortens, promotes and archives by rules, shows its plan first and loses nothing.\n\n")
	c.printf("Usage:\n  memory COMMAND [options]\n")
	for _, group := range groups {
		t := &table{}
		for _, e := range c.all {
			if e.group == group {
				t.row(pad(e.name, 11), e.build().purpose)
			}
		}
		c.printf("\n%s:\n%s", group, t.format("  ", c.style))
	}
	c.printf("\nOptions of every command:\n%s", flagTable(globalFlags()).format("  ", c.style))
	c.printf("\nBegin with \"memory demo\"; \"memory help COMMAND\" tells more.\n")
}

func pad(text string, n int) string {
	return text + strings.Repeat(" ", max(n-columns(text), 0))
}

// flagTable lists flags with their values and what they are for.
func flagTable(flags []urfave.Flag) *table {
	t := &table{}
	for _, f := range flags {
		doc, ok := f.(urfave.DocGenerationFlag)
		if !ok {
			continue
		}
		name := ""
		for i, n := range f.Names() {
			if i > 0 {
				name += ", "
			}
			name += strings.Repeat("-", min(len(n), 2)) + n
		}
		value, usage := placeholder(doc.GetUsage())
		if value == "" && doc.TakesValue() {
			value = strings.ToUpper(f.Names()[0])
		}
		if value != "" {
			name += " " + value
		}
		if text := doc.GetDefaultText(); text != "" && doc.TakesValue() && text != `""` && text != "0" {
			usage += " [" + strings.Trim(text, `"`) + "]"
		}
		t.row(name, usage)
	}
	return t
}

// placeholder takes the name of the value out of a flag's usage, where it stands
// between back quotes.
func placeholder(usage string) (value, text string) {
	before, rest, ok := strings.Cut(usage, "`")
	if !ok {
		return "", usage
	}
	value, after, _ := strings.Cut(rest, "`")
	return value, before + value + after
}
