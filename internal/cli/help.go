package cli

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"

	urfave "github.com/urfave/cli/v2"

	"github.com/memoryd/memoryd/internal/fail"
	"github.com/memoryd/memoryd/internal/term"
)

func helpCommand() *command {
	return &command{
		args:    "[COMMAND | environment | exit-codes] [--all]",
		purpose: "explain a command, or list all of them with --all",
		detail: `Without COMMAND it lists the ten commands to begin with. "environment" lists the
environment variables that memory reads, "exit-codes" what its exit codes mean.
With --json the same is one document.`,
		example: "memory help consolidate",
		flags: []urfave.Flag{
			&urfave.BoolFlag{Name: "all", Usage: "list all commands, by group"},
			&urfave.BoolFlag{Name: "man", Usage: "print the page of the manual, for man -l -"},
		},
		most: 1,
		text: true, run: runHelp,
		words: func(c *call) []string {
			return append(c.program.commands.names(), slices.Sorted(maps.Keys(helpTopics))...)
		},
	}
}

func runHelp(c *call) error {
	topic := ""
	if len(c.args) > 0 {
		topic = c.args[0]
	}
	cmd := c.program.commands.find(topic)
	rows, isTopic := helpTopics[topic]
	switch {
	case topic != "" && cmd == nil && !isTopic:
		return unknownCommand(c.program, topic)
	case topic != "" && c.flags.Bool("all"):
		return fail.Usagef("--all lists all commands: leave out %q", topic)
	case c.flags.Bool("man") && c.JSON:
		return fail.Usagef("--man prints text: leave out --json")
	case c.flags.Bool("man") && isTopic:
		return fail.Usagef("--man: the page of the manual that has %s is the first: leave out %q", topic, topic)
	case c.flags.Bool("man"):
		c.Printf("%s", manual(c.program.commands, cmd))
		return nil
	case isTopic && !c.JSON:
		c.Printf("%s", rows().Format("", c.Style))
		return nil
	case c.flags.Bool("all") && !c.JSON:
		allCommands(c)
		return nil
	}
	return c.help(cmd)
}

// helpTopics are what help knows besides commands.
var helpTopics = map[string]func() *term.Table{"environment": environment, "exit-codes": exitCodes}

func environment() *term.Table {
	t := &term.Table{}
	t.Row("MEMORY_WORKSPACE", "the memory folder, as --workspace")
	t.Row("MEMORY_AT", "work as of this time, as --at")
	t.Row("MEMORY_AGENT", "the author of what is saved, and the agent that is given memories")
	t.Row("MEMORY_<SECTION>_<SETTING>", `a setting of memory.toml, such as MEMORY_RUN_LIMIT; "memory config" lists them`)
	t.Row("MEMORY_HUB_TOKEN", `the token for a hub, instead of the one that "memory login" stored`)
	t.Row("VISUAL, EDITOR", `the editor of "memory edit"`)
	t.Row("NO_COLOR", "no colours")
	t.Row("COLUMNS", "the width of tables, instead of the terminal's")
	t.Row("TZ", "the time zone in which days are counted, unless triggers.timezone names one")
	return t
}

func exitCodes() *term.Table {
	t := &term.Table{}
	for code, meaning := range fail.Meanings {
		t.Row(strconv.Itoa(code), meaning)
	}
	return t
}

// help prints what a command is for; without one, the commands to begin with.
func (c *call) help(cmd *command) error {
	switch {
	case c.JSON && cmd == nil:
		return c.PrintJSON(newHelpDocument(c.program))
	case c.JSON:
		return c.PrintJSON(newCommandDocument(c.program, cmd))
	case cmd == nil:
		c.program.overview(c)
		return nil
	}
	c.Printf("%s: %s\n\nUsage:\n  %s %s\n", c.Style.Bold(c.program.name+" "+cmd.name), cmd.purpose, c.program.name, cmd.synopsis())
	if cmd.detail != "" {
		c.Printf("\n%s\n", cmd.detail)
	}
	if cmd.page != "" {
		c.Printf("\nMore: %s\n", fail.DocsURL(cmd.page))
	}
	if len(cmd.flags) > 0 {
		c.Printf("\nOptions:\n%s", flagTable(cmd.flags).Format("  ", c.Style))
	}
	c.Printf("\nExample:\n  %s\n", strings.ReplaceAll(cmd.example, "\n", "\n  "))
	c.Printf("\n%s\n", c.Style.Dim(c.program.everyCommand(cmd)))
	return nil
}

