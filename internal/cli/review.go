package cli

import (
	"cmp"
	"context"
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
	"github.com/memoryd/memoryd/internal/op/reviewing"
	"github.com/memoryd/memoryd/internal/term"
	"github.com/memoryd/memoryd/pkg/config"
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
same way, in the same words or at the same places of the same text, are listed as
a group; --verbose shows each of them. With the ID of a pair, or of a memory in
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
	q := &queue{&c.printer, snap, conf.Settings, judged}
	group, next := c.flags.String("group"), c.flags.Bool("next")
	pairs, err := reviewing.Pairs(groups, c.args, group)
	switch {
	case err != nil:
		return err
	case verdict == "" && (len(c.args) > 1 || next && len(pairs) > 0):
		return fail.Usagef("give a decision about them, or one pair to be shown")
	case verdict == "" && next:
		return q.showNext(groups)
	case len(pairs) == 0 && verdict != "":
		return fail.WithHint(fail.Usagef("which pair?"), "\"memory review\" lists them")
	case len(pairs) == 0:
		return q.list(groups)
	case verdict == "" && group != "":
		return q.listGroup(groups, group)
	case verdict == "":
		return q.show(pairs[0])
	}
	ids := make([]string, len(pairs))
	for i, p := range pairs {
		ids[i] = p.ID()
	}
	if err := decide(c, reviewing.Decision{IDs: ids, Verdict: verdict, Keep: keep}, len(pairs) > 1); err != nil || !next || c.json {
		return err
	}
	if _, q.snap, err = c.load(); err != nil {
		return err
	}
	c.printf("\n")
	return q.showNext(reviewing.Groups(q.snap, q.snap.Open()))
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
		warn(&c.printer, result)
		if last = document.NewPlan(tx.Plan, result); result.Applied > 0 {
			c.tellDecisions(last.Actions)
		}
		return result, nil
	}, conf.Settings, c.store.Log().Head, d)
	switch {
	case c.dryRun() && err == nil:
		return printWould(c, commit.Tx(c.snap, c.store.Log(), c.started(), "", would).Plan)
	case c.json && len(out.Results) > 0:
		return errors.Join(c.printJSON(out.Document()), err)
	case err != nil || !several:
		return err
	}
	c.say("%s decided", quantity(len(out.Pairs), "pair"))
	if n := len(out.Settled); n > 0 {
		c.say("; %s no longer waits, since a memory in it has changed: %s", quantity(n, "other pair"), app.First(out.Settled, 10))
	}
	c.say("\n  to take it back: memory undo %s\n", strings.Join(out.RunIDs(), ", memory undo "))
	return nil
}

func (p *printer) tellDecisions(all []oplog.Action) {
	for _, a := range all {
		switch a.Type {
		case oplog.Merge:
			p.say("merged %s into %s\n", term.Printable(strings.Join(a.SourceIDs, ", ")), term.Printable(a.ResultID))
		case oplog.Edit:
			if a.To == "" {
				p.say("settled %s: %s\n", term.Printable(a.MemoryID), term.Printable(a.Detail))
				continue
			}
			p.say("both stay: %s, and the copy as %s in %s\n", term.Printable(a.ResultID), term.Printable(a.MemoryID), term.Printable(a.To))
		case oplog.Archive:
			if a.ResultID == "" { // nothing of it is kept
				p.say("archived %s\n", term.Printable(a.MemoryID))
				continue
			}
			p.say("kept %s; archived %s\n", term.Printable(a.ResultID), term.Printable(a.MemoryID))
		default:
			p.say("both stay: %s\n", term.Printable(strings.Join(a.MemoryIDs, " and ")))
		}
	}
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
	switch len(given) {
	case 0:
		return "", "", nil
	case 1:
		return given[0], flags.String(reviewing.Keep), nil
	}
	return "", "", fail.Usagef("--merge, --supersede, --keep-both, --keep-newer, --keep-older and --keep exclude each other")
}

// queue prints pairs that wait.
type queue struct {
	*printer
	snap     *memory.Snapshot
	settings config.Settings
	judged   app.Judgements // what models said about them
}

func (q *queue) list(groups []reviewing.Group) error {
	if q.json {
		doc, i := reviewing.NewReview(q.snap, groups), 0
		for _, g := range groups {
			for _, p := range g.Pairs {
				doc.Pairs[i].Model = q.judgedPair(p)
				i++
			}
		}
		return q.printJSON(doc)
	}
	if q.pairIDs(groups) {
		return nil
	}
	if len(groups) == 0 {
		q.say("nothing waits for a decision\n")
		return nil
	}
	shown := groups
	if !q.verbose {
		shown = groups[:min(len(groups), questionsShown)]
	}
	for i, g := range shown {
		pairs := g.Pairs
		if len(pairs) > 1 {
			q.printf("%s  %s, %s that differ in the same way\n", q.style.Bold(fmt.Sprintf("group %d", i+1)), g.ID, quantity(len(pairs), "pair"))
			if !q.verbose {
				pairs = pairs[:1]
			}
		}
		for _, p := range pairs {
			q.line(p)
		}
		if more := len(g.Pairs) - len(pairs); more > 0 {
			q.printf("  and %s: memory review --group %d\n", quantity(more, "more pair"), i+1)
		}
	}
	more := 0
	for _, g := range groups[len(shown):] {
		more += len(g.Pairs)
	}
	if more > 0 {
		q.printf("\n%s: --verbose shows them\n", q.style.Bold(quantity(more, "more pair")))
	}
	q.say("\nTo see a pair: memory review ID, or --next. To decide: --merge, --supersede, --keep-both, --keep-newer, --keep-older or --keep ID.\n")
	return nil
}

