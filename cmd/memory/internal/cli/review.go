package cli

import (
	"slices"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"github.com/memoryd/memoryd/cmd/memory/internal/app"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/review"
	"github.com/memoryd/memoryd/pkg/rules"
)

func reviewCommand() *command {
	return &command{
		name: "review", group: groupConsolidate, args: "[ID] [--merge | --supersede | --keep-both | --keep ID]",
		purpose: "decide about memories that state different facts or update others",
		detail: `Without ID it lists the pairs that wait for a decision; if there are many, only
the first, unless --verbose is given. With the ID of a pair, or of a memory in
one, it shows both texts and what differs. --supersede is for pairs in which the
newer memory updates the older one: the older one is archived and points to the
newer. --keep-both is remembered: the pair isn't shown again while both texts
stay the same. Decisions are logged, and "memory undo" takes them back.`,
		example: "memory review rev_3f9a01bc --keep mem_k3x9q0a7b2cd",
		flags: []urfave.Flag{
			&urfave.BoolFlag{Name: "merge", Usage: "merge them: the newer one stays, the older one is archived"},
			&urfave.BoolFlag{Name: "supersede", Usage: "the newer one holds from now on and stays as it is; the older one is archived"},
			&urfave.BoolFlag{Name: "keep-both", Usage: "both stay, as long as both texts are unchanged"},
			&urfave.StringFlag{Name: "keep", Usage: "the memory `ID` stays as it is; the other one is archived"},
		},
		least: 0, most: 1, run: runReview, words: pairIDs,
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
	store, snap, err := c.load()
	if err != nil {
		return err
	}
	open := snap.Open()
	if len(c.args) == 0 {
		if verdict != "" {
			return withHint(usagef("which pair?"), "\"memory review\" lists them")
		}
		return c.listPairs(snap, open)
	}
	pair, err := findPair(open, c.args[0])
	if err != nil {
		return err
	}
	if verdict == "" {
		return c.showPair(snap, pair)
	}
	conf, err := c.settings()
	if err != nil {
		return err
	}
	if verdict == "keep" && keep != pair.A && keep != pair.B {
		return usagef("--keep: %s is none of %s and %s", keep, pair.A, pair.B)
	}
	a, err := rules.Decide(snap, rules.Request{Settings: conf.Settings, LogHead: store.LogHead()}, pair, verdict, keep)
	if err != nil {
		return err
	}
	return c.applyCommand(snap, []memory.Action{a}, func(done []oplog.Action) {
		switch a := done[0]; a.Type {
		case oplog.Merge:
			c.say("merged %s into %s\n", printable(strings.Join(a.SourceIDs, ", ")), printable(a.ResultID))
		case oplog.Archive:
			c.say("kept %s; archived %s\n", printable(a.ResultID), printable(a.MemoryID))
		default:
			c.say("both stay: %s and %s\n", printable(pair.A), printable(pair.B))
		}
	})
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
	if c.flags.IsSet("keep") {
		given = append(given, "keep")
	}
	switch len(given) {
	case 0:
		return "", "", nil
	case 1:
		return given[0], c.flags.String("keep"), nil
	}
	return "", "", usagef("--merge, --supersede, --keep-both and --keep exclude each other")
}

// findPair finds a waiting pair by its own id, or by that of a memory that stands
// in one pair only.
func findPair(open []review.Pair, id string) (review.Pair, error) {
	found := app.FindPairs(open, id)
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return review.Pair{}, withHint(failf(exitNotFound, "%s: no such pair waits", id), "\"memory review\" lists them")
	}
	var ids []string
	for _, p := range found {
		ids = append(ids, p.ID())
	}
	return review.Pair{}, usagef("%s stands in %d pairs: name one of %s", id, len(found), strings.Join(ids, ", "))
}

func (c *call) listPairs(snap *memory.Snapshot, open []review.Pair) error {
	if c.json {
		docs := []app.PairDocument{}
		for _, p := range open {
			docs = append(docs, app.NewPairDocument(p))
		}
		return c.printJSON(docs)
	}
	if len(open) == 0 {
		c.say("nothing waits for a decision\n")
		return nil
	}
	shown := open
	if !c.verbose {
		shown = open[:min(len(open), questionsShown)]
	}
	for _, p := range shown {
		c.printf("%s  %s\n", c.style.bold(p.ID()), printable(reasonWords(p.Reason)))
		t := c.facts()
		for _, id := range []string{p.A, p.B} {
			summary, _ := snap.Live(id).Summary()
			t.row("", id, summary)
		}
		c.printf("%s", t.format("", c.style))
		for _, d := range p.Differences {
			c.printf("  %s  %s\n", shows(p.Reason), printable(d))
		}
	}
	if more := len(open) - len(shown); more > 0 {
		c.printf("\n%s: --verbose shows them\n", c.style.bold(quantity(more, "more pair")))
	}
	c.say("\nTo see a pair: memory review ID. To decide: --merge, --supersede, --keep-both or --keep ID.\n")
	return nil
}

// shows is the word before what speaks for a reason: a difference, or evidence.
func shows(reason string) string {
	if reason == rules.ReasonSupersede {
		return "updates"
	}
	return "differs"
}

// showPair prints both memories of a pair as one text in which the words that
// only one of them has are marked.
func (c *call) showPair(snap *memory.Snapshot, p review.Pair) error {
	older, newer := snap.Live(p.A), snap.Live(p.B)
	if c.json {
		return c.printJSON(struct {
			app.PairDocument
			Texts [2]string `json:"texts"`
		}{app.NewPairDocument(p), [2]string{older.Text(), newer.Text()}})
	}
	c.printf("%s  %s, content %.2f alike, tags %.2f\n", c.style.bold(p.ID()), printable(reasonWords(p.Reason)), p.ContentSimilarity, p.TagOverlap)
	for _, side := range []struct {
		mark string
		m    *memory.Memory
	}{{"-", older}, {"+", newer}} {
		c.printf("  %s %s  %s, written %s by %s\n", side.mark, printable(side.m.ID), printable(side.m.Ref.String()),
			side.m.Newest().UTC().Format("2006-01-02"), printable(or(side.m.CreatedBy, "nobody")))
	}
	c.printf("\n%s\n", indent(c.wordDiff(older.Text(), newer.Text()), "  "))
	if len(p.Differences) > 0 {
		c.printf("\n")
	}
	for _, d := range slices.Compact(slices.Clone(p.Differences)) {
		c.printf("  %s  %s\n", c.style.yellow(shows(p.Reason)), printable(d))
	}
	c.say("\n  memory review %s --merge | --supersede | --keep-both | --keep %s | --keep %s\n", p.ID(), printable(p.A), printable(p.B))
	return nil
}
