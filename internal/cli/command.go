package cli

import (
	"strings"

	urfave "github.com/urfave/cli/v2"
)

// command is one command of the program.
type command struct {
	name    string // as the table of commands has it
	args    string // what follows the name in the usage line
	purpose string // one line
	detail  string // more about it, wrapped by hand
	page    string // of the documentation, which has more; "" for none
	example string
	flags   []urfave.Flag

	least, most int // number of arguments; most < 0: any

	writes   bool // it changes the workspace: it takes --dry-run and --wait
	text     bool // it is there to print a text: --quiet takes only notes away. Every other prints ids with --quiet, or nothing
	textOnly bool // has no form for --json
	stays    bool // goes on for hours: it gives back what memory it needs no more
	unasked  bool // nobody asks for what it does: it goes by the clock, or by what a host tells
	failOpen bool // the exit code is 0 whatever happens: a host would stop its work for another

	needs needs // is at hand when run begins
	run   func(*call) error
	// words lists what an argument may be, for completion.
	words func(*call) []string
}

// firstWord completes the first argument, which is one of these.
func firstWord(words ...string) func(*call) []string {
	return func(c *call) []string {
		if len(c.args) > 0 {
			return nil
		}
		return words
	}
}

func (cmd *command) synopsis() string { return strings.TrimSpace(cmd.name + " " + cmd.args) }

// needs is a set of what a command works on. A command that first checks what its line says of values opens the rest itself.
type needs uint8

const (
	needsStore    needs = 1 << iota // call.store
	needsSettings                   // call.conf
	needsSnapshot                   // call.snap
)

// entry is how a command is called and where help lists it. The command itself is built when it is needed.
type entry struct {
	name, group string
	build       func() *command
}

// commandTable lists commands in the order of help.
type commandTable []entry

// find returns the command of a name, nil if there is none.
func (t commandTable) find(name string) *command {
	for _, e := range t {
		if e.name == name {
			cmd := e.build()
			cmd.name = name
			if cmd.writes {
				cmd.flags = append(cmd.flags, dryRunFlag(), waitFlag())
			}
			return cmd
		}
	}
	return nil
}

func (t commandTable) names() []string {
	names := make([]string, len(t))
	for i, e := range t {
		names[i] = e.name
	}
	return names
}

// Groups of commands, as help lists them. The first stands alone on the first page.
const (
	groupFirst       = "Start here"
	groupWrite       = "Memories"
	groupLinks       = "How memories are linked"
	groupConsolidate = "Consolidation"
	groupInspect     = "Workspace"
	groupConnect     = "Agents and other tools"
	groupShare       = "Sharing"
	groupOther       = "More"
	groupPlumbing    = "Called by programs"
)

var groups = [...]string{groupFirst, groupWrite, groupLinks, groupConsolidate, groupInspect, groupConnect, groupShare, groupOther, groupPlumbing}

// globalFlags are taken by every command, before or behind its name.
func globalFlags() []urfave.Flag {
	return []urfave.Flag{
		&urfave.StringFlag{Name: "workspace", Aliases: []string{"w"}, Usage: "the memory folder is `DIR`"},
		&urfave.BoolFlag{Name: "json", Usage: "print one JSON document"},
		&urfave.StringFlag{Name: "at", Usage: "work as of `TIME`: a date, a moment or words, such as 2026-03-01, 30d or \"last friday\""},
		&urfave.BoolFlag{Name: "quiet", Aliases: []string{"q"}, Usage: "print ids alone, one per line, or nothing; a text that was asked for, as with show, stays"},
		&urfave.BoolFlag{Name: "verbose", Aliases: []string{"v"}, Usage: "print all there is to say"},
	}
}