// pairIDs prints the ids of all pairs, with --quiet.
func (q *queue) pairIDs(groups []reviewing.Group) bool {
	var ids []string
	for _, g := range groups {
		for _, p := range g.Pairs {
			ids = append(ids, p.ID())
		}
	}
	return q.ids(ids...)
}

func (q *queue) line(p review.Pair) {
	q.printf("%s  %s\n", q.style.Bold(p.ID()), term.Printable(reasonWords(p.Reason)))
	t := q.facts()
	older, newer := q.snap.Sides(p)
	for _, side := range []struct {
		id string
		m  *memory.Memory
	}{{p.A, older}, {p.B, newer}} {
		summary, _ := side.m.Summary()
		t.Row("", side.id, summary)
	}
	q.printf("%s", t.Format("", q.style))
	for _, d := range p.Differences {
		q.printf("  %s  %s\n", app.DifferenceVerb(p.Reason), term.Printable(d))
	}
	if a, ok := q.judged.OfPair(q.snap, p); ok {
		q.printf("  model    %s\n", term.Printable(judgedText(&a)))
	}
}

// listGroup prints all pairs of a group.
func (q *queue) listGroup(groups []reviewing.Group, name string) error {
	g, err := reviewing.FindGroup(groups, name)
	if err != nil || q.json {
		return errors.Join(err, q.list([]reviewing.Group{g}))
	}
	if q.pairIDs([]reviewing.Group{g}) {
		return nil
	}
	for _, p := range g.Pairs {
		q.line(p)
	}
	q.say("\n  memory review --group %s --merge | --supersede | --keep-both | --keep-newer | --keep-older\n", g.ID)
	return nil
}

// showNext shows the first pair that waits.
func (q *queue) showNext(groups []reviewing.Group) error {
	if len(groups) == 0 {
		return q.list(groups)
	}
	left := 0
	for _, g := range groups {
		left += len(g.Pairs)
	}
	if err := q.show(groups[0].Pairs[0]); err != nil || q.json {
		return err
	}
	if n := len(groups[0].Pairs); n > 1 {
		q.say("  %s differ in the same way: memory review --group %s\n", quantity(n-1, "other pair"), groups[0].ID)
	}
	q.say("  %s\n", quantity(left, "pair")+" left")
	return nil
}

// show prints both memories of a pair as one text in which the words that
// only one of them has are marked.
func (q *queue) show(p review.Pair) error {
	older, newer := q.snap.Sides(p)
	if q.json {
		doc := document.NewPair(q.snap, p)
		doc.AddTexts(q.snap, p, q.settings, 0)
		doc.Model = q.judgedPair(p)
		return q.printJSON(document.Review{Pairs: []document.Pair{doc}, Page: document.Page{Total: len(q.snap.Open())}})
	}
	if q.ids(p.A, p.B) {
		return nil
	}
	alike := ""
	if p.Compared() {
		alike = ", " + app.Alike(p.ContentSimilarity, p.TagOverlap)
	}
	q.printf("%s  %s%s\n", q.style.Bold(p.ID()), term.Printable(reasonWords(p.Reason)), alike)
	for _, side := range []struct {
		mark string
		m    *memory.Memory
	}{{"-", older}, {"+", newer}} {
		q.printf("  %s %s  %s, written %s by %s\n", side.mark, term.Printable(side.m.ID), term.Printable(side.m.Ref.String()),
			q.day(side.m.Newest()), term.Printable(cmp.Or(side.m.CreatedBy, "nobody")))
	}
	q.printf("\n%s\n", document.Indent(wordDiff(q.style, older.Text(), newer.Text()), "  "))
	if len(p.Differences) > 0 {
		q.printf("\n")
	}
	for _, d := range slices.Compact(slices.Clone(p.Differences)) {
		q.printf("  %s  %s\n", q.style.Yellow(app.DifferenceVerb(p.Reason)), term.Printable(d))
	}
	if a, ok := q.judged.OfPair(q.snap, p); ok {
		q.printf("  %s    %s\n", q.style.Yellow("model"), term.Printable(judgedText(&a)))
		for _, text := range a.Quotes {
			q.printf("           %s\n", term.Printable(strconv.Quote(text)))
		}
	}
	q.say("\n  memory review %s --merge | --supersede | --keep-both | --keep-newer | --keep-older\n", p.ID())
	return nil
}

// judgedPair is what a model said about a pair; nil for nothing.
func (q *queue) judgedPair(p review.Pair) *oplog.Action {
	if a, ok := q.judged.OfPair(q.snap, p); ok {
		return &a
	}
	return nil
}
