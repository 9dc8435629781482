package cli

import (
	"context"
	"fmt"

	urfave "github.com/urfave/cli/v2"

	"github.com/memoryd/memoryd/cmd/memory/internal/app"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/rules"
	"github.com/memoryd/memoryd/pkg/workspace"
)

func consolidateCommand() *command {
	return &command{
		args:    "[options]",
		purpose: "merge, promote, summarise and archive by the rules",
		detail: `Does what "memory plan" shows, and logs it. A run changes a limited number of
memories. --all makes run after run until nothing is left to do. A memory that
somebody has changed in the meantime is left alone, and the output says so.
--deep also asks a language model about pairs that wait for review or are alike,
if [model] is set up: its verdicts are logged and shown by "memory review", and
change nothing by themselves unless deep.apply is "guarded". Without a model the
run is the same without it. See docs/models.md.`,
		example: "memory consolidate --all",
		flags: []urfave.Flag{
			triggerFlag(), scopeFlag("only memories of `SCOPE`, such as agent:DEV-001"),
			typeFlag(), sinceFlag(), untilFlag(),
			&urfave.StringFlag{Name: "plan", Usage: "do what the plan in `FILE` lists, and nothing else"},
			limitFlag("change at most `N` memories in a run"),
			&urfave.BoolFlag{Name: "all", Usage: "run after run, until nothing is left to do; weekly implies it"},
			consentFlag(),
			&urfave.StringFlag{Name: "pause", Usage: "wait `DURATION` between two updates of an index"},
			&urfave.BoolFlag{Name: "dry-run", Usage: "show the plan instead; with --deep models are asked"},
			&urfave.BoolFlag{Name: "deep", Usage: "ask a language model about pairs of memories, too"},
			&urfave.BoolFlag{Name: "require-model", Usage: "with --deep: fail if no model could be asked"},
			waitFlag(),
		},
		runLimit: true,
		run:      runConsolidate,
	}
}

func runConsolidate(c *call) error {
	file, all := c.flags.String("plan"), c.flags.Bool("all")
	if file != "" {
		for _, flag := range []string{"trigger", "scope", "type", "since", "until", "all", "dry-run", "deep"} {
			if c.flags.IsSet(flag) {
				return usagef("--plan and --%s: the plan in the file settles that", flag)
			}
		}
	}
	if t := c.flags.String("trigger"); c.flags.Bool("deep") && (all || t == rules.Weekly || t == rules.SessionEnd) {
		return usagef("--deep is for a single run, without --all and without the triggers weekly and session_end")
	}
	if c.flags.Bool("require-model") && !c.flags.Bool("deep") {
		return usagef("--require-model goes with --deep")
	}
	if c.flags.Bool("dry-run") {
		if all {
			return usagef("--all and --dry-run: what the second run finds depends on the first")
		}
		return runPlan(c)
	}
	run, err := c.prepareRun()
	if err != nil {
		return err
	}
	if c.flags.String("type") != "" {
		_, snap, err := c.load()
		if err == nil {
			err = c.unknownType(snap)
		}
		if err != nil {
			return err
		}
	}
	run.progress = c.progress("consolidating")
	defer run.progress.end()
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
	if c.flags.Bool("deep") {
		run.runner.Refine = func(_ context.Context, snap *memory.Snapshot, plan *memory.Plan) (*memory.Plan, error) {
			return c.deepen(run.request, snap, plan)
		}
	}
	plan, result, err := run.once(nil)
	if err != nil {
		return err
	}
	return c.printRun(plan, result)
}

// consolidation is what the runs of one command have in common.
type consolidation struct {
	*call
	request  rules.Request
	runner   *app.Runner
	progress *progress
	single   bool // runs that came to one are printed as one
}

func (c *call) prepareRun() (*consolidation, error) {
	request, err := c.request()
	if err != nil {
		return nil, err
	}
	if _, err := c.openToWrite(); err != nil {
		return nil, err
	}
	return c.consolidation(request), nil
}

// consolidation is what the runs for a request have in common; the store is open.
func (c *call) consolidation(request rules.Request) *consolidation {
	runner := &app.Runner{
		Store: c.store, Started: c.started, Result: c.warn,
		Load: func() (*memory.Snapshot, error) {
			_, snap, err := c.load()
			return snap, err
		},
		Reload: func(from *memory.Snapshot, written []string) *memory.Snapshot {
			return c.store.Reload(c.at, from, written)
		},
		Loaded: func(snap *memory.Snapshot) {
			if snap.LastRun.After(c.at) {
				c.note("the last run is dated %s, which is later than this one: was the clock set back?", c.when(snap.LastRun))
			}
		},
	}
	return &consolidation{call: c, request: request, runner: runner}
}

// once plans and applies one run; keep, if given, leaves actions out of the plan.
func (r *consolidation) once(keep func(*memory.Plan)) (*memory.Plan, *workspace.Result, error) {
	return r.runner.Once(r.ctx, r.request, keep)
}

// maxRuns bounds --all: a workspace that needs more is not converging.
const maxRuns = 10_000

// untilDone goes on until a plan is empty, and prints what was done.
func (r *consolidation) untilDone() error {
	sum := app.NewRunsDocument()
	empty, err := r.goOn(sum)
	if err != nil {
		return r.stopped(sum, err)
	}
	return r.printRuns(sum, empty)
}

// goOn goes on until a plan is empty, which it returns, and adds up what it does.
func (r *consolidation) goOn(sum *app.RunsDocument) (*memory.Plan, error) {
	r.store.Reuse = true
	idle := 0
	for n := 1; ; n++ {
		so := sum.Stats
		so.MemoriesSkipped, so.MemoriesDeferred = 0, 0
		r.progress.now(fmt.Sprintf("run %s; so far %s", thousands(n), totals(so)))
		plan, result, err := r.once(nil)
		if err != nil || plan.Empty() {
			return plan, err
		}
		if err := sum.Add(plan, result, r.single); err != nil {
			return nil, err
		}
		if idle++; result.Applied > 0 {
			idle = 0
		}
		switch {
		case idle == 2 && len(result.Skipped) > 0:
			return nil, withHint(failf(exitStale, "two runs in a row could change no memory: %s", skipText(result.Skipped[0])), "somebody else is writing, or may only read: see to that, then try again")
		case n == maxRuns:
			return nil, fmt.Errorf("stopped after %s: there is always more to do", quantity(n, "run"))
		}
	}
}

// stopped prints the runs that were done before an error.
func (r *consolidation) stopped(sum *app.RunsDocument, cause error) error {
	if len(sum.Runs) > 0 {
		if err := r.printRuns(sum, nil); err != nil {
			return err
		}
	}
	return cause
}
