package cli

import (
	"context"
	"errors"
	"slices"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"github.com/memoryd/memoryd/internal/app"
	"github.com/memoryd/memoryd/internal/document"
	"github.com/memoryd/memoryd/internal/fail"
	"github.com/memoryd/memoryd/internal/op/commit"
	"github.com/memoryd/memoryd/internal/op/reviewing"
	"github.com/memoryd/memoryd/internal/printer"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/review"
	"github.com/memoryd/memoryd/pkg/rules"
	"github.com/memoryd/memoryd/pkg/workspace"
)

func reviewCommand() *command {
	return &command{
		args:    "[ID… | --group GROUP | --next] [--merge | --keep-both | --keep-newer | --keep-older | --supersede [--partly] | --keep ID]",
		purpose: "decide about memories that state different facts or update others",
		detail: `Without ID it lists the pairs that wait for a decision. Pairs that differ in the
same way, in the same words or at the same places of the same text, are listed as
a group; --verbose shows each of them. With the ID of a pair, or of a memory in
one, it shows both texts and what differs; --next shows the first pair that waits.
A decision may name several pairs, or --group with the number or the id of a
group; with --next the next pair is shown afterwards. A group id is valid
until a pair joins or leaves the group; then list again.
--supersede is for pairs in which the newer memory updates the older one: the
older one is archived and points to the newer. With --partly the older one stays,
says what replaces a part of it, and comes after that. A conflict copy waits
next to the memory it is a copy of, by its file; the one that is kept is written
to the memory's file, and the copy's file is removed. If a merge of two
machines' edits left values to decide about, --keep-newer keeps the current
values, and --keep-older takes those of the other side. --keep-both is
remembered: the pair isn't shown again while both texts stay the same. Decisions
are logged, and "memory undo" takes them back.`,
		example: "memory review rev_3f9a01bc --keep-newer --next",
		flags: []urfave.Flag{
			&urfave.BoolFlag{Name: "next", Usage: "show the first pair that waits, after the decision if there is one"},
			&urfave.StringFlag{Name: "group", Usage: "decide about all pairs of the `GROUP`, by its number in the list or its id"},
			&urfave.BoolFlag{Name: "merge", Usage: "merge them: the newer one stays, the older one is archived"},
			&urfave.BoolFlag{Name: "supersede", Usage: "the newer one holds from now on and stays as it is; the older one is archived"},
			&urfave.BoolFlag{Name: "partly", Usage: "with --supersede: the newer one replaces a part; both stay"},
			&urfave.BoolFlag{Name: "keep-both", Usage: "both stay, as long as both texts are unchanged"},
			&urfave.BoolFlag{Name: "keep-newer", Usage: "the newer one stays as it is; the older one is archived"},
			&urfave.BoolFlag{Name: "keep-older", Usage: "the older one stays as it is; the newer one is archived"},
			&urfave.StringFlag{Name: "keep", Usage: "the memory `ID`, or a conflict copy by its file, stays as it is; the other one is archived"},
		},
		least: 0, most: -1, writes: true, run: runReview, words: pairIDs,
	}
}

func pairIDs(c *call) (ids []string) {
	if _, snap, err := c.load(); err == nil {
		for _, p := range snap.Open() {
			ids = append(ids, p.ID())
		}
	}
	return ids
}

