package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"github.com/memoryd/memoryd/internal/app"
	"github.com/memoryd/memoryd/internal/document"
	"github.com/memoryd/memoryd/internal/fail"
	"github.com/memoryd/memoryd/internal/op/commit"
	"github.com/memoryd/memoryd/internal/printer"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/refine"
	"github.com/memoryd/memoryd/pkg/rules"
	"github.com/memoryd/memoryd/pkg/workspace"
)

func consolidateCommand() *command {
	return &command{
		args:    "[options]",
		purpose: "merge, promote, summarise and archive by the rules",
		detail: `Does what "memory plan" shows, and logs it. A run changes a limited number of
memories. --until-done makes run after run until a plan made right after is
empty. A memory that somebody has changed in the meantime is left alone, and the
output says so.
--deep also asks a language model about pairs that wait for review or are alike,
if [model] is set up: its verdicts are logged and shown by "memory review", and
change nothing by themselves unless deep.apply is "guarded". Without a model the
run is the same without it.`,
		page:    "models.md",
		example: "memory consolidate --until-done",
		flags: []urfave.Flag{
			triggerFlag(), scopesFlag(),
			typeFlag(), sinceFlag(), untilFlag(),
			&urfave.StringFlag{Name: "plan", Usage: "do what the plan in `FILE` lists, and nothing else"},
			maxFlag(),
			&urfave.BoolFlag{Name: "until-done", Usage: "run after run, until nothing is left to do; weekly implies it"},
			consentFlag(),
			pauseFlag(),
			&urfave.BoolFlag{Name: "deep", Usage: "ask a language model about pairs of memories, too"},
			&urfave.BoolFlag{Name: "require-model", Usage: "with --deep: fail if no model could be asked"},
		},
		writes: true, run: runConsolidate,
	}
}

func runConsolidate(c *call) error {
	file, all := c.flags.String("plan"), c.flags.Bool("until-done")
	if file != "" {
		for _, flag := range []string{"trigger", "scope", "type", "since", "until", "until-done", "dry-run", "deep"} {
			if c.flags.IsSet(flag) {
				return fail.Usagef("--plan and --%s: the plan in the file settles that", flag)
			}
		}
	}
	if t := c.flags.String("trigger"); c.flags.Bool("deep") && (all || t == rules.Weekly || t == rules.SessionEnd) {
		return fail.Usagef("--deep is for a single run, without --until-done and without the triggers weekly and session_end")
	}
	if c.flags.Bool("require-model") && !c.flags.Bool("deep") {
		return fail.Usagef("--require-model goes with --deep")
	}
	if c.flags.Bool("dry-run") {
		if all {
			return fail.Usagef("--until-done and --dry-run: what the second run finds depends on the first")
		}
		return runPlan(c)
	}
	run, err := prepareRun(c)
	if err != nil {
		return err
	}
	if c.flags.String("type") != "" || c.flags.String("scope") != "" {
		_, snap, err := c.load()
		if err == nil {
			err = unknownChosen(c, snap)
		}
		if err != nil {
			return err
		}
	}
	run.progress = c.Progress("consolidating")
	defer run.progress.End()
	switch {
	case file != "":
		return run.applyFile(c.path(file))
	case all || run.request.Trigger == rules.Weekly:
		return run.untilDone()
	case run.request.Trigger == rules.SessionEnd:
		// Duplicates are merged first, and what they became is settled by a second run.
		run.single = true
		return run.untilDone()
	}
	var verdicts refine.Report
	if c.flags.Bool("deep") {
		run.runner.Reserve = app.RoomForDeferred(c.store)
		run.runner.Refine = func(_ context.Context, snap *memory.Snapshot, plan *memory.Plan) (_ *memory.Plan, err error) {
			plan, verdicts, err = deepen(c, run.request, snap, plan)
			return plan, err
		}
	}
	plan, result, err := run.once(nil)
	if err != nil {
		return err
	}
	printer.Judged(&c.Printer, &verdicts, app.Quantity(app.DeepApplied(result.Entry), "change")+" made")
	return printer.Run(&c.Printer, c.snap, plan, result)
}

