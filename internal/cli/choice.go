package cli

import (
	"strings"

	urfave "github.com/urfave/cli/v2"

	"github.com/memoryd/memoryd/internal/app"
	"github.com/memoryd/memoryd/internal/fail"
	"github.com/memoryd/memoryd/internal/hook"
	"github.com/memoryd/memoryd/internal/op/exporting"
	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/edgefile"
	"github.com/memoryd/memoryd/pkg/enrich"
	"github.com/memoryd/memoryd/pkg/foreign"
	"github.com/memoryd/memoryd/pkg/host"
	"github.com/memoryd/memoryd/pkg/layout"
	"github.com/memoryd/memoryd/pkg/recall"
	"github.com/memoryd/memoryd/pkg/retention"
	"github.com/memoryd/memoryd/pkg/rules"
)

// choice is what the value of an option may be: one of a few words.
type choice struct {
	what    string // of the value, in messages
	options []string
}

// choiceOf is the choice that an option of a command leaves; ok is false where it takes anything. It is the one list
// behind the check of the command line, its suggestions and completion.
func choiceOf(cmd *command, flag string) (_ choice, ok bool) {
	switch cmd.name + " " + flag {
	case "export format":
		return choice{"format", formatWords(exporting.Formats())}, true
	case "check format":
		return choice{"format", []string{"text", "json", "sarif"}}, true
	case "adopt as":
		return choice{"layout", layout.Names()}, true
	case "import format":
		return choice{"format", formatWords(foreign.Formats())}, true
	case "graph kind":
		return choice{"kind", edgefile.Types()}, true
	case "service for":
		words := []string{}
		for _, f := range host.Formats() {
			words = append(words, string(f))
		}
		return choice{"service", words}, true
	}
	switch flag {
	case "tools":
		return choice{"set of tools", []string{"loop", "all"}}, true
	case "host":
		return choice{"host", hook.Names()}, true
	case "priority":
		return choice{"priority", priorityNames}, true
	case "format":
		return choice{"format", []string{"xml", "markdown", "json"}}, true
	case "tier":
		return choice{"tier", retention.TierNames()}, true
	case "preset":
		return choice{"preset", config.Presets()}, true
	case "trigger":
		return choice{"trigger", rules.TriggerNames()}, true
	case "sort":
		return choice{"order", orderNames()}, true
	case "mode":
		return choice{"mode", recall.ModeNames()}, true
	case "stage":
		return choice{"stage", enrich.Stages()}, true
	}
	return choice{}, false
}

// checkChoices refuses values that an option doesn't take, and writes those that differ in case as they are meant.
func (c *call) checkChoices() error {
	for _, f := range c.cmd.flags {
		flag := f.Names()[0]
		list, ok := choiceOf(c.cmd, flag)
		if !ok || !c.flags.IsSet(flag) {
			continue
		}
		if _, many := f.(*urfave.StringSliceFlag); many {
			for _, value := range c.flags.StringSlice(flag) {
				if list.meant(value) != value {
					return list.unknown("--"+flag, value)
				}
			}
			continue
		}
		value := c.flags.String(flag)
		meant := list.meant(value)
		switch {
		case meant == "" && c.cmd.name == "export" && foreign.Format(value).Base() != foreign.Format(value):
			return fail.Usagef("--format: %s is only read: what was imported from it is written by --format %s", value, foreign.Format(value).Base())
		case meant == "":
			return list.unknown("--"+flag, value)
		case meant != value:
			if err := c.flags.Set(flag, meant); err != nil {
				return err
			}
		}
	}
	return nil
}

// meant is the option that a value names, in any case and with - for _; "" for none.
func (l choice) meant(value string) string {
	fold := func(word string) string {
		return strings.ToLower(strings.ReplaceAll(strings.TrimSpace(word), "-", "_"))
	}
	for _, o := range l.options {
		if fold(o) == fold(value) {
			return o
		}
	}
	return ""
}

// unknown is the error about a value that is none of the options.
func (l choice) unknown(where, value string) error {
	hint := "write one of " + orList(l.options)
	if near := app.Closest(value, l.options); near != "" {
		hint = "did you mean " + near + "? Write one of " + orList(l.options)
	}
	if where != "" {
		where += ": "
	}
	return fail.WithHint(fail.Usagef("%sunknown %s %q", where, l.what, value), hint)
}

// missing is the error where an option that has to be there isn't.
func (l choice) missing(flag string) error {
	return fail.Usagef("%s is missing: %s", flag, orList(l.options))
}

// unknownVerb is the error about the word behind the name of a command, such as start in "session start".
func unknownVerb(word string, options ...string) error {
	return choice{"command", options}.unknown("", word)
}

func orList(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " or " + words[len(words)-1]
}

func formatWords(formats []foreign.Format) (words []string) {
	for _, f := range formats {
		words = append(words, string(f))
	}
	return words
}
