package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"time"

	urfave "github.com/urfave/cli/v2"

	"github.com/memoryd/memoryd/internal/app"
	"github.com/memoryd/memoryd/internal/fail"
	"github.com/memoryd/memoryd/internal/simulate"
	"github.com/memoryd/memoryd/internal/term"
	"github.com/memoryd/memoryd/pkg/memory"
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
		return fail.Usagef("--days %d: from 1 to %s can be replayed", days, thousands(simulate.MaxDays))
	}
	conf, err := c.settings()
	if err != nil {
		return err
	}
	trace, err := readTrace(c)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp(cmp.Or(c.env("TMPDIR"), os.TempDir()), "memory-simulate-")
	if err != nil {
		return fmt.Errorf("make a folder: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	line := c.progress("copying")
	defer line.end()
	if err := simulate.Copy(c.ctx, c.store.Dir(), dir, func(n int) { line.at(quantity(n, "file")) }); err != nil {
		return err
	}
	store, err := workspace.Open(dir)
	if err != nil {
		return err
	}
	store.AllowNetwork, store.Reuse, store.Derive = true, true, app.Deriver // it is nobody else's
	line.now("replaying")
	s := &simulate.Simulation{
		Store: store, Settings: conf.Settings, Start: c.at, Days: days, Accesses: trace,
		Progress: func(at time.Time) { line.at(c.day(at)) },
		Result: func(r *workspace.Result) {
			for _, w := range r.Warnings {
				c.note("%s", w)
			}
		},
	}
	report, err := s.Run(c.ctx)
	if err = errors.Join(err, store.Close()); err != nil {
		return err
	}
	line.end()
	if c.json {
		return c.printJSON(report)
	}
	printReport(&c.printer, report)
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

func printReport(p *printer, r *simulate.Report) {
	t := &term.Table{
		Head:  []string{"", "LIVE", "ARCHIVED", "KB", "HOT", "WARM", "COLD", "REST", "RUNS", "MERGED", "PROMOTED", "SUMMARISED", "STALE", "LARGEST INDEX"},
		Right: map[int]bool{1: true, 2: true, 3: true, 4: true, 5: true, 6: true, 7: true, 8: true, 9: true, 10: true, 11: true, 12: true},
	}
	for _, m := range r.Months {
		n := func(n int) string { return thousands(n) }
		t.Row(p.day(m.At), n(m.Live), n(m.Archived), n(int(math.Ceil(float64(m.Bytes)/1000))),
			n(m.Tiers["hot"]), n(m.Tiers["warm"]), n(m.Tiers["cold"]), n(m.Tiers["archived"]),
			n(m.Done.Runs), n(m.Done.Merged), n(m.Done.Promoted), n(m.Done.Summarised), n(m.Done.Archived), largestIndex(m))
	}
	p.printf("%s", t.Format("", p.style))
	kept, gone := len(r.Survivors), len(r.Archived)
	p.say("\nafter %s: of %s, %s still there and %s archived or merged away", quantity(r.Days, "day"), quantity(kept+gone, "memory"), thousands(kept), thousands(gone))
	if n := len(r.Created); n > 0 {
		p.say("; %s in wider scopes besides", left(n, "copy", "copies"))
	}
	p.say("\n%s: %s merged away, %s, %s summarised, %s archived, %s flagged for review\n", quantity(r.Runs.Runs, "run"),
		thousands(r.Runs.Merged), thousands(r.Runs.Promoted)+" promoted", thousands(r.Runs.Summarised), thousands(r.Runs.Archived), thousands(r.Runs.Flagged))
	if r.Accesses+r.AccessesIgnored > 0 {
		p.say("%s counted, %s ignored: of memories that aren't there, or before the start\n", quantity(r.Accesses, "read"), thousands(r.AccessesIgnored))
	}
	if r.Waiting > 0 {
		p.say("%s would wait for a person's decision\n", quantity(r.Waiting, "pair"))
	}
}

func left(n int, one, more string) string {
	if n == 1 {
		return "1 " + one
	}
	return thousands(n) + " " + more
}

// largestIndex names the index with most entries, but for the archive's.
func largestIndex(m simulate.Tally) string {
	best := ""
	for file, n := range m.Indexes {
		if file == memory.ArchiveDir+"/_index.json" {
			continue
		}
		if most := m.Indexes[best]; best == "" || n > most || n == most && file < best {
			best = file
		}
	}
	if best == "" {
		return "-"
	}
	return strconv.Itoa(m.Indexes[best]) + " " + best
}
