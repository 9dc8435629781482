package cli

import (
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"strings"
	"time"

	urfave "github.com/urfave/cli/v2"

	"github.com/memoryd/memoryd/internal/fail"
	"github.com/memoryd/memoryd/internal/op/discover"
	"github.com/memoryd/memoryd/internal/op/find"
	"github.com/memoryd/memoryd/internal/paths"
	"github.com/memoryd/memoryd/internal/term"
	"github.com/memoryd/memoryd/pkg/timestamp"
)

// Process is what a command knows of the process it runs in.
type Process struct {
	Args   []string // the first is the name of the program
	Env    []string // NAME=value
	Dir    string   // where relative paths begin
	Stdin  io.Reader
	Stdout io.Writer
	Stderr io.Writer
}

// env is the value of an environment variable, "" when it isn't set.
func (p Process) env(name string) string {
	for i := len(p.Env) - 1; i >= 0; i-- {
		if key, value, _ := strings.Cut(p.Env[i], "="); key == name {
			return value
		}
	}
	return ""
}

// path resolves a path that was given on the command line.
func (p Process) path(name string) string { return paths.Dir(p.Dir).Resolve(name) }

// brief is a path as people want it: relative to where they are, if it lies
// there.
func (p Process) brief(path string) string { return paths.Dir(p.Dir).Short(path) }

// finish closes what the command opened, reports its error and returns the exit
// code.
func (c *call) finish(err error) int {
	if c.store != nil {
		err = errors.Join(err, c.store.Close())
	}
	err = errors.Join(err, c.Out.Flush())
	if err == nil {
		return fail.ExitDone
	}
	c.report(err)
	if c.cmd != nil && c.cmd.failOpen {
		return fail.ExitDone
	}
	return fail.Code(err)
}

// parse lets the flag library read the values, then runs the command.
func (c *call) parse(argv []string) error {
	ran := false
	misuse := func(_ *urfave.Context, err error, _ bool) error { return flagError(err) }
	app := &urfave.App{
		Name: c.program.name, HideHelp: true, HideVersion: true, DisableSliceFlagSeparator: true,
		Writer: io.Discard, ErrWriter: io.Discard, Reader: c.Stdin,
		Compiled:       time.Unix(1, 0),                 // else it looks at the program's file
		ExitErrHandler: func(*urfave.Context, error) {}, // the default exits the process
		OnUsageError:   misuse,
		Commands: []*urfave.Command{{
			Name: c.cmd.name, Flags: append(c.program.flags(), c.cmd.flags...), HideHelp: true, OnUsageError: misuse,
			Action: func(flags *urfave.Context) error {
				ran = true
				c.flags, c.args = flags, flags.Args().Slice()
				return c.run()
			},
		}},
	}
	err := app.RunContext(c.ctx, argv)
	if err == nil && !ran {
		return fmt.Errorf("%s: the command was not run", c.cmd.name)
	}
	return err
}

// run checks what all commands have in common, then hands over.
func (c *call) run() error {
	c.JSON, c.Quiet, c.Verbose = c.flags.Bool("json"), c.flags.Bool("quiet"), c.flags.Bool("verbose")
	c.Text = c.cmd.text
	if err := c.setTime(); err != nil {
		return err
	}
	if c.JSON && c.cmd.textOnly {
		return fail.Usagef("it prints text: leave out --json")
	}
	if err := c.checkChoices(); err != nil {
		return err
	}
	if n := len(c.args); n < c.cmd.least || c.cmd.most >= 0 && n > c.cmd.most {
		return c.wrongArguments()
	}
	c.setCollector()
	if err := c.prepare(); err != nil {
		return err
	}
	err := c.cmd.run(c)
	if c.store == nil || c.snap == nil {
		return err
	}
	return find.Why(c.store, c.snap, err)
}

// prepare opens what the command needs.
func (c *call) prepare() (err error) {
	needs := func(what needs) bool { return err == nil && c.cmd.needs&what != 0 }
	if needs(needsStore) {
		_, err = c.open()
	}
	if needs(needsSettings) {
		_, err = c.settings()
	}
	if needs(needsSnapshot) {
		_, _, err = c.load()
	}
	return err
}

func (c *call) wrongArguments() error {
	hint := "usage: " + c.program.name + " " + c.cmd.synopsis()
	if len(c.args) < c.cmd.least {
		return fail.WithHint(fail.Usagef("%s", c.missingArguments()), hint)
	}
	return fail.WithHint(fail.Usagef("too many arguments: %s", term.QuoteAll(c.args[c.cmd.most:])), hint)
}

// missingArguments names the arguments that the line lacks.
func (c *call) missingArguments() string {
	var names []string
	for _, word := range strings.Fields(c.cmd.args) {
		if strings.ContainsAny(word, "|[]") || strings.ToUpper(word) != word {
			break // from here on the synopsis says more than names
		}
		names = append(names, strings.TrimSuffix(word, "…"))
	}
	if c.cmd.least > len(names) {
		return "missing argument"
	}
	if names = names[len(c.args):c.cmd.least]; len(names) == 1 {
		return names[0] + " is missing"
	}
	return strings.Join(names, " and ") + " are missing"
}

// setTime settles the moment as of which the command works.
func (c *call) setTime() error {
	text, origin := c.flags.String("at"), "--at"
	if text == "" {
		text, origin = c.env("MEMORY_AT"), "MEMORY_AT"
	}
	if text == "" {
		c.at = clock().UTC().Truncate(time.Second) // as times are written in files
		return nil
	}
	at, ok := parseAt(text)
	if !ok {
		span, err := spanOf(&c.Printer, origin, text, clock().Truncate(time.Second).In(c.dayZone()))
		if err != nil {
			return err
		}
		if at = span.From.UTC(); !writable(at) {
			return fail.Usagef("%s: %q is not a time of the years 0 to 9999", origin, text)
		}
	}
	c.at, c.fixed = at, true
	return nil
}

// parseAt reads a moment as of which a command works, in UTC.
func parseAt(text string) (time.Time, bool) {
	at, err := time.Parse(time.RFC3339, text)
	at = at.UTC()
	return at, err == nil && writable(at)
}

// writable reports whether a moment is of the years that can be written in a file, and not the first second of them, which means none.
func writable(at time.Time) bool { return !at.IsZero() && timestamp.Writable(at) }

// dayZone is the time zone in which days are counted: that of the workspace, where there is one, else the machine's. A
// workspace that can't be opened is reported by what opens it.
func (c *call) dayZone() *time.Location {
	if dir, err := discover.Workspace(c.search()); err == nil {
		if conf := discover.SettingsIn(dir, c.Env); conf != nil {
			return conf.Triggers.Days()
		}
	}
	return time.Local
}

// Commands end soon: garbage is collected seldom until the process takes about heapLimit, which
// a plan of 100,000 memories does, and as often as needed to stay there afterwards. Servers keep
// the runtime's default, which adds no more than what is in use.
const (
	heapGrowth = 400       // percent
	heapLimit  = 150 << 20 // bytes
)

// setCollector sets how often garbage is collected, unless the environment does (GOGC, GOMEMLIMIT).
func (c *call) setCollector() {
	if c.cmd.stays || c.env("GOGC") != "" || c.env("GOMEMLIMIT") != "" {
		return
	}
	debug.SetGCPercent(heapGrowth)
	debug.SetMemoryLimit(heapLimit)
}
