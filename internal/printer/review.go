package printer

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/memoryd/memoryd/internal/app"
	"github.com/memoryd/memoryd/internal/document"
	"github.com/memoryd/memoryd/internal/op/reviewing"
	"github.com/memoryd/memoryd/internal/term"
	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/review"
	"github.com/memoryd/memoryd/pkg/text"
)

// Decisions says what was decided about pairs.
func Decisions(p *Printer, all []oplog.Action) {
	for _, a := range all {
		switch a.Type {
		case oplog.Merge:
			p.Say("merged %s into %s\n", term.Printable(strings.Join(a.SourceIDs, ", ")), term.Printable(a.ResultID))
		case oplog.Edit:
			if a.To == "" {
				p.Say("settled %s: %s\n", term.Printable(a.MemoryID), term.Printable(a.Detail))
				continue
			}
			p.Say("both stay: %s, and the copy as %s in %s\n", term.Printable(a.ResultID), term.Printable(a.MemoryID), term.Printable(a.To))
		case oplog.Archive:
			if a.ResultID == "" { // nothing of it is kept
				p.Say("archived %s\n", term.Printable(a.MemoryID))
				continue
			}
			p.Say("kept %s; archived %s\n", term.Printable(a.ResultID), term.Printable(a.MemoryID))
		default:
			p.Say("both stay: %s\n", term.Printable(strings.Join(a.MemoryIDs, " and ")))
		}
	}
}

// Queue prints pairs that wait.
type Queue struct {
	*Printer
	Snapshot *memory.Snapshot
	Settings config.Settings
	Judged   app.Judgements // what models said about them
}

// List prints groups of pairs, the first of each; --verbose prints all.
func (q *Queue) List(groups []reviewing.Group) error {
	if q.JSON {
		doc, i := reviewing.NewReview(q.Snapshot, groups), 0
		for _, g := range groups {
			for _, p := range g.Pairs {
				doc.Pairs[i].Model = q.judgedPair(p)
				i++
			}
		}
		return q.PrintJSON(doc)
	}
	if q.pairIDs(groups) {
		return nil
	}
	if len(groups) == 0 {
		q.Say("nothing waits for a decision\n")
		return nil
	}
	shown := groups
	if !q.Verbose {
		shown = groups[:min(len(groups), QuestionsShown)]
	}
	for i, g := range shown {
		pairs := g.Pairs
		if len(pairs) > 1 {
			q.Printf("%s  %s, %s that differ in the same way\n", q.Style.Bold(fmt.Sprintf("group %d", i+1)), g.ID, app.Quantity(len(pairs), "pair"))
			if !q.Verbose {
				pairs = pairs[:1]
			}
		}
		for _, p := range pairs {
			q.line(p)
		}
		if more := len(g.Pairs) - len(pairs); more > 0 {
			q.Printf("  and %s: memory review --group %d\n", app.Quantity(more, "more pair"), i+1)
		}
	}
	more := 0
	for _, g := range groups[len(shown):] {
		more += len(g.Pairs)
	}
	if more > 0 {
		q.Printf("\n%s: --verbose shows them\n", q.Style.Bold(app.Quantity(more, "more pair")))
	}
	q.Say("\nTo see a pair: memory review ID, or --next. To decide: --merge, --supersede, --keep-both, --keep-newer, --keep-older or --keep ID.\n")
	return nil
}

// pairIDs prints the ids of all pairs, with --quiet.
func (q *Queue) pairIDs(groups []reviewing.Group) bool {
	var ids []string
	for _, g := range groups {
		for _, p := range g.Pairs {
			ids = append(ids, p.ID())
		}
	}
	return q.IDs(ids...)
}

func (q *Queue) line(p review.Pair) {
	q.Printf("%s  %s\n", q.Style.Bold(p.ID()), term.Printable(app.Reason(p.Reason)))
	t := q.Facts()
	older, newer := q.Snapshot.Sides(p)
	for _, side := range []struct {
		id string
		m  *memory.Memory
	}{{p.A, older}, {p.B, newer}} {
		summary, _ := side.m.Summary()
		t.Row("", side.id, summary)
	}
	q.Printf("%s", t.Format("", q.Style))
	for _, d := range p.Differences {
		q.Printf("  %s  %s\n", app.DifferenceVerb(p.Reason), term.Printable(d))
	}
	if a, ok := q.Judged.OfPair(q.Snapshot, p); ok {
		q.Printf("  model    %s\n", term.Printable(judgedText(&a)))
	}
}

