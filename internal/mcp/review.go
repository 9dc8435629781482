package mcp

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/memoryd/memoryd/internal/app"
	"github.com/memoryd/memoryd/internal/document"
	"github.com/memoryd/memoryd/internal/op/reviewing"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/review"
	"github.com/memoryd/memoryd/pkg/workspace"
)

type reviewArgs struct {
	Pair     string `json:"pair,omitempty" jsonschema:"id of a pair: shows both texts. Without it the pairs that wait are listed, of those that differ in the same way one"`
	Group    string `json:"group,omitempty" jsonschema:"id of a group of pairs that differ in the same way: lists them all"`
	Decision string `json:"decision,omitempty" jsonschema:"what the person decided about the pair or the group: keep_both (both hold), merge (they say the same), supersede (the newer holds from now on), supersede_partly (the newer replaces a part of the older, and both stay), keep_newer or keep_older (that one stays, the other is archived), keep (the one named by keep stays)"`
	Keep     string `json:"keep,omitempty" jsonschema:"with the decision keep about a pair: id of the memory that stays, or the file of a conflict copy"`
	Cursor   string `json:"cursor,omitempty" jsonschema:"next_cursor of the page before"`
}

func addReview(s *sdk.Server, r *room) {
	add(s, tool{
		name: "review", title: "Review flagged pairs", again: true,
		purpose: "List the pairs of memories that state different facts or may update one another; with pair or group, show the texts; with a decision besides, record what the person decided. Ask the person about each pair, or about a group of pairs that differ in the same way, and show the differences: don't decide yourself.",
		arguments: func(a map[string]*jsonschema.Schema) {
			oneOf(a["decision"], reviewing.Verdicts...)
		},
	}, r.review)
}

// check refuses arguments that don't fit together.
func (a *reviewArgs) check() error {
	switch {
	case a.Pair != "" && a.Group != "":
		return refuse("Name one of them.", "pair and group exclude each other")
	case a.Pair == "" && a.Group == "" && a.Decision != "":
		return refuse("Name the pair or the group: review without arguments lists them.", "a decision is about one pair or one group")
	case a.Group != "" && a.Decision == reviewing.Keep:
		return refuse("Use keep_newer or keep_older.", "keep names the memory of one pair")
	case (a.Decision == reviewing.Keep) != (a.Keep != ""):
		return refuse("Give both: decision keep, and keep with the id of the memory that stays.", "decision and keep don't fit together")
	}
	return nil
}

func (r *room) review(ctx context.Context, args reviewArgs) (document.Review, string, error) {
	none := document.Review{}
	if err := args.check(); err != nil {
		return none, "", err
	}
	if args.Decision != "" {
		return r.decide(ctx, args)
	}
	snap, err := r.loaded(ctx)
	if err != nil {
		return none, "", err
	}
	open := snap.Open()
	groups := reviewing.Groups(snap, open)
	if args.Pair != "" {
		pairs, err := reviewing.Pairs(groups, []string{args.Pair}, "")
		if err != nil {
			return none, "", err
		}
		doc, err := r.describePair(snap, pairs[0], maxChars/2)
		if err != nil {
			return none, "", err
		}
		return document.Review{Pairs: []document.Pair{doc}, Page: document.Page{Total: len(open)}}, pairText(&doc), nil
	}
	if args.Group != "" {
		g, err := reviewing.FindGroup(groups, args.Group)
		if err != nil {
			return none, "", err
		}
		return r.listPairs(snap, g.Pairs, nil, len(g.Pairs), args.Cursor)
	}
	first := make([]review.Pair, len(groups))
	for i, g := range groups {
		first[i] = g.Pairs[0]
	}
	return r.listPairs(snap, first, groups, len(open), args.Cursor)
}

