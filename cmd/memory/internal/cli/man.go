package cli

import (
	"fmt"
	"strings"
	"unicode"

	urfave "github.com/urfave/cli/v2"
)

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