// ListGroup prints all pairs of a group.
func (q *Queue) ListGroup(groups []reviewing.Group, name string) error {
	g, err := reviewing.FindGroup(groups, name)
	if err != nil || q.JSON {
		return errors.Join(err, q.List([]reviewing.Group{g}))
	}
	if q.pairIDs([]reviewing.Group{g}) {
		return nil
	}
	for _, p := range g.Pairs {
		q.line(p)
	}
	q.Say("\n  memory review --group %s --merge | --supersede [--partly] | --keep-both | --keep-newer | --keep-older\n", g.ID)
	return nil
}

// ShowNext shows the first pair that waits.
func (q *Queue) ShowNext(groups []reviewing.Group) error {
	if len(groups) == 0 {
		return q.List(groups)
	}
	left := 0
	for _, g := range groups {
		left += len(g.Pairs)
	}
	if err := q.Show(groups[0].Pairs[0]); err != nil || q.JSON {
		return err
	}
	if n := len(groups[0].Pairs); n > 1 {
		q.Say("  %s differ in the same way: memory review --group %s\n", app.Quantity(n-1, "other pair"), groups[0].ID)
	}
	q.Say("  %s\n", app.Quantity(left, "pair")+" left")
	return nil
}

// Show prints both memories of a pair as one text in which the words that
// only one of them has are marked.
func (q *Queue) Show(p review.Pair) error {
	older, newer := q.Snapshot.Sides(p)
	if q.JSON {
		doc := document.NewPair(q.Snapshot, p)
		doc.AddTexts(q.Snapshot, p, q.Settings, 0)
		doc.Model = q.judgedPair(p)
		return q.PrintJSON(document.Review{Pairs: []document.Pair{doc}, Page: document.Page{Total: len(q.Snapshot.Open())}})
	}
	if q.IDs(p.A, p.B) {
		return nil
	}
	alike := ""
	if p.Compared() {
		alike = ", " + app.Alike(p.ContentSimilarity, p.TagOverlap)
	}
	q.Printf("%s  %s%s\n", q.Style.Bold(p.ID()), term.Printable(app.Reason(p.Reason)), alike)
	for _, side := range []struct {
		mark string
		m    *memory.Memory
	}{{"-", older}, {"+", newer}} {
		q.Printf("  %s %s  %s, written %s by %s\n", side.mark, term.Printable(side.m.ID), term.Printable(side.m.Ref.String()),
			q.Day(side.m.Newest()), term.Printable(cmp.Or(side.m.CreatedBy, "nobody")))
	}
	q.Printf("\n%s\n", document.Indent(wordDiff(q.Style, older.Text(), newer.Text()), "  "))
	if len(p.Differences) > 0 {
		q.Printf("\n")
	}
	for _, d := range slices.Compact(slices.Clone(p.Differences)) {
		q.Printf("  %s  %s\n", q.Style.Yellow(app.DifferenceVerb(p.Reason)), term.Printable(d))
	}
	if a, ok := q.Judged.OfPair(q.Snapshot, p); ok {
		q.Printf("  %s    %s\n", q.Style.Yellow("model"), term.Printable(judgedText(&a)))
		for _, text := range a.Quotes {
			q.Printf("           %s\n", term.Printable(strconv.Quote(text)))
		}
	}
	ways := "--merge | --supersede | --supersede --partly | --keep-both | --keep-newer | --keep-older"
	if q.Judged.SaysPartly(q.Snapshot, p) {
		ways = "--supersede --partly | --supersede | --merge | --keep-both | --keep-newer | --keep-older"
	}
	q.Say("\n  memory review %s %s\n", p.ID(), ways)
	return nil
}

// judgedPair is what a model said about a pair; nil for nothing.
func (q *Queue) judgedPair(p review.Pair) *oplog.Action {
	if a, ok := q.Judged.OfPair(q.Snapshot, p); ok {
		return &a
	}
	return nil
}

// wordDiff writes two texts as one: words that only the first has as [-so-],
// words that only the second has as {+so+}, coloured on a terminal.
func wordDiff(style term.Style, before, after string) string {
	var words []string
	for _, run := range text.Diff(term.Printable(before), term.Printable(after)) {
		// Inside a mark, a line break is white space.
		marked := strings.TrimSpace(strings.ReplaceAll(strings.Join(run.Words, " "), "\n", " "))
		switch run.Change {
		case text.Deleted:
			words = append(words, style.Red("[-"+marked+"-]"))
		case text.Inserted:
			words = append(words, style.Green("{+"+marked+"+}"))
		default:
			words = append(words, run.Words...)
		}
	}
	return oneLineBreak.Replace(strings.Join(words, " "))
}

// oneLineBreak keeps one of several line breaks behind each other.
var oneLineBreak = strings.NewReplacer(" \n ", "\n", "\n", "")
