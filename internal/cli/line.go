package cli

import (
	"fmt"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"github.com/memoryd/memoryd/internal/app"
	"github.com/memoryd/memoryd/internal/fail"
)

// line is a command line that was read: flags may stand anywhere on it.
type line struct {
	command *command
	flags   []string // --name or --name=value, in order
	args    []string
	help    bool
	json    bool
}

// argv is the line in the order that the flag library reads: it takes no flag
// behind the first argument.
func (l *line) argv() []string {
	argv := append([]string{"", l.command.name}, l.flags...)
	return append(append(argv, "--"), l.args...)
}

// flagForm is what must be known of a flag to find its value.
type flagForm struct {
	name string
	lone bool // takes no value
}

func flagForms(flags []urfave.Flag) map[string]flagForm {
	forms := map[string]flagForm{}
	for _, f := range flags {
		_, lone := f.(*urfave.BoolFlag)
		for _, name := range f.Names() {
			forms[name] = flagForm{f.Names()[0], lone}
		}
	}
	return forms
}

// parseLine reads the arguments behind the program's name. What it returns is
// good for reporting even with an error.
func parseLine(args []string, p *Program) (l line, err error) {
	forms := flagForms(p.flags())
	l.json = wantsJSON(args)
	for i := 0; i < len(args); i++ {
		word := args[i]
		if word == "--" && l.command != nil {
			l.args = append(l.args, args[i+1:]...)
			break
		}
		if !strings.HasPrefix(word, "-") || word == "-" {
			if l.command != nil {
				l.args = append(l.args, word)
				continue
			}
			if l.command = p.commands.find(word); l.command == nil {
				return l, unknownCommand(p, word)
			}
			for name, form := range flagForms(l.command.flags) {
				forms[name] = form
			}
			continue
		}
		name, value, given := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(word, "-"), "-"), "=")
		if r := renamed(l.command, name); r != nil && r.taken {
			name = r.now
		}
		form, ok := forms[name]
		switch {
		case name == "help" || name == "h":
			l.help = true
			continue
		case !ok && name == "version" && l.command == nil:
			l.command = p.commands.find("version")
			continue
		case !ok:
			return l, unknownFlag(p, l.command, word, forms)
		case !form.lone && !given:
			if i++; i == len(args) || isFlag(args[i], forms) {
				return l, fail.Usagef("%s needs a value", word)
			}
			value, given = args[i], true
		}
		if given && strings.TrimSpace(value) == "" {
			return l, fail.Usagef("--%s needs a value: this one is empty", form.name) // of a variable that isn't set, most likely
		}
		if word = "--" + form.name; given {
			word += "=" + value
		}
		l.flags = append(l.flags, word)
	}
	if l.command == nil {
		l.help = true
	}
	return l, nil
}

// wantsJSON tells how an error shall look before the line is understood.
func wantsJSON(args []string) bool {
	for _, word := range args {
		switch word {
		case "--":
			return false
		case "--json", "-json", "--json=true":
			return true
		}
	}
	return false
}

// isFlag reports whether a word is one of the flags, so that it can't be meant
// as the value of another.
func isFlag(word string, forms map[string]flagForm) bool {
	name, ok := strings.CutPrefix(word, "--")
	name, _, _ = strings.Cut(name, "=")
	_, known := forms[name]
	return ok && (known || name == "" || name == "help")
}

// otherNames are the names that other programs have for our commands.
func otherNames() map[string]string {
	return map[string]string{
		"search": "recall", "find": "recall", "query": "recall", "ask": "recall", "grep": "recall",
		"get": "show", "cat": "show", "read": "show", "view": "show", "open": "show",
		"rm": "archive", "delete": "archive", "del": "archive", "remove": "archive", "forget": "archive", "prune": "archive",
		"ls": "list", "all": "list", "new": "add", "save": "add", "store": "add", "write": "add", "remember": "add", "create": "add", "note": "add",
		"update": "edit", "modify": "edit", "set": "edit", "label": "tag", "merge": "consolidate", "compact": "consolidate", "dream": "consolidate", "clean": "consolidate",
		"doctor": "check", "verify": "check", "fsck": "check", "validate": "check", "lint": "check", "rebuild": "reindex",
		"revert": "undo", "rollback": "undo", "history": "log", "unarchive": "restore", "recover": "restore",
		"preview": "plan", "diff": "plan", "why": "explain", "stats": "status", "info": "status", "setup": "install", "server": "mcp", "settings": "config",
		"start": "watch", "run": "watch", "daemon": "watch", "stop": "service", "enable": "service", "disable": "service",
		"dashboard": "serve", "ui": "serve", "web": "serve", "browse": "serve", "gui": "serve",
		"gc": "consolidate", "dedupe": "consolidate", "dedup": "consolidate", "deduplicate": "consolidate", "tidy": "consolidate", "cleanup": "consolidate", "vacuum": "consolidate",
	}
}

func unknownCommand(p *Program, word string) error {
	hint := fmt.Sprintf("%q lists the commands", p.name+" help")
	if meant := otherNames()[strings.ToLower(word)]; meant != "" && p.commands.find(meant) != nil {
		hint = fmt.Sprintf("it is called %q here", p.name+" "+meant)
	} else if near := app.Closest(word, p.commands.names()); near != "" {
		hint = fmt.Sprintf("did you mean %q?", p.name+" "+near)
	}
	if word == "audit" {
		hint = `"memory check --ci" takes its place`
	}
	if word == "hub" {
		hint = `the team server is a program of its own: "memory-hub serve"`
	}
	return fail.WithHint(fail.Usagef("unknown command %q", word), hint)
}

func unknownFlag(p *Program, cmd *command, word string, forms map[string]flagForm) error {
	name, _, _ := strings.Cut(word, "=")
	if cmd == nil {
		return fail.WithHint(fail.Usagef("unknown option %s before the command", name), "write the options of a command after its name")
	}
	if r := renamed(cmd, strings.TrimLeft(name, "-")); r != nil {
		return fail.WithHint(fail.Usagef("unknown option %s", name), "it is now --"+r.now)
	}
	var names []string
	for known := range forms {
		if len(known) > 1 {
			names = append(names, known)
		}
	}
	hint := fmt.Sprintf("%q lists the options; behind -- everything is an argument", p.name+" help "+cmd.name)
	if near := app.Closest(strings.TrimLeft(name, "-"), names); near != "" {
		hint = "did you mean --" + near + "?"
	}
	return fail.WithHint(fail.Usagef("unknown option %s", name), hint)
}
