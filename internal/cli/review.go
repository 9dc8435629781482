package cli

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"github.com/memoryd/memoryd/internal/app"
	"github.com/memoryd/memoryd/internal/document"
	"github.com/memoryd/memoryd/internal/fail"
	"github.com/memoryd/memoryd/internal/op/commit"
	"github.com/memoryd/memoryd/internal/term"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/review"
	"github.com/memoryd/memoryd/pkg/rules"
	"github.com/memoryd/memoryd/pkg/workspace"
)

func reviewCommand() *command {
	return &command{
		args:    "[ID… | --group GROUP | --next] [--merge | --keep-both | --keep-newer | --keep-older | --supersede | --keep ID]",
		purpose: "decide about memories that state different facts or update others",
		detail: `Without ID it lists the pairs that wait for a decision. Pairs that differ in the
same way, in the same words or at the same places of the same text, stand together
as a group; --verbose shows each of them. With the ID of a pair, or of a memory in
one, it shows both texts and what differs; --next shows the first pair that waits.
A decision may name several pairs, or --group with the number or the id of a
group; with --next the next pair is shown afterwards. A group id is valid
until a pair joins or leaves the group; then list again.
--supersede is for pairs in which the newer memory updates the older one: the
older one is archived and points to the newer. A conflict copy waits beside the
memory it is a copy of, by its file; the one that is kept is written to the
memory's file, and the copy's file is removed. If a merge of two machines' edits
left values to decide about, --keep-newer keeps the current values, and
--keep-older takes those of the other side. --keep-both is remembered: the pair
isn't shown again while both texts stay the same. Decisions are logged, and
"memory undo" takes them back.`,
		example: "memory review rev_3f9a01bc --keep-newer --next",
		flags: []urfave.Flag{
			&urfave.BoolFlag{Name: "next", Usage: "show the first pair that waits, after the decision if there is one"},
			&urfave.StringFlag{Name: "group", Usage: "decide about all pairs of the `GROUP`, by its number in the list or its id"},
			&urfave.BoolFlag{Name: "merge", Usage: "merge them: the newer one stays, the older one is archived"},
			&urfave.BoolFlag{Name: "supersede", Usage: "the newer one holds from now on and stays as it is; the older one is archived"},
			&urfave.BoolFlag{Name: "keep-both", Usage: "both stay, as long as both texts are unchanged"},
			&urfave.BoolFlag{Name: "keep-newer", Usage: "the newer one stays as it is; the older one is archived"},
			&urfave.BoolFlag{Name: "keep-older", Usage: "the older one stays as it is; the newer one is archived"},
			&urfave.StringFlag{Name: "keep", Usage: "the memory `ID`, or a conflict copy by its file, stays as it is; the other one is archived"},
		},
		least: 0, most: -1, run: runReview, words: pairIDs,
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
	verdict, keep, err := c.verdict()
	if err != nil {
		return err
	}
	_, snap, err := c.load()
	if err != nil {
		return err
	}
	if c.judged, err = app.ReadJudgements(c.store); err != nil {
		return err
	}
	groups := app.GroupPairs(snap, snap.Open())
	group, next := c.flags.String("group"), c.flags.Bool("next")
	pairs, err := findPairs(groups, c.args, group)
	switch {
	case err != nil:
		return err
	case verdict == "" && (len(c.args) > 1 || next && len(pairs) > 0):
		return fail.Usagef("give a decision about them, or one pair to be shown")
	case verdict == "" && next:
		return c.showNext(snap, groups)
	case len(pairs) == 0 && verdict != "":
		return fail.WithHint(fail.Usagef("which pair?"), "\"memory review\" lists them")
	case len(pairs) == 0:
		return c.listPairs(snap, groups)
	case verdict == "" && group != "":
		return c.listGroup(snap, groups, group)
	case verdict == "":
		return c.showPair(snap, pairs[0])
	}
	if err := c.decide(snap, pairs, verdict, keep); err != nil || !next || c.json {
		return err
	}
	if _, snap, err = c.load(); err != nil {
		return err
	}
	c.printf("\n")
	return c.showNext(snap, app.GroupPairs(snap, snap.Open()))
}

// decide settles pairs. A memory that stands in several of them takes part in one transaction after the other.
func (c *call) decide(snap *memory.Snapshot, pairs []review.Pair, verdict, keep string) error {
	conf, err := c.settings()
	if err != nil {
		return err
	}
	if len(pairs) == 1 {
		keep = app.KeptOf(snap, pairs[0], keep)
	}
	for _, p := range pairs {
		if verdict == "keep" && keep != p.A && keep != p.B {
			return fail.Usagef("--keep: %s is none of %s and %s", keep, p.A, p.B)
		}
	}
	if len(pairs) == 1 {
		actions, _, _, err := app.Deciding(snap, conf.Settings, c.store.Log().Head(), pairs, verdict, keep)
		if err != nil {
			return err
		}
		return c.applyCommand(actions, c.tellDecisions)
	}
	doc := decidedDoc{Decided: []string{}, Settled: []string{}, RunIDs: []string{}}
	for len(pairs) > 0 {
		actions, done, left, err := app.Deciding(snap, conf.Settings, c.store.Log().Head(), pairs, verdict, keep)
		if err != nil {
			return err
		}
		plan := memory.Command(snap, c.store.Log().Head(), actions...)
		result, err := c.store.Commit(c.ctx, &workspace.Tx{Plan: plan, Started: c.started()})
		if err != nil {
			return err
		}
		c.warn(result)
		if !c.json {
			c.tellDecisions(document.NewPlan(plan, result).Actions)
		}
		if err := commit.Conflict(result); err != nil {
			return err
		}
		doc.RunIDs = append(doc.RunIDs, result.RunID)
		for _, p := range done {
			doc.Decided = append(doc.Decided, p.ID())
		}
		if _, snap, err = c.load(); err != nil {
			return err
		}
		pairs = nil
		open := snap.Open()
		for _, p := range left {
			if slices.ContainsFunc(open, func(o review.Pair) bool { return o.ID() == p.ID() }) {
				pairs = append(pairs, p)
			} else {
				doc.Settled = append(doc.Settled, p.ID())
			}
		}
	}
	if c.json {
		return c.printJSON(doc)
	}
	c.say("%s decided", quantity(len(doc.Decided), "pair"))
	if n := len(doc.Settled); n > 0 {
		c.say("; %s no longer waits, since a memory in it has changed: %s", quantity(n, "other pair"), app.First(doc.Settled, 10))
	}
	c.say("\n  to take it back: memory undo %s\n", strings.Join(doc.RunIDs, ", memory undo "))
	return nil
}

// decidedDoc is what --json prints of a decision about several pairs.
type decidedDoc struct {
	Decided []string `json:"decided"` // ids of pairs
	Settled []string `json:"settled"` // pairs that wait no longer, since another decision has changed one of the memories
	RunIDs  []string `json:"run_ids"` // for undo
}

func (c *call) tellDecisions(all []oplog.Action) {
	for _, a := range all {
		switch a.Type {
		case oplog.Merge:
			c.say("merged %s into %s\n", term.Printable(strings.Join(a.SourceIDs, ", ")), term.Printable(a.ResultID))
		case oplog.Edit:
			if a.To == "" {
				c.say("settled %s: %s\n", term.Printable(a.MemoryID), term.Printable(a.Detail))
				continue
			}
			c.say("both stay: %s, and the copy as %s in %s\n", term.Printable(a.ResultID), term.Printable(a.MemoryID), term.Printable(a.To))
		case oplog.Archive:
			if a.ResultID == "" { // nothing of it is kept
				c.say("archived %s\n", term.Printable(a.MemoryID))
				continue
			}
			c.say("kept %s; archived %s\n", term.Printable(a.ResultID), term.Printable(a.MemoryID))
		default:
			c.say("both stay: %s\n", term.Printable(strings.Join(a.MemoryIDs, " and ")))
		}
	}
}

// verdict reads the one flag that decides; "" when none is given.
func (c *call) verdict() (verdict, keep string, err error) {
	var given []string
	if c.flags.Bool("merge") {
		given = append(given, rules.VerdictMerge)
	}
	if c.flags.Bool("supersede") {
		given = append(given, rules.VerdictSupersede)
	}
	if c.flags.Bool("keep-both") {
		given = append(given, review.KeepBoth)
	}
	if c.flags.Bool("keep-newer") {
		given = append(given, app.VerdictKeepNewer)
	}
	if c.flags.Bool("keep-older") {
		given = append(given, app.VerdictKeepOlder)
	}
	if c.flags.IsSet("keep") {
		given = append(given, "keep")
	}
	switch len(given) {
	case 0:
		return "", "", nil
	case 1:
		return given[0], c.flags.String("keep"), nil
	}
	return "", "", fail.Usagef("--merge, --supersede, --keep-both, --keep-newer, --keep-older and --keep exclude each other")
}

// findPairs finds the waiting pairs that are named by their own ids, by that of a memory that stands in one pair only, or by a group.
func findPairs(groups []app.PairGroup, ids []string, group string) (pairs []review.Pair, err error) {
	var open []review.Pair
	for _, g := range groups {
		open = append(open, g.Pairs...)
	}
	if group != "" {
		if len(ids) > 0 {
			return nil, fail.Usagef("--group: name a group or pairs, not both")
		}
		g, err := findGroup(groups, group)
		return g.Pairs, err
	}
	for _, id := range ids {
		switch found := app.FindPairs(open, id); len(found) {
		case 0:
			return nil, fail.WithHint(fail.Errorf(fail.ExitNotFound, "%s: no such pair waits", id), "\"memory review\" lists them")
		case 1:
			if !slices.ContainsFunc(pairs, func(p review.Pair) bool { return p.ID() == found[0].ID() }) {
				pairs = append(pairs, found[0])
			}
		default:
			var all []string
			for _, p := range found {
				all = append(all, p.ID())
			}
			return nil, fail.Usagef("%s stands in %d pairs: name one of %s", id, len(found), strings.Join(all, ", "))
		}
	}
	return pairs, nil
}

func findGroup(groups []app.PairGroup, name string) (app.PairGroup, error) {
	for i, g := range groups {
		if g.ID == name || strconv.Itoa(i+1) == name {
			return g, nil
		}
	}
	return app.PairGroup{}, fail.WithHint(fail.Errorf(fail.ExitNotFound, "--group: there is no group %s: its pairs may have changed", name), "\"memory review\" lists them")
}

// pairDoc is a pair that waits, as --json prints it.
type pairDoc struct {
	document.Pair
	Group string        `json:"group"`           // the id of its group
	Model *oplog.Action `json:"model,omitempty"` // what a model said about it
}

func (c *call) listPairs(snap *memory.Snapshot, groups []app.PairGroup) error {
	if c.json {
		docs := []pairDoc{}
		for _, g := range groups {
			for _, p := range g.Pairs {
				docs = append(docs, pairDoc{document.NewPair(snap, p), g.ID, c.judgedPair(snap, p)})
			}
		}
		return c.printJSON(docs)
	}
	if len(groups) == 0 {
		c.say("nothing waits for a decision\n")
		return nil
	}
	shown := groups
	if !c.verbose {
		shown = groups[:min(len(groups), questionsShown)]
	}
	for i, g := range shown {
		pairs := g.Pairs
		if len(pairs) > 1 {
			c.printf("%s  %s, %s that differ in the same way\n", c.style.Bold(fmt.Sprintf("group %d", i+1)), g.ID, quantity(len(pairs), "pair"))
			if !c.verbose {
				pairs = pairs[:1]
			}
		}
		for _, p := range pairs {
			c.listPair(snap, p)
		}
		if more := len(g.Pairs) - len(pairs); more > 0 {
			c.printf("  and %s: memory review --group %d\n", quantity(more, "more pair"), i+1)
		}
	}
	more := 0
	for _, g := range groups[len(shown):] {
		more += len(g.Pairs)
	}
	if more > 0 {
		c.printf("\n%s: --verbose shows them\n", c.style.Bold(quantity(more, "more pair")))
	}
	c.say("\nTo see a pair: memory review ID, or --next. To decide: --merge, --supersede, --keep-both, --keep-newer, --keep-older or --keep ID.\n")
	return nil
}

func (c *call) listPair(snap *memory.Snapshot, p review.Pair) {
	c.printf("%s  %s\n", c.style.Bold(p.ID()), term.Printable(reasonWords(p.Reason)))
	t := c.facts()
	older, newer := snap.Sides(p)
	for _, side := range []struct {
		id string
		m  *memory.Memory
	}{{p.A, older}, {p.B, newer}} {
		summary, _ := side.m.Summary()
		t.Row("", side.id, summary)
	}
	c.printf("%s", t.Format("", c.style))
	for _, d := range p.Differences {
		c.printf("  %s  %s\n", app.DifferenceVerb(p.Reason), term.Printable(d))
	}
	if a, ok := c.judged.OfPair(snap, p); ok {
		c.printf("  model    %s\n", term.Printable(judgedText(&a)))
	}
}

// listGroup lists all pairs of a group.
func (c *call) listGroup(snap *memory.Snapshot, groups []app.PairGroup, name string) error {
	g, err := findGroup(groups, name)
	if err != nil || c.json {
		return errors.Join(err, c.listPairs(snap, []app.PairGroup{g}))
	}
	for _, p := range g.Pairs {
		c.listPair(snap, p)
	}
	c.say("\n  memory review --group %s --merge | --supersede | --keep-both | --keep-newer | --keep-older\n", g.ID)
	return nil
}

// showNext shows the first pair that waits.
func (c *call) showNext(snap *memory.Snapshot, groups []app.PairGroup) error {
	if len(groups) == 0 {
		return c.listPairs(snap, groups)
	}
	left := 0
	for _, g := range groups {
		left += len(g.Pairs)
	}
	if err := c.showPair(snap, groups[0].Pairs[0]); err != nil || c.json {
		return err
	}
	if n := len(groups[0].Pairs); n > 1 {
		c.say("  %s differ in the same way: memory review --group %s\n", quantity(n-1, "other pair"), groups[0].ID)
	}
	c.say("  %s\n", quantity(left, "pair")+" left")
	return nil
}

// showPair prints both memories of a pair as one text in which the words that
// only one of them has are marked.
func (c *call) showPair(snap *memory.Snapshot, p review.Pair) error {
	older, newer := snap.Sides(p)
	if c.json {
		return c.printJSON(struct {
			document.Pair
			Texts [2]string     `json:"texts"`
			Model *oplog.Action `json:"model,omitempty"`
		}{document.NewPair(snap, p), [2]string{older.Text(), newer.Text()}, c.judgedPair(snap, p)})
	}
	alike := ""
	if p.Compared() {
		alike = ", " + app.Alike(p.ContentSimilarity, p.TagOverlap)
	}
	c.printf("%s  %s%s\n", c.style.Bold(p.ID()), term.Printable(reasonWords(p.Reason)), alike)
	for _, side := range []struct {
		mark string
		m    *memory.Memory
	}{{"-", older}, {"+", newer}} {
		c.printf("  %s %s  %s, written %s by %s\n", side.mark, term.Printable(side.m.ID), term.Printable(side.m.Ref.String()),
			c.day(side.m.Newest()), term.Printable(or(side.m.CreatedBy, "nobody")))
	}
	c.printf("\n%s\n", indent(c.wordDiff(older.Text(), newer.Text()), "  "))
	if len(p.Differences) > 0 {
		c.printf("\n")
	}
	for _, d := range slices.Compact(slices.Clone(p.Differences)) {
		c.printf("  %s  %s\n", c.style.Yellow(app.DifferenceVerb(p.Reason)), term.Printable(d))
	}
	if a, ok := c.judged.OfPair(snap, p); ok {
		c.printf("  %s    %s\n", c.style.Yellow("model"), term.Printable(judgedText(&a)))
		for _, q := range a.Quotes {
			c.printf("           %s\n", term.Printable(strconv.Quote(q)))
		}
	}
	c.say("\n  memory review %s --merge | --supersede | --keep-both | --keep-newer | --keep-older\n", p.ID())
	return nil
}