func runReview(c *call) error {
	verdict, keep, err := verdictOf(c.flags)
	if err != nil {
		return err
	}
	_, snap, err := c.load()
	if err != nil {
		return err
	}
	conf, err := c.settings()
	if err != nil {
		return err
	}
	judged, err := app.ReadJudgements(c.store)
	if err != nil {
		return err
	}
	groups := reviewing.Groups(snap, snap.Open())
	q := &printer.Queue{Printer: &c.Printer, Snapshot: snap, Settings: conf.Settings, Judged: judged}
	group, next := c.flags.String("group"), c.flags.Bool("next")
	pairs, err := reviewing.Pairs(groups, c.args, group)
	switch {
	case err != nil:
		return err
	case verdict == "" && (len(c.args) > 1 || next && len(pairs) > 0):
		return fail.Usagef("give a decision about them, or one pair to be shown")
	case verdict == "" && next:
		return q.ShowNext(groups)
	case len(pairs) == 0 && verdict != "":
		return fail.WithHint(fail.Usagef("which pair?"), "\"memory review\" lists them")
	case len(pairs) == 0:
		return q.List(groups)
	case verdict == "" && group != "":
		return q.ListGroup(groups, group)
	case verdict == "":
		return q.Show(pairs[0])
	}
	ids := make([]string, len(pairs))
	for i, p := range pairs {
		ids[i] = p.ID()
	}
	if err := decide(c, reviewing.Decision{IDs: ids, Verdict: verdict, Keep: keep}, len(pairs) > 1); err != nil || !next || c.JSON {
		return err
	}
	if _, q.Snapshot, err = c.load(); err != nil {
		return err
	}
	c.Printf("\n")
	return q.ShowNext(reviewing.Groups(q.Snapshot, q.Snapshot.Open()))
}

// decide settles pairs, beginning with the workspace as it was loaded.
func decide(c *call, d reviewing.Decision, several bool) error {
	conf, err := c.settings()
	if err != nil {
		return err
	}
	var last *document.Run
	var would []memory.Action
	out, err := reviewing.Decide(c.ctx, func(_ context.Context, plan func(*memory.Snapshot) ([]memory.Action, error)) (*workspace.Result, error) {
		if last != nil {
			if _, _, err := c.load(); err != nil {
				return nil, err
			}
		}
		actions, err := plan(c.snap)
		if err != nil || len(actions) == 0 {
			return nil, err
		}
		tx := commit.Tx(c.snap, c.store.Log(), c.started(), "", actions)
		if c.dryRun() {
			would = append(would, tx.Plan.Actions...)
			return nil, nil
		}
		result, err := c.store.Commit(c.ctx, tx)
		if err != nil {
			return nil, err
		}
		printer.Warnings(&c.Printer, result)
		if last = document.NewPlan(tx.Plan, result); result.Applied > 0 {
			printer.Decisions(&c.Printer, last.Actions)
		}
		return result, nil
	}, conf.Settings, c.store.Log().Head, d)
	switch {
	case c.dryRun() && err == nil:
		return printer.Would(&c.Printer, commit.Tx(c.snap, c.store.Log(), c.started(), "", would).Plan)
	case c.JSON && len(out.Results) > 0:
		return errors.Join(c.PrintJSON(out.Document()), err)
	case err != nil || !several:
		return err
	}
	c.Say("%s decided", app.Quantity(len(out.Pairs), "pair"))
	if n := len(out.Settled); n > 0 {
		c.Say("; %s no longer waits, since a memory in it has changed: %s", app.Quantity(n, "other pair"), app.First(out.Settled, 10))
	}
	c.Say("\n  to take it back: memory undo %s\n", strings.Join(out.RunIDs(), ", memory undo "))
	return nil
}

// verdict reads the one flag that decides; "" when none is given.
func verdictOf(flags *urfave.Context) (verdict, keep string, err error) {
	var given []string
	if flags.Bool("merge") {
		given = append(given, rules.VerdictMerge)
	}
	if flags.Bool("supersede") {
		given = append(given, rules.VerdictSupersede)
	}
	if flags.Bool("keep-both") {
		given = append(given, review.KeepBoth)
	}
	if flags.Bool("keep-newer") {
		given = append(given, reviewing.KeepNewer)
	}
	if flags.Bool("keep-older") {
		given = append(given, reviewing.KeepOlder)
	}
	if flags.IsSet(reviewing.Keep) {
		given = append(given, reviewing.Keep)
	}
	if flags.Bool("partly") {
		if !slices.Equal(given, []string{rules.VerdictSupersede}) {
			return "", "", fail.Usagef("--partly belongs to --supersede")
		}
		return review.Partly, "", nil
	}
	switch len(given) {
	case 0:
		return "", "", nil
	case 1:
		return given[0], flags.String(reviewing.Keep), nil
	}
	return "", "", fail.Usagef("--merge, --supersede, --keep-both, --keep-newer, --keep-older and --keep exclude each other")
}
