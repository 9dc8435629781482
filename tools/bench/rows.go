package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"
)

// rowName names a row of the table.
type rowName string

const (
	rowStart      rowName = "`version`: start of the process"
	rowPlan       rowName = "`plan`, nothing changed"
	rowPlanCold   rowName = "`plan`, no cache"
	rowPlanWhole  rowName = "`plan` without limit, nothing known"
	rowRecall     rowName = "`recall`"
	rowPrompt     rowName = "hook at a prompt"
	rowSession    rowName = "hook at a session's start, with its block"
	rowStatus     rowName = "`status`"
	rowList       rowName = "`list --limit 20`"
	rowForecast   rowName = "`forecast`"
	rowCheck      rowName = "`check`"
	rowSearch     rowName = "MCP search, in a running server"
	rowSave       rowName = "MCP save, in a running server"
	rowSaveSlow   rowName = "MCP save, the slowest of a hundred"
	rowServerEdit rowName = "edit → searchable, server"
	rowWatchEdit  rowName = "edit → indexed, watcher without debounce"
	rowAdd        rowName = "`add` with checks, durable"
	rowRun        rowName = "`consolidate --pause 0s`, one run of 50"
	rowEnd        rowName = "hook at a session's end"
	rowPlanPeak   rowName = "peak memory, plan"
	rowServerPeak rowName = "peak memory, server"
)

// judged says which figure of a row has the budget.
type judged int

const (
	byMedian judged = iota // milliseconds
	byP99                  // milliseconds
	byPeak                 // megabytes
)

// anchors are the sizes that budgets are given for. A size between two of them has the
// budget of the larger one; beyond the last there is none.
var anchors = [...]int{1_000, 10_000, 100_000}

// row is what one row of the table measures, and what it may take.
type row struct {
	name   rowName
	judged judged
	floor  floor
	budget [len(anchors)]float64
}

// rows are the budgets, in the order of the table.
var rows = []row{
	{rowStart, byMedian, noFloor, [...]float64{15, 15, 15}},
	{rowPlan, byMedian, statFloor, [...]float64{40, 100, 600}},
	{rowPlanCold, byMedian, readFloor, [...]float64{60, 250, 2000}},
	{rowPlanWhole, byMedian, readFloor, [...]float64{150, 1000, 12000}},
	{rowRecall, byMedian, statFloor, [...]float64{40, 100, 400}},
	{rowPrompt, byMedian, statFloor, [...]float64{40, 100, 400}},
	{rowSession, byMedian, statFloor, [...]float64{60, 120, 450}},
	{rowAdd, byMedian, statFloor, [...]float64{60, 150, 500}},
	{rowSearch, byP99, noFloor, [...]float64{5, 10, 20}},
	{rowSave, byMedian, writeFloor, [...]float64{5, 10, 20}},
	{rowSaveSlow, byP99, noFloor, [...]float64{20, 40, 80}},
	{rowServerEdit, byP99, noFloor, [...]float64{20, 50, 200}},
	{rowWatchEdit, byP99, noFloor, [...]float64{20, 50, 200}},
	{rowRun, byMedian, statFloor, [...]float64{150, 300, 2000}},
	{rowStatus, byMedian, statFloor, [...]float64{40, 150, 1200}},
	{rowList, byMedian, statFloor, [...]float64{40, 150, 1200}},
	{rowForecast, byMedian, statFloor, [...]float64{60, 300, 2000}},
	{rowCheck, byMedian, readFloor, [...]float64{100, 600, 5000}},
	{rowEnd, byMedian, noFloor, [...]float64{100, 100, 100}},
	{rowPlanPeak, byPeak, noFloor, [...]float64{40, 60, 180}},
	{rowServerPeak, byPeak, noFloor, [...]float64{60, 90, 300}},
}

func rowOf(name rowName) row {
	for _, r := range rows {
		if r.name == name {
			return r
		}
	}
	return row{name: name}
}

// bench measures all rows on one generated workspace.
type bench struct {
	program
	w       *folder
	fresh   *generator // makes memories that the workspace doesn't have yet
	rounds  int
	only    *regexp.Regexp // rows to measure
	samples map[rowName]sample
}

// wants reports whether one of the rows is to be measured.
func (b *bench) wants(names ...rowName) bool {
	return slices.ContainsFunc(names, func(name rowName) bool { return b.only == nil || b.only.MatchString(string(name)) })
}

func (b *bench) add(name rowName, s sample) { b.samples[name] = s }

// measure measures every row: first what only reads, then servers, then what writes.
func (b *bench) measure(ctx context.Context) error {
	if _, _, err := b.run("", "reindex", "--quiet"); err != nil {
		return err
	}
	// The cache takes no file for known that changed within the last seconds.
	time.Sleep(3 * time.Second)
	steps := []func() error{
		func() error { return b.measureCommands() },
		func() error { return b.measureServer(ctx) },
		func() error { return b.measureWatcher() },
		func() error { return b.measureWrites() },
	}
	for _, step := range steps {
		if err := errors.Join(ctx.Err(), step()); err != nil {
			return err
		}
	}
	return nil
}

// command is a command line to be measured, its input, and what to do before it, uncounted.
type command struct {
	row    rowName
	line   func(i int) (args []string, input string)
	before func() error
	after  func() error
	mute   bool // it prints nothing
}

