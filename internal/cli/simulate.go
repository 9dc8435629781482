package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	urfave "github.com/urfave/cli/v2"

	"github.com/memoryd/memoryd/internal/app"
	"github.com/memoryd/memoryd/internal/fail"
	"github.com/memoryd/memoryd/internal/printer"
	"github.com/memoryd/memoryd/internal/simulate"
	"github.com/memoryd/memoryd/pkg/workspace"
)

func simulateCommand() *command {
	return &command{
		args:    "[--days N] [--accesses TRACE]",
		purpose: "replay a year of runs on a copy, and show what would be left",
		detail: `The triggers of memory.toml start the runs, at their times in UTC or in the time
zone triggers.timezone. The copy is in the temporary directory and is removed at
the end, also after Ctrl-C. In the simulation nobody writes, decides or ends a
session. A trace can say what is read: one JSON object per line,
{"id": "mem_…", "at": "2026-05-01T09:00:00Z"} as in ops/access.jsonl, or with
"day": 12.5, counted from the start; "n" for several reads.`,
		example: "memory simulate --days 365 --accesses reads.jsonl",
		flags: []urfave.Flag{
			&urfave.IntFlag{Name: "days", Usage: "replay `N` days", Value: 365},
			&urfave.StringFlag{Name: "accesses", Usage: "memories are read as `TRACE` says; - for the standard input"},
			consentFlag(), maxFlag(),
		},
		run: runSimulate,
	}
}

func runSimulate(c *call) (err error) {
	days := c.flags.Int("days")
	if days < 1 || days > simulate.MaxDays {
		return fail.Usagef("--days %d: from 1 to %s can be replayed", days, app.Thousands(simulate.MaxDays))
	}
	conf, err := c.settings()
	if err != nil {
		return err
	}
	trace, err := readTrace(c)
	if err != nil {
		return err
	}
	dir, remove, err := scratch(c, c.store.Dir(), false)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, remove()) }()
	line := c.Progress("replaying")
	defer line.End()
	store, err := workspace.Open(dir)
	if err != nil {
		return err
	}
	store.AllowNetwork, store.Reuse, store.Derive = true, true, app.Deriver // it is nobody else's
	s := &simulate.Simulation{
		Store: store, Settings: conf.Settings, Start: c.at, Days: days, Accesses: trace,
		Progress: func(at time.Time) { line.At(c.Day(at)) },
		Result: func(r *workspace.Result) {
			for _, w := range r.Warnings {
				c.Note("%s", w)
			}
		},
	}
	report, err := s.Run(c.ctx)
	if err = errors.Join(err, store.Close()); err != nil {
		return err
	}
	line.End()
	if c.JSON {
		return c.PrintJSON(report)
	}
	printer.Simulation(&c.Printer, report)
	return nil
}

// readTrace reads the file of --accesses.
func readTrace(c *call) ([]simulate.Access, error) {
	name := c.flags.String("accesses")
	if name == "" {
		return nil, nil
	}
	var in io.Reader = c.Stdin
	if name != "-" {
		f, err := os.Open(c.path(name))
		if err != nil {
			return nil, fail.File("--accesses", err)
		}
		defer func() { _ = f.Close() }() // it was only read
		in = f
	}
	all, err := simulate.ReadTrace(in, c.at)
	if err != nil {
		return nil, fmt.Errorf("--accesses %s: %w", name, err)
	}
	return all, nil
}
