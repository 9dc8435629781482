package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"github.com/memoryd/memoryd/internal/app"
	"github.com/memoryd/memoryd/internal/document"
	"github.com/memoryd/memoryd/internal/fail"
	"github.com/memoryd/memoryd/internal/op/commit"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
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
			return deepen(c, run.request, snap, plan)
		}
	}
	plan, result, err := run.once(nil)
	if err != nil {
		return err
	}
	return printRun(c, plan, result)
}

// consolidation is what the runs of one command have in common.
type consolidation struct {
	*call
	request  rules.Request
	runner   *app.Runner
	progress *progress
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
		Store: c.store, Started: c.started, Result: func(r *workspace.Result) { warn(&c.printer, r) },
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
		r.progress.now(fmt.Sprintf("run %s; so far %s", thousands(len(sum.Runs)+1), totals(so)))
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

// printRun prints what one run did.
func printRun(c *call, plan *memory.Plan, result *workspace.Result) error {
	doc := document.NewPlan(plan, result)
	if c.json {
		return c.printJSON(doc)
	}
	printDone(c, doc, result)
	return nil
}

// printDone prints a run for people.
func printDone(c *call, doc *document.Run, result *workspace.Result) {
	if result.Entry == nil {
		c.say("nothing to do (%s)\n", leftAlone(*doc.Stats))
		return
	}
	printActions(c, doc, waiting)
	c.say("\n%s\n%s\n", totals(*doc.Stats), c.style.Dim("memory log "+doc.RunID+" tells more"))
}

// waiting tells where the questions stand that a run leaves untold.
const waiting = "memory review lists what waits"

// printActions prints a line for each of the first actions, how to see the others, and the actions that were not done.
func printActions(c *call, doc *document.Run, others string) {
	if c.quiet {
		return
	}
	t := c.facts()
	shown, more := told(&c.printer, doc.Actions)
	for _, i := range shown {
		a := &doc.Actions[i]
		what, text := done(a)
		if words := namedBy(c, a); words == "" {
			t.Row(what, text)
		} else {
			t.Row(what, text, words)
		}
	}
	if more.questions > 0 {
		t.Row("flagged", more.String()+": "+others)
	}
	for _, s := range doc.Skipped {
		if s.Reason == workspace.ReasonChanged || s.Reason == workspace.ReasonUnwritable || s.Reason == workspace.ReasonWording {
			t.Row("left alone", commit.Skipped(s))
		}
	}
	c.printf("%s", t.Format("", c.style))
}

// namedBy are the words, or the file, that stand for the memory of an action, so that nobody has to look up an id.
func namedBy(c *call, a *oplog.Action) string {
	id := cmp.Or(a.MemoryID, a.ResultID)
	if c.snap == nil || id == "" {
		return a.From
	}
	return cmp.Or(summaryOf(c.snap, id), a.From)
}

// done says in two parts what an action has done.
func done(a *oplog.Action) (what, text string) {
	id := a.MemoryID
	switch a.Type {
	case oplog.Merge:
		text := strings.Join(a.SourceIDs, ", ") + " into " + a.ResultID
		if words := app.Kept(a); words != "" {
			text += ": " + words
		}
		return "merged", text
	case oplog.Undo:
		return app.UndoneWord(a), a.Detail
	case oplog.Review:
		return "flagged", strings.Join(a.MemoryIDs, ", ") + ": " + reasonWords(a.Reason)
	case oplog.Summarize:
		return "summarised", fmt.Sprintf("%s: %s characters, were %s", id, thousands(a.CharsAfter), thousands(a.CharsBefore))
	case oplog.Promote:
		text := fmt.Sprintf("%s to %s as %s", id, a.To, a.ResultID)
		if a.AcceptedBy != "" {
			text += ", accepted by " + a.AcceptedBy
		}
		return "promoted", text
	case oplog.Propose:
		return "proposed", fmt.Sprintf("%s for %s as %s", id, a.To, a.ResultID)
	case oplog.Archive:
		return "archived", id + ": " + cmp.Or(a.Detail, reasonWords(a.Reason))
	case oplog.Restore:
		return "restored", id + " to " + a.To
	case oplog.Judge:
		return "judged", strings.Join(a.MemoryIDs, ", ") + ": " + judgedText(a)
	case oplog.Decide:
		return "decided", strings.Join(a.MemoryIDs, ", ") + ": both stay"
	case oplog.Add:
		if a.Detail != "" {
			id += ": " + a.Detail
		}
		return "added", id
	case oplog.Edit:
		return "edited", id + ": " + cmp.Or(a.Detail, "by hand")
	case oplog.Link:
		return "linked", a.Detail
	case oplog.Tend:
		return "tended", a.Detail
	case oplog.Unlink:
		return "unlinked", a.Detail
	case oplog.Cluster:
		return "summarised", fmt.Sprintf("%s in %s", quantity(len(a.MemoryIDs), "memory"), a.ResultID)
	case oplog.Skip:
		return "left alone", id + ": " + reasonWords(a.Reason) + ": " + a.Detail
	}
	return a.Type, id
}

// printRuns prints what --until-done did; last is the empty plan that ended it, nil when
// it was ended by an error.
func (r *consolidation) printRuns(sum *document.Runs, last *memory.Plan) error {
	if last != nil {
		stats := last.Stats()
		sum.Stats.MemoriesDeferred = stats.MemoriesDeferred
		if len(sum.Runs) != 1 { // of one run the plan and the log say it, too
			sum.Stats.MemoriesSkipped = stats.MemoriesSkipped
		}
	}
	r.progress.end()
	if r.single && last != nil && len(sum.Runs) < 2 {
		return r.printOnly(sum, last)
	}
	if r.json {
		return r.printJSON(sum)
	}
	for i, doc := range sum.Runs {
		if !r.quiet {
			if i > 0 {
				r.printf("\n")
			}
			r.printf("%s\n", r.style.Bold(doc.RunID))
			printActions(r.call, doc, waiting)
		}
	}
	if len(sum.Runs) == 0 {
		r.say("nothing to do (%s)\n", leftAlone(*sum.Stats))
		return nil
	}
	r.say("\n%s: %s\n", quantity(len(sum.Runs), "run"), totals(*sum.Stats))
	return nil
}

// printOnly prints the one run that was needed, or that none was.
func (r *consolidation) printOnly(sum *document.Runs, empty *memory.Plan) error {
	result := &workspace.Result{}
	doc := document.NewPlan(empty, result)
	if len(sum.Runs) == 1 {
		doc, result.Entry = sum.First, &oplog.Entry{}
	}
	switch {
	case r.json:
		return r.printJSON(doc)
	case result.Entry == nil && r.idle != "":
		r.say("%s\n", r.idle)
		return nil
	}
	printDone(r.call, doc, result)
	return nil
}

// leftAlone says how much an empty plan has left alone.
func leftAlone(s oplog.Stats) string {
	if s.MemoriesSkipped == 0 {
		return "all is well"
	}
	return thousands(s.MemoriesSkipped) + " left alone: \"memory plan\" says why"
}

// deepen asks models about pairs of memories, and says what came of it.
func deepen(c *call, r rules.Request, snap *memory.Snapshot, plan *memory.Plan) (*memory.Plan, error) {
	progress := c.progress("asking a model")
	refined, report, err := app.Deepen(c.ctx, c.store, c.env, r, snap, plan)
	progress.end()
	if err != nil {
		return nil, err
	}
	if len(report.Degraded) > 0 && report.Requests == 0 && c.flags.Bool("require-model") {
		return nil, fail.WithHint(errors.New("no model could be asked: "+strings.Join(report.Degraded, "; ")), "without --require-model the run goes by the rules alone")
	}
	for _, why := range report.Degraded {
		c.note("without a model: %s", why)
	}
	if report.Unsent > 0 {
		c.note("%s may be sent to no model", quantity(report.Unsent, "pair"))
	}
	if report.Pairs > 0 {
		c.note("%s", deepText(&report))
	}
	return refined, nil
}

func deepText(r *refine.Report) string {
	text := fmt.Sprintf("a model was asked about %s: %s judged, %s applied, %s put to a person; %s, %s tokens", quantity(r.Pairs, "pair"),
		thousands(r.Judged), thousands(r.Applied), thousands(r.Flagged), quantity(r.Requests, "answer"), thousands(r.Tokens))
	if r.Dropped > 0 {
		text += fmt.Sprintf("; %s left out, with an id or a number that isn't there", quantity(r.Dropped, "verdict"))
	}
	if r.Cost > 0 {
		text += fmt.Sprintf("; cost %.4f", r.Cost)
	}
	return text
}

// judgedText is a verdict in one line.
func judgedText(a *oplog.Action) string {
	text := strings.ReplaceAll(a.Verdict, "_", " ")
	if a.ResultID != "" {
		text += ", " + a.ResultID + " stays"
	}
	if a.Confidence != nil {
		text += fmt.Sprintf(" (%.2f sure)", *a.Confidence)
	}
	if a.Reason != "" {
		text += ": " + a.Reason
	}
	return text + " [" + a.By + "]"
}
