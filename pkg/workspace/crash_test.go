package workspace

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/memoryd/memoryd/pkg/internal/durable"
	"github.com/memoryd/memoryd/pkg/internal/durable/faultfs"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/workspace/internal/journal"
)

// The harness runs in three sizes: -short, the default, and MEMORYD_HARNESS=full.
// -harness.case repeats one case: its name as a failure prints it.
var (
	harness  = os.Getenv("MEMORYD_HARNESS")
	onlyCase = flag.String("harness.case", "", "repeat only the `CASE` that a failure has printed")
)

// size picks by the size of the harness.
func size(short, usual, full int) int {
	switch {
	case harness == "full":
		return full
	case testing.Short():
		return short
	}
	return usual
}

// point is a disk as it is just before a step.
type point struct {
	disk  *faultfs.Mem
	step  faultfs.Step
	acked int // commands that have returned by then
}

// points runs the scenario and keeps a copy of the disk before every step that
// writes, and at the end.
func (sc *scenario) points(t testing.TB, seam func(durable.FS) durable.FS) (all []point) {
	t.Helper()
	m := sc.disk(t)
	acked := 0
	hook := &faultfs.Hook{FS: m}
	hook.Before = func(s faultfs.Step) error {
		if s.Writes {
			all = append(all, point{m.Clone(), s, acked})
		}
		return nil
	}
	for i, step := range sc.steps {
		if err := step(sc.store(seam(hook), i)); err != nil {
			t.Fatalf("%s: %v", sc.name, err)
		}
		acked++
	}
	return append(all, point{m.Clone(), faultfs.Step{N: hook.Steps() + 1, Op: "end"}, acked})
}

// recovered does what the next command does first: it finishes an interrupted run, and brings the indexes up to date.
func (sc *scenario) recovered(fsys durable.FS) error {
	return UpdateIndexes(context.Background(), sc.store(fsys, len(sc.steps)))
}

// judge checks a recovered disk: it is as it was after one of the commands, not
// before the last that has returned; the log is whole; nothing is left to do.
func (sc *scenario) judge(m *faultfs.Mem, stages []map[string]string, acked int) error {
	if err := sc.recovered(m); err != nil {
		return fmt.Errorf("recovery: %w", err)
	}
	got := visible(m)
	ok := false
	for _, stage := range stages[acked:] {
		ok = ok || maps.Equal(stage, got)
	}
	if !ok {
		text := fmt.Sprintf("acknowledged %d of %d; the difference to what that left:\n%s", acked, len(sc.steps), cmp.Diff(stages[acked], got))
		return errors.New(text)
	}
	if problems := oplog.Verify([]byte(got[memory.LogFile])); len(problems) > 0 && sc.name != "log broken" {
		return fmt.Errorf("log: %v", problems)
	}
	open, err := openRuns(sc.root(m))
	if err != nil || len(open) > 0 {
		return fmt.Errorf("unfinished: %v %w", open, err)
	}
	before := m.Files()
	if err := sc.recovered(m); err != nil {
		return fmt.Errorf("second recovery: %w", err)
	}
	if !maps.Equal(before, m.Files()) {
		return fmt.Errorf("a second recovery changes something:\n%s", cmp.Diff(before, m.Files()))
	}
	return nil
}

// crashes tries every crash of a scenario and returns how many there were and
// those that ended badly; it stops when these are enough (0: never).
func (sc *scenario) crashes(t testing.TB, seeds, nested, enough int, seam func(durable.FS) durable.FS) (states int, bad []string) {
	stages := sc.stages(t)
	for i, p := range sc.points(t, seam) {
		if enough == 0 && i%size(4, 1, 1) != 0 {
			continue
		}
		try := func(model faultfs.Model, loss faultfs.Loss, seed int, nest bool) {
			name := fmt.Sprintf("%s/%d/%s/%s/%d/%v", sc.name, p.step.N, model, loss, seed, nest)
			if *onlyCase != "" && *onlyCase != name {
				return
			}
			states++
			m := p.disk.Crash(model, loss, uint64(seed))
			if nest {
				m = sc.crashAgain(m, model, uint64(seed))
			}
			if err := sc.judge(m, stages, p.acked); err != nil {
				bad = append(bad, fmt.Sprintf("-harness.case='%s' (before %s %s %s): %v", name, p.step.Op, p.step.Name, p.step.To, err))
			}
		}
		try(faultfs.Ordered, faultfs.Nothing, 0, false) // a kill is the same in every model
		for _, model := range faultfs.Models {
			try(model, faultfs.Everything, 0, false)
			for seed := range seeds {
				try(model, faultfs.Some, seed, false)
			}
			for seed := range nested {
				try(model, faultfs.Some, seed, true)
			}
		}
		if enough > 0 && len(bad) >= enough {
			break
		}
	}
	return states, bad
}

// crashAgain cuts the power during recovery, up to twice.
func (sc *scenario) crashAgain(m *faultfs.Mem, model faultfs.Model, seed uint64) *faultfs.Mem {
	r := rand.New(rand.NewPCG(seed, 7))
	for range 1 + r.IntN(2) {
		at, n := r.IntN(120), 0
		var then *faultfs.Mem
		hook := &faultfs.Hook{FS: m, Before: func(s faultfs.Step) error {
			if !s.Writes {
				return nil
			}
			if n++; n == at {
				then = m.Clone()
			}
			if then != nil {
				return faultfs.ErrCrashed
			}
			return nil
		}}
		if err := sc.recovered(hook); err == nil || then == nil {
			return m // recovery was over by then
		}
		m = then.Crash(model, faultfs.Some, r.Uint64())
	}
	return m
}

func plain(fsys durable.FS) durable.FS { return fsys }

func TestCrashAtEveryStep(t *testing.T) {
	total := 0
	for n, sc := range scenarios() {
		t.Run(sc.name, func(t *testing.T) {
			seeds, nested := size(0, 1, 6), size(0, 1, 6)
			if n%4 != 0 {
				nested = size(0, 0, 6)
			}
			if len(sc.files) > 20 {
				seeds, nested = size(0, 0, 2), size(0, 0, 1)
			}
			states, bad := sc.crashes(t, seeds, nested, 0, plain)
			total += states
			t.Logf("%d states", states)
			report(t, bad)
		})
	}
	t.Logf("%d crash states", total)
}

func report(t *testing.T, bad []string) {
	t.Helper()
	for i, b := range bad {
		if i == 3 {
			t.Errorf("and %d more", len(bad)-3)
			return
		}
		t.Error(b)
	}
}

// openRuns are the runs in a workspace that were committed and not finished.
func openRuns(m durable.FS) ([]string, error) {
	names, _, err := runNames(m)
	if err != nil {
		return nil, err
	}
	return journal.Unfinished(m, names, nil)
}