// listPairs tells pairs, with the beginning of their texts: all, or the first ones of groups. There are total pairs in all.
func (r *room) listPairs(snap *memory.Snapshot, list []review.Pair, groups []reviewing.Group, total int, cursor string) (document.Review, string, error) {
	result := document.Review{Pairs: []document.Pair{}, Page: document.Page{Total: total}}
	ids, group := make([]any, len(list)), map[string]reviewing.Group{}
	for i, p := range list {
		ids[i] = p.ID()
		if groups != nil {
			group[p.ID()] = groups[i]
		}
	}
	const begin = 300 // characters of each text
	p, err := paged(list, hash(ids...), cursor, 20, func(p review.Pair) int { return 2*begin + 500 })
	if err != nil {
		return result, "", err
	}
	result.NextCursor = p.next
	var text strings.Builder
	for _, one := range p.items {
		doc, err := r.describePair(snap, one, begin)
		if err != nil {
			return result, "", err
		}
		if g, ok := group[one.ID()]; ok {
			if doc.Group = g.ID; len(g.Pairs) > 1 {
				doc.Alike = len(g.Pairs)
			}
		}
		result.Pairs = append(result.Pairs, doc)
		fmt.Fprintf(&text, "%s\n", pairText(&doc))
	}
	if total == 0 {
		text.WriteString("Nothing waits for a decision.\n")
	}
	what := "pairs"
	if groups != nil {
		what = "groups"
	}
	return result, text.String() + p.more(what), nil
}

// decide records a decision.
func (r *room) decide(ctx context.Context, args reviewArgs) (document.Review, string, error) {
	var result document.Review
	about := cmp.Or(args.Pair, args.Group)
	settings, err := r.config()
	if err != nil {
		return result, "", err
	}
	decision := reviewing.Decision{Group: args.Group, Verdict: args.Decision, Keep: args.Keep}
	if args.Pair != "" {
		decision.IDs = []string{args.Pair}
	}
	out, err := reviewing.Decide(ctx, func(ctx context.Context, plan func(*memory.Snapshot) ([]memory.Action, error)) (*workspace.Result, error) {
		return r.commit(ctx, r.loaded, plan)
	}, settings, r.store.Log().Head, decision)
	if err != nil {
		return result, "", err
	}
	if args.Pair != "" {
		about = out.Pairs[0]
	}
	var told []string
	for _, done := range out.Results {
		told = append(told, decisions(done)...)
	}
	result = out.Document()
	return result, decidedText(&result, about, told) + notes(result.Notes), nil
}

// decidedText says what was decided.
func decidedText(result *document.Review, about string, what []string) string {
	text := oneLine("Decided %s (%s): %s. memory undo %s takes it back. %s left.", about, app.Quantity(len(result.Decided), "pair"), app.First(what, 10), strings.Join(result.RunIDs, ", memory undo "), app.Quantity(result.Total, "pair"))
	if n := len(result.Settled); n > 0 {
		text += oneLine("%s no longer waits, since a memory in it has changed: %s", app.Quantity(n, "other pair"), app.First(result.Settled, 10))
	}
	return text
}

// decisions lists what a run has decided.
func decisions(done *workspace.Result) (told []string) {
	if done.Entry == nil {
		return nil
	}
	for i := range done.Entry.Actions {
		if a := &done.Entry.Actions[i]; a.Reason == review.KeepBoth {
			told = append(told, "both stay")
		} else {
			told = append(told, app.DescribeAction(a))
		}
	}
	return told
}

// describePair describes a pair, with so many characters of each text.
func (r *room) describePair(snap *memory.Snapshot, p review.Pair, most int) (document.Pair, error) {
	if err := readable(snap, p.A, p.B); err != nil {
		return document.Pair{}, err
	}
	settings, err := r.config()
	if err != nil {
		return document.Pair{}, err
	}
	doc := document.NewPair(snap, p)
	doc.AddTexts(snap, p, settings, most)
	doc.Older.Shorten(maxList)
	doc.Newer.Shorten(maxList)
	doc.Differences = doc.Differences[:min(len(doc.Differences), 20)]
	for i, d := range doc.Differences {
		doc.Differences[i] = document.Short(d, 200)
	}
	return doc, nil
}

// pairText is a pair for reading.
func pairText(p *document.Pair) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n", p.ID, app.Reason(p.Reason))
	if p.Alike > 0 {
		b.WriteString(oneLine("and %s that differ in the same way: group %s", app.Quantity(p.Alike-1, "more pair"), p.Group))
	}
	for i, m := range []*document.Memory{p.Older, p.Newer} {
		fmt.Fprintf(&b, "%s: %s\n%s\n", []string{"older", "newer"}[i], head(m), quoted(m.Content))
		if m.NextOffset > 0 {
			b.WriteString(oneLine("(the rest: get %s with offset %d)", m.ID, m.NextOffset))
		}
	}
	for _, d := range p.Differences {
		fmt.Fprintf(&b, "%s: %s\n", app.DifferenceVerb(p.Reason), d)
	}
	return b.String()
}
