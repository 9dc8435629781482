package cli

import (
	"context"
	"errors"
	"math"
	"runtime"
	"slices"
	"time"

	"github.com/memoryd/memoryd/cmd/memory/internal/brief"
	"github.com/memoryd/memoryd/pkg/briefing"
	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/recall"
	"github.com/memoryd/memoryd/pkg/workspace"
)

// The operations that are measured, in the order in which they are printed; the
// first two are the floors. The third is what a plain program pays for the second: in
// collections gjson goes over a value once for each level that it stands in.
const (
	opStat    = "describe all files"
	opRead    = "read and look at each value"
	opExtract = "read and extract by gjson"
	opLoad    = "load, no cache"
	opPlan    = "plan, no cache"
	opWarm    = "plan, nothing changed"
	opEdited  = "plan, 100 edited"
	opAnew    = "plan as a process, no cache"
	opProcess = "plan as a process, nothing changed"
	opRecall  = "recall as a process"
	opGiven   = "context as a process"
	opHook    = "prompt hook as a process"
	opContext = "load and write the context"
	opPrompt  = "load and what fits a prompt"
	opCheck   = "load and check"
	opGlance  = "load and overview, nothing changed"
	opReindex = "reindex, nothing to do"
	opRun     = "apply the plan, durable"
	opUndo    = "undo that run"
)

var benchFloors = []struct{ name, floor string }{
	{opStat, ""}, {opRead, ""}, {opExtract, opRead}, {opLoad, opRead}, {opPlan, opRead}, {opWarm, opStat}, {opEdited, opStat}, {opAnew, opRead}, {opProcess, opStat}, {opRecall, opStat}, {opGiven, opStat}, {opHook, opStat},
	{opContext, opRead}, {opPrompt, opRead}, {opCheck, opRead}, {opGlance, opStat}, {opReindex, opRead}, {opRun, ""}, {opUndo, ""},
}

// bench measures operations on one workspace.
type bench struct {
	ctx   context.Context
	dir   string
	store *workspace.FileStore
	times map[string][]time.Duration

	files     []string
	memories  int              // in all of them
	edited    int              // where the last edits were
	lent      int64            // bytes of the cache that the last store uses where they lie
	peaks     map[string]int64 // most bytes of memory that the program itself took, by operation; 0 where nobody tells
	plansOnly bool             // nothing else is measured
}

func newBench(ctx context.Context, dir string, files []string, memories int) *bench {
	return &bench{ctx: ctx, dir: dir, files: files, memories: memories, times: map[string][]time.Duration{}, peaks: map[string]int64{}}
}

// clocked measures one step.
func (b *bench) clocked(name string, step func() error) (time.Duration, error) {
	runtime.GC() // what the step before has left is not its cost
	return b.continued(name, step)
}

// continued measures a step of which the one before is a part: what that has left is its cost.
func (b *bench) continued(name string, step func() error) (time.Duration, error) {
	if err := b.ctx.Err(); err != nil {
		return 0, err
	}
	var now runtime.MemStats
	runtime.ReadMemStats(&now)
	putOffCollection(int64(now.Sys-now.HeapReleased)+withoutLent(allowance, b.lent), spare) // as in a new process
	started := time.Now()
	err := step()
	took := time.Since(started)
	if name != "" {
		b.times[name] = append(b.times[name], took)
	}
	return took, err
}

// round measures every operation once. It waits before the floors, not between them and what
// stands beside them: a machine that was idle is slower for a while.
func (b *bench) round() error {
	if err := b.settle(); err != nil {
		return err
	}
	for _, floor := range []struct {
		name string
		look func(doc []byte) int
	}{{opStat, nil}, {opRead, lookOnce}, {opExtract, extract}} {
		if _, err := b.clocked(floor.name, func() error { return walkFloor(b.dir, floor.look) }); err != nil {
			return err
		}
	}
	plan, load, err := b.plans()
	if err != nil || b.plansOnly {
		return err
	}
	snap, err := b.store.Load(benchAt)
	if err != nil {
		return err
	}
	if err := b.blocks(snap, load); err != nil {
		return err
	}
	if _, err := b.clocked(opCheck, func() error {
		examined, err := b.store.LoadExamined(benchAt)
		if err == nil {
			_, err = b.store.Check(examined)
		}
		return err
	}); err != nil {
		return err
	}
	if err := b.overview(); err != nil { // which notes what is in order
		return err
	}
	if _, err := b.clocked(opGlance, b.overview); err != nil {
		return err
	}
	if _, err := b.clocked(opReindex, func() error { _, err := b.store.Reindex(b.ctx, benchAt); return err }); err != nil {
		return err
	}
	if plan.Empty() {
		return nil // a small workspace: earlier rounds have settled all
	}
	var result *workspace.Result
	if _, err := b.clocked(opRun, func() (err error) {
		result, err = b.store.Commit(b.ctx, &workspace.Tx{Plan: plan, Snapshot: snap, Started: time.Now()})
		return err
	}); err != nil {
		return err
	}
	_, err = b.clocked(opUndo, func() error { _, err := b.store.Undo(b.ctx, result.RunID, nil, benchAt); return err })
	return err
}

// overview sees how things are, as a process that has just begun.
func (b *bench) overview() (err error) {
	store, err := b.open()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	snap, err := store.Load(benchAt)
	if err == nil {
		_, err = store.Overview(snap)
	}
	return err
}

// benchPrompt is what a made-up person asks an agent.
const benchPrompt = "Why does the deployment to staging fail when the cache is cold?"

// blocks measures what agents are given.
func (b *bench) blocks(snap *workspace.Snapshot, load time.Duration) error {
	for name, query := range map[string]string{opContext: "", opPrompt: benchPrompt} {
		took, err := b.clocked("", func() error {
			words := func(snap *workspace.Snapshot) (*recall.Library, error) { return recall.OpenLibrary(b.store, snap, 0) }
			_, _, err := brief.Make(snap, words, config.Default(), brief.Asker{Query: query},
				briefing.Request{Format: briefing.XML, Tokens: config.Default().Context.TokenBudget, OnlyRelevant: query != ""}, nil)
			return err
		})
		if err != nil {
			return err
		}
		b.times[name] = append(b.times[name], load+took)
	}
	return nil
}

// measured sums up the rounds.
func (b *bench) measured() (out []measured) {
	medians := map[string]time.Duration{}
	for _, op := range benchFloors {
		times := slices.Sorted(slices.Values(b.times[op.name]))
		if len(times) == 0 {
			continue
		}
		medians[op.name] = (times[(len(times)-1)/2] + times[len(times)/2]) / 2
		m := measured{Name: op.name, Median: milliseconds(medians[op.name]), Least: milliseconds(times[0]), Rounds: len(times), Floor: op.floor}
		m.PeakMB = math.Round(float64(b.peaks[op.name])/1e5) / 10
		if op.floor != "" {
			m.Ratio = math.Round(100*float64(medians[op.name])/float64(medians[op.floor])) / 100
		}
		out = append(out, m)
	}
	return out
}