// overview is the first page: the commands to begin with, on one screen.
func overview(c *call) {
	c.Printf("%s keeps folders of coding agents' memories healthy. It shows a plan first,\n", c.Style.Bold("memory"))
	c.Printf("loses nothing, and can undo every run. To see it at work: memory demo\n\n")
	c.Printf("Usage:\n  memory COMMAND [options]\n\n")
	c.Printf("%s\n", c.program.commands.inGroup(groupFirst).Format("  ", c.Style))
	t := &term.Table{}
	t.Row("memory help COMMAND", "what a command does, its options, an example")
	t.Row("memory help --all", "all commands, and the options of every command")
	t.Row("memory help environment", "the environment variables that memory reads")
	t.Row("memory help exit-codes", "0 done, 1 error, 2 usage, 3 problems, 4 conflict, …")
	c.Printf("%s", t.Format("  ", c.Style))
}

// allCommands lists everything.
func allCommands(c *call) {
	c.Printf("Usage:\n  memory COMMAND [options]\n")
	for _, group := range groups {
		c.Printf("\n%s:\n%s", group, c.program.commands.inGroup(group).Format("  ", c.Style))
	}
	c.Printf("\nOptions of every command:\n%s", flagTable(globalFlags()).Format("  ", c.Style))
	c.Printf("\nExit codes:\n%s", exitCodes().Format("  ", c.Style))
	c.Printf("\nEnvironment:\n%s", environment().Format("  ", c.Style))
}

// inGroup lists the commands of a group with what they are for.
func (t commandTable) inGroup(group string) *term.Table {
	rows := &term.Table{}
	for _, e := range t {
		if e.group == group {
			rows.Row(pad(e.name, 11), e.build().purpose)
		}
	}
	return rows
}

// helpDocument is what help prints with --json.
type helpDocument struct {
	Commands    []commandRow     `json:"commands"`
	Options     []optionDocument `json:"options"` // of every command
	ExitCodes   []nameAndText    `json:"exit_codes"`
	Environment []nameAndText    `json:"environment"`
}

type commandRow struct {
	Name    string `json:"name"`
	Group   string `json:"group"`
	Purpose string `json:"purpose"`
	Usage   string `json:"usage"`
}

type nameAndText struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

type optionDocument struct {
	Name  string `json:"name"`
	Value string `json:"value,omitempty"` // the placeholder of its value; "" where it takes none
	Text  string `json:"text"`
}

// commandDocument is what "help COMMAND" prints with --json.
type commandDocument struct {
	Name    string           `json:"name"`
	Purpose string           `json:"purpose"`
	Usage   string           `json:"usage"`
	Detail  string           `json:"detail,omitempty"`
	Page    string           `json:"page,omitempty"` // its address
	Options []optionDocument `json:"options"`
	Example string           `json:"example"`
}

func newHelpDocument(p *Program) helpDocument {
	doc := helpDocument{Commands: []commandRow{}, Options: newOptionDocuments(p.flags())}
	for _, e := range p.commands {
		cmd := p.commands.find(e.name)
		doc.Commands = append(doc.Commands, commandRow{e.name, e.group, cmd.purpose, p.name + " " + cmd.synopsis()})
	}
	for _, row := range exitCodes().Rows {
		doc.ExitCodes = append(doc.ExitCodes, nameAndText{row[0], row[1]})
	}
	for _, row := range environment().Rows {
		doc.Environment = append(doc.Environment, nameAndText{row[0], row[1]})
	}
	return doc
}

func newCommandDocument(p *Program, cmd *command) commandDocument {
	doc := commandDocument{Name: cmd.name, Purpose: cmd.purpose, Usage: p.name + " " + cmd.synopsis(), Detail: cmd.detail, Options: newOptionDocuments(cmd.flags), Example: cmd.example}
	if cmd.page != "" {
		doc.Page = fail.DocsURL(cmd.page)
	}
	return doc
}

func newOptionDocuments(flags []urfave.Flag) []optionDocument {
	docs := []optionDocument{}
	for i, row := range flagTable(flags).Rows {
		_, value, _ := strings.Cut(row[0], " ")
		if names := flags[i].Names(); len(names) > 1 { // "--quiet, -q"
			value = strings.TrimPrefix(strings.TrimPrefix(value, "-"+names[1]), " ")
		}
		docs = append(docs, optionDocument{"--" + flags[i].Names()[0], value, row[1]})
	}
	return docs
}

func pad(text string, n int) string {
	return text + strings.Repeat(" ", max(n-term.Columns(text), 0))
}

// flagTable lists flags with their values and what they are for.
func flagTable(flags []urfave.Flag) *term.Table {
	t := &term.Table{}
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
		t.Row(name, usage)
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
	if cmd.page != "" {
		p.asItIs(fail.DocsURL(cmd.page))
	}
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
	p.rows(exitCodes())
	p.macro("SH", "ENVIRONMENT")
	p.rows(environment())
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

func (p *manPage) options(flags []urfave.Flag) { p.rows(flagTable(flags)) }

func (p *manPage) rows(t *term.Table) {
	for _, row := range t.Rows {
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