// consolidation is what the runs of one command have in common.
type consolidation struct {
	*call
	request  rules.Request
	runner   *app.Runner
	progress *printer.Progress
	single   bool   // runs that came to one are printed as one
	idle     string // is said instead where there was nothing to do
}

func prepareRun(c *call) (*consolidation, error) {
	request, err := planRequest(c)
	if err != nil {
		return nil, err
	}
	if _, err := c.open(); err != nil {
		return nil, err
	}
	return newConsolidation(c, request), nil
}

// newConsolidation is what the runs for a request have in common; the store is open.
func newConsolidation(c *call, request rules.Request) *consolidation {
	runner := &app.Runner{
		Store: c.store, Started: c.started, Result: func(r *workspace.Result) { printer.Warnings(&c.Printer, r) },
		Load: func() (*memory.Snapshot, error) {
			_, snap, err := c.load()
			return snap, err
		},
		Reload: func(from *memory.Snapshot, written []string) *memory.Snapshot {
			return c.store.Reload(c.at, from, written)
		},
		Loaded: func(snap *memory.Snapshot) {
			if snap.LastRun.After(c.at) {
				c.Note("the last run is dated %s, which is later than this one: was the clock set back?", c.When(snap.LastRun))
			}
		},
	}
	return &consolidation{call: c, request: request, runner: runner}
}

// once plans and applies one run; keep, if given, leaves actions out of the plan.
func (r *consolidation) once(keep func(*memory.Plan)) (*memory.Plan, *workspace.Result, error) {
	return r.runner.Once(r.ctx, r.request, keep)
}

// untilDone goes on until a plan is empty, and prints what was done.
func (r *consolidation) untilDone() error {
	sum := document.NewRuns()
	empty, err := r.goOn(sum)
	if err != nil {
		return r.stopped(sum, err)
	}
	return r.printRuns(sum, empty)
}

// goOn goes on until a plan is empty, which it returns, and adds up what it does.
func (r *consolidation) goOn(sum *document.Runs) (*memory.Plan, error) {
	r.store.Reuse = true
	tell := func() {
		so := *sum.Stats
		so.MemoriesSkipped, so.MemoriesDeferred = 0, 0
		r.progress.Now(fmt.Sprintf("run %s; so far %s", app.Thousands(len(sum.Runs)+1), app.Totals(so)))
	}
	tell()
	last, err := r.runner.Runs(r.ctx, r.request, app.MaxRuns, func(plan *memory.Plan, result *workspace.Result) error {
		err := sum.Add(plan, result, r.single)
		tell()
		return err
	})
	if stuck := new(app.StuckError); errors.As(err, &stuck) {
		return nil, fail.WithHint(fail.Errorf(fail.ExitStale, "two runs in a row could change no memory: %s", commit.Skipped(stuck.Skip)), "somebody else is writing, or may only read: see to that, then try again")
	}
	return last, err
}

// stopped prints the runs that were done before an error.
func (r *consolidation) stopped(sum *document.Runs, cause error) error {
	if len(sum.Runs) > 0 {
		if err := r.printRuns(sum, nil); err != nil {
			return err
		}
	}
	return cause
}

// printRuns prints what --until-done did; last is the empty plan that ended it, nil when
// it was ended by an error.
func (r *consolidation) printRuns(sum *document.Runs, last *memory.Plan) error {
	r.progress.End()
	return printer.Runs(&r.Printer, r.snap, sum, last, r.single, r.idle)
}

// deepen asks models about pairs of memories.
func deepen(c *call, r rules.Request, snap *memory.Snapshot, plan *memory.Plan) (*memory.Plan, refine.Report, error) {
	progress := c.Progress("asking a model")
	refined, report, err := app.Deepen(c.ctx, c.store, c.env, r, snap, plan)
	progress.End()
	if err != nil {
		return nil, report, err
	}
	if len(report.Degraded) > 0 && report.Requests == 0 && c.flags.Bool("require-model") {
		return nil, report, fail.WithHint(errors.New("no model could be asked: "+strings.Join(report.Degraded, "; ")), "without --require-model the run goes by the rules alone")
	}
	return refined, report, nil
}
