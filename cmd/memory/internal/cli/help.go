package cli

import (
	"fmt"
	"strings"
	"unicode"

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

// manual writes a page of the manual in the macros of man(7): that of a command, or without one
// that of the program. It says what help does, and is made from the same.
func manual(all commandTable, cmd *command) string {
	name := "memory"
	if cmd != nil {
		name += "-" + cmd.name
	}
	p := &manPage{}
	p.macro("TH", strings.ToUpper(name), "1", "", "memory "+thisBuild().Version, "memory")
	if cmd != nil {
		p.ofCommand(name, cmd)
	} else {
		p.ofProgram(all)
	}
	return p.String()
}

func (p *manPage) ofCommand(name string, cmd *command) {
	p.macro("SH", "NAME")
	p.line(name + " - " + cmd.purpose)
	p.macro("SH", "SYNOPSIS")
	p.line("memory " + cmd.synopsis())
	if cmd.detail != "" {
		p.macro("SH", "DESCRIPTION")
		p.asItIs(cmd.detail)
	}
	if len(cmd.flags) > 0 {
		p.macro("SH", "OPTIONS")
		p.options(cmd.flags)
	}
	p.macro("SH", "EXAMPLES")
	p.asItIs(cmd.example)
	p.macro("SH", "SEE ALSO")
	p.line("memory(1), which tells of the options of every command and of exit codes")
}

func (p *manPage) ofProgram(all commandTable) {
	p.macro("SH", "NAME")
	p.line("memory - keeps folders of coding agents' memories healthy")
	p.macro("SH", "SYNOPSIS")
	p.line("memory COMMAND [options]")
	p.macro("SH", "DESCRIPTION")
	p.line("It merges duplicates, shortens, promotes and archives by rules, shows its plan first and loses nothing. Begin with: memory demo")
	for _, group := range groups {
		p.macro("SS", group)
		for _, e := range all {
			if e.group == group {
				p.item("memory-"+e.name+"(1)", e.build().purpose)
			}
		}
	}
	p.macro("SH", "OPTIONS")
	p.options(globalFlags())
	p.macro("SH", "EXIT STATUS")
	for code, meaning := range exitMeanings {
		p.item(fmt.Sprint(code), meaning)
	}
	p.macro("SH", "ENVIRONMENT")
	p.item("MEMORY_WORKSPACE", "the memory folder, as --workspace")
	p.item("MEMORY_AT", "work as of this time, as --at")
	p.item("MEMORY_AGENT", "the author of what is saved, and the agent that is given memories")
	p.item("MEMORY_<SECTION>_<SETTING>", "a setting of memory.toml; \"memory config\" names them all")
	p.macro("SH", "FILES")
	p.item("memory.toml", "the settings of a workspace, and the mark of one")
}

// manPage is a page that is being written.
type manPage struct{ strings.Builder }

// macro writes a macro with its arguments.
func (p *manPage) macro(name string, args ...string) {
	p.WriteString("." + name)
	for _, a := range args {
		p.WriteString(` "` + strings.ReplaceAll(roff(a), `"`, `\(dq`) + `"`)
	}
	p.WriteString("\n")
}

// line writes one line of running text.
func (p *manPage) line(text string) { p.WriteString(roff(text) + "\n") }

// asItIs writes text with its line ends.
func (p *manPage) asItIs(text string) {
	p.macro("nf")
	for line := range strings.SplitSeq(text, "\n") {
		p.line(line)
	}
	p.macro("fi")
}

func (p *manPage) item(name, text string) {
	p.macro("TP")
	p.macro("B", name)
	p.line(text)
}

func (p *manPage) options(flags []urfave.Flag) {
	for _, row := range flagTable(flags).rows {
		p.item(row[0], row[1])
	}
}

// roff escapes a line: a backslash; hyphens and quotes, which else become other characters; what
// isn't ASCII; and a dot at the beginning, which else begins a macro.
func roff(line string) string {
	var b strings.Builder
	if strings.HasPrefix(line, ".") {
		b.WriteString(`\&`)
	}
	for _, r := range line {
		switch {
		case r == '\\':
			b.WriteString(`\e`)
		case r == '-':
			b.WriteString(`\-`)
		case r == '`':
			b.WriteString(`\(ga`)
		case r == '\'':
			b.WriteString(`\(aq`)
		case r > unicode.MaxASCII:
			fmt.Fprintf(&b, `\[u%04X]`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