// measureCommands measures the commands that change no memory.
func (b *bench) measureCommands() error {
	line := func(args ...string) func(int) ([]string, string) {
		return func(int) ([]string, string) { return args, "" }
	}
	hook := func(event, format string) func(int) ([]string, string) {
		return func(i int) ([]string, string) {
			input := fmt.Sprintf(format, fmt.Sprintf("s%d", i), b.dir, event, b.question(i))
			return []string{"hook", "claude", event}, input
		}
	}
	for _, c := range []command{
		{row: rowStart, line: line("version")},
		{row: rowPlan, line: line("plan")},
		{row: rowPlanCold, line: line("plan"), before: func() error { return os.RemoveAll(filepath.Join(b.dir, "ops", "cache")) }},
		{row: rowPlanWhole, line: line("plan", "--max", "100000"), before: func() error { return os.RemoveAll(filepath.Join(b.dir, "ops", "cache")) }},
		{row: rowRecall, line: func(i int) ([]string, string) { return []string{"recall", b.question(i), "--limit", "20"}, "" }},
		{row: rowPrompt, line: hook("UserPromptSubmit", `{"session_id":%q,"cwd":%q,"hook_event_name":%q,"prompt":%q}`)},
		{row: rowSession, line: hook("SessionStart", `{"session_id":%q,"cwd":%q,"hook_event_name":%q,"source":"startup","title":%q}`)},
		{row: rowStatus, line: line("status")},
		{row: rowList, line: line("list", "--limit", "20")},
		{row: rowForecast, line: line("forecast")},
		{row: rowCheck, line: line("check")},
	} {
		if err := b.measureCommand(c, b.rounds); err != nil {
			return err
		}
	}
	if b.wants(rowPlan) {
		b.add(rowPlanPeak, sample{peaks: b.samples[rowPlan].peaks})
	}
	return nil
}

// measureWrites measures the commands that write memories. Each round changes the workspace,
// so a row has few rounds.
func (b *bench) measureWrites() error {
	end := 0
	scratch := func() string { return filepath.Join(b.dir, "sessions", fmt.Sprintf("e%d", end), "scratch.json") }
	for _, c := range []command{
		{row: rowAdd, line: func(int) ([]string, string) {
			_, r := b.fresh.memory(b.w.n)
			return []string{"add", "--type", r.Type, "--by", "DEV-001", "--scope", b.fresh.layout.saves(), "--text", r.Content.Title + ". " + r.Content.Details}, ""
		}},
		{row: rowRun, line: func(int) ([]string, string) { return []string{"consolidate", "--pause", "0s"}, "" }},
		{row: rowEnd, mute: true, before: func() error {
			end++
			if err := os.MkdirAll(filepath.Dir(scratch()), 0o755); err != nil {
				return err
			}
			return os.WriteFile(scratch(), fmt.Appendf(nil, `{"id":"scratch-%d","type":"working","created_at":"2026-03-01T08:30:00Z","tags":[],"content":"Looking."}`, end), 0o644)
		}, line: func(int) ([]string, string) {
			return []string{"hook", "claude", "SessionEnd"}, fmt.Sprintf(`{"session_id":"e%d","cwd":%q,"hook_event_name":"SessionEnd","reason":"other"}`, end, b.dir)
		}, after: func() error { // the run that the hook has left behind ends
			return until(func() bool {
				_, err := os.Stat(scratch())
				left, _ := os.ReadDir(filepath.Join(b.dir, "ops", "spool"))
				return os.IsNotExist(err) && len(left) == 0
			})
		}},
	} {
		if err := b.measureCommand(c, min(b.rounds, 5)); err != nil {
			return err
		}
	}
	return nil
}

// measureCommand runs a command once uncounted, then as often as rounds says, each time
// after its floor.
func (b *bench) measureCommand(c command, rounds int) error {
	if !b.wants(c.row) {
		return nil
	}
	var s sample
	f := rowOf(c.row).floor
	for i := range rounds + 1 {
		if c.before != nil {
			if err := c.before(); err != nil {
				return err
			}
		}
		if f != noFloor && i > 0 {
			took, err := f.measure(b.dir)
			if err != nil {
				return err
			}
			s.floors = append(s.floors, took)
		}
		args, input := c.line(i)
		out, u, err := b.run(input, args...)
		if err != nil {
			return err
		}
		if c.after != nil {
			if err := c.after(); err != nil {
				return fmt.Errorf("after memory %s: %w", strings.Join(args, " "), err)
			}
		}
		if i > 0 {
			if len(out) == 0 && !c.mute { // a hook that has given up in time, so as not to hold its host up
				s.silent++
			}
			s.took, s.peaks = append(s.took, u.Took), append(s.peaks, u.Peak)
		}
	}
	b.add(c.row, s)
	return nil
}

// question is the title of a memory, of another one for each i.
func (b *bench) question(i int) string {
	doc, _ := os.ReadFile(b.edited(i)) // a run may have archived it
	return cmp.Or(gjson.GetBytes(doc, "content.title").Str, gjson.GetBytes(doc, "memories.0.content.title").Str, "Billing queue a1: retries")
}

// edited names the file that edit i changes.
func (b *bench) edited(i int) string { return b.w.files[i*7919%len(b.w.files)] }

// edit puts a word that no memory has into the summary of one, as an editor would, and returns the id of
// the memory that has it now and the word.
func (b *bench) edit(i int) (id, word string, err error) {
	name := b.edited(i)
	doc, err := os.ReadFile(name)
	if err != nil {
		return "", "", err
	}
	for n := uint64(i)*2654435761 + uint64(b.fresh.Uint32()); n > 0; n /= 20 {
		word += string("bcdfghklmnprstvwzjqx"[n%20]) + string("aeiou"[n%5])
	}
	id = cmp.Or(gjson.GetBytes(doc, "id").Str, gjson.GetBytes(doc, "memories.0.id").Str)
	const before = `"summary": "`
	return id, word, os.WriteFile(name, []byte(strings.Replace(string(doc), before, before+word+" ", 1)), 0o644)
}
