package mcp

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/memoryd/memoryd/internal/app"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/review"
	"github.com/memoryd/memoryd/pkg/rules"
	"github.com/memoryd/memoryd/pkg/workspace"
)

type reviewArgs struct {
	Pair     string `json:"pair,omitempty" jsonschema:"id of a pair: shows both texts. Without it the pairs that wait are listed, of those that differ in the same way one"`
	Group    string `json:"group,omitempty" jsonschema:"id of a group of pairs that differ in the same way: lists them all"`
	Decision string `json:"decision,omitempty" jsonschema:"what the person decided about the pair or the group: keep_both (both hold), merge (they say the same), supersede (the newer holds from now on), keep_newer or keep_older (that one stays, the other is archived), keep (the one named by keep stays)"`
	Keep     string `json:"keep,omitempty" jsonschema:"with the decision keep about a pair: id of the memory that stays, or the file of a conflict copy"`
	Cursor   string `json:"cursor,omitempty" jsonschema:"next_cursor of the page before"`
}

type reviewResult struct {
	Pairs      []pair   `json:"pairs"`
	Total      int      `json:"total" jsonschema:"pairs that wait, or those of the group"`
	NextCursor string   `json:"next_cursor,omitempty"`
	Decided    string   `json:"decided,omitempty" jsonschema:"the pair or the group"`
	Settled    []string `json:"settled,omitempty" jsonschema:"pairs of the group that no longer wait, since another decision has changed a memory in them"`
	RunID      string   `json:"run_id,omitempty" jsonschema:"of the decision, for undo"`
	RunIDs     []string `json:"run_ids,omitempty" jsonschema:"instead, for undo: of a group whose pairs share memories, which takes several runs"`
}

// pair is two memories that a person has to decide about.
type pair struct {
	ID          string    `json:"id"`
	Group       string    `json:"group,omitempty" jsonschema:"of pairs that differ in the same way"`
	Alike       int       `json:"alike,omitempty" jsonschema:"pairs in the group"`
	Reason      string    `json:"reason" jsonschema:"distinct_facts, both_edited or supersede"`
	Differences []string  `json:"differences"`
	Similarity  float64   `json:"content_similarity,omitempty" jsonschema:"absent where nobody compared the two"`
	FlaggedAt   string    `json:"flagged_at,omitempty"`
	Older       described `json:"older"`
	Newer       described `json:"newer"`
}

// decisionKeep is the decision for one of the two; the others are verdicts of rules, or about groups.
const decisionKeep = "keep"

func addReview(s *sdk.Server, r *room) {
	add(s, tool{
		name: "review", title: "Review flagged pairs", again: true,
		purpose: "List the pairs of memories that state different facts or may update one another; with pair or group, show the texts; with a decision besides, record what the person decided. Ask the person about each pair, or about a group of pairs that differ in the same way, and show the differences: don't decide yourself.",
		arguments: func(a map[string]*jsonschema.Schema) {
			oneOf(a["decision"], review.KeepBoth, rules.VerdictMerge, rules.VerdictSupersede, app.VerdictKeepNewer, app.VerdictKeepOlder, decisionKeep)
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
	case a.Group != "" && a.Decision == decisionKeep:
		return refuse("Use keep_newer or keep_older.", "keep names the memory of one pair")
	case (a.Decision == decisionKeep) != (a.Keep != ""):
		return refuse("Give both: decision keep, and keep with the id of the memory that stays.", "decision and keep don't fit together")
	}
	return nil
}

func (r *room) review(ctx context.Context, args reviewArgs) (reviewResult, string, error) {
	none := reviewResult{Pairs: []pair{}}
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
	if args.Pair != "" {
		p, err := findPair(open, args.Pair)
		if err != nil {
			return none, "", err
		}
		doc, err := describePair(snap, p, maxChars/2)
		return reviewResult{Pairs: []pair{doc}, Total: len(open)}, doc.text(), err
	}
	groups := app.GroupPairs(snap, open)
	if args.Group != "" {
		g, err := findGroup(groups, args.Group)
		if err != nil {
			return none, "", err
		}
		return listPairs(snap, g.Pairs, nil, len(g.Pairs), args.Cursor)
	}
	first := make([]review.Pair, len(groups))
	for i, g := range groups {
		first[i] = g.Pairs[0]
	}
	return listPairs(snap, first, groups, len(open), args.Cursor)
}

// listPairs tells pairs, with the beginning of their texts: all, or the first ones of groups. There are total pairs in all.
func listPairs(snap *memory.Snapshot, list []review.Pair, groups []app.PairGroup, total int, cursor string) (reviewResult, string, error) {
	result := reviewResult{Pairs: []pair{}, Total: total}
	ids, group := make([]any, len(list)), map[string]app.PairGroup{}
	for i, p := range list {
		ids[i] = p.ID()
		if groups != nil && len(groups[i].Pairs) > 1 {
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
		doc, err := describePair(snap, one, begin)
		if err != nil {
			return result, "", err
		}
		if g, ok := group[one.ID()]; ok {
			doc.Group, doc.Alike = g.ID, len(g.Pairs)
		}
		result.Pairs = append(result.Pairs, doc)
		fmt.Fprintf(&text, "%s\n", doc.text())
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

// decide records a decision. A memory that stands in several pairs of a group takes part in one run after the other.
func (r *room) decide(ctx context.Context, args reviewArgs) (reviewResult, string, error) {
	result := reviewResult{Pairs: []pair{}, Decided: cmp.Or(args.Pair, args.Group)}
	settings, err := r.config()
	if err != nil {
		return result, "", err
	}
	var pairs, now []review.Pair // those that are still to be decided, nil before the first run; and those of a run
	var told, warnings []string
	decided := 0
	for first := true; first || len(pairs) > 0; first = false {
		done, err := r.commit(ctx, r.loaded, func(snap *memory.Snapshot) (actions []memory.Action, err error) {
			open := snap.Open()
			if pairs == nil {
				pairs, err = args.named(snap, open)
			} else {
				pairs = result.waiting(pairs, open)
			}
			if err != nil {
				return nil, err
			}
			actions, now, pairs, err = app.Deciding(snap, settings, r.store.Log().Head(), pairs, args.Decision, args.Keep)
			result.Total = len(open) - len(now)
			return actions, err
		})
		if done != nil {
			result.RunIDs = append(result.RunIDs, done.RunID)
			told, warnings, decided = append(told, decisions(done)...), append(warnings, done.Warnings...), decided+len(now)
			if len(done.Skipped) > 0 {
				err = refuse("", "%s was changed by somebody else just now", done.Skipped[0].MemoryID)
			}
		}
		if err != nil && len(result.RunIDs) > 0 {
			todo := "review lists the pairs that still wait. What was decided is taken back by undo " + strings.Join(result.RunIDs, ", undo ") + "."
			return result, "", &failure{what: err.Error(), todo: todo, cause: err}
		} else if err != nil {
			return result, "", err
		}
		if args.Pair != "" {
			result.Decided = now[0].ID()
		}
	}
	text := result.told(decided, told) + notes(warnings)
	if len(result.RunIDs) == 1 {
		result.RunID, result.RunIDs = result.RunIDs[0], nil
	}
	return result, text, nil
}

// told says what was decided.
func (result *reviewResult) told(decided int, what []string) string {
	text := oneLine("Decided %s (%s): %s. undo %s takes it back. %s left.", result.Decided, app.Quantity(decided, "pair"), app.First(what, 10), strings.Join(result.RunIDs, ", undo "), app.Quantity(result.Total, "pair"))
	if n := len(result.Settled); n > 0 {
		text += oneLine("%s no longer waits, since a memory in it has changed: %s", app.Quantity(n, "other pair"), app.First(result.Settled, 10))
	}
	return text
}

// waiting are those of pairs that still wait. The others are settled.
func (result *reviewResult) waiting(pairs, open []review.Pair) (waiting []review.Pair) {
	for _, p := range pairs {
		if len(app.FindPairs(open, p.ID())) > 0 {
			waiting = append(waiting, p)
		} else {
			result.Settled = append(result.Settled, p.ID())
		}
	}
	return waiting
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

// named are the pairs that a decision is about.
func (a *reviewArgs) named(snap *memory.Snapshot, open []review.Pair) ([]review.Pair, error) {
	if a.Group != "" {
		g, err := findGroup(app.GroupPairs(snap, open), a.Group)
		return g.Pairs, err
	}
	p, err := findPair(open, a.Pair)
	if err != nil {
		return nil, err
	}
	if a.Keep = app.KeptOf(snap, p, a.Keep); a.Keep != "" && a.Keep != p.A && a.Keep != p.B {
		return nil, refuse("Give one of these two.", "%s is neither %s nor %s", a.Keep, p.A, p.B)
	}
	return []review.Pair{p}, nil
}

func findGroup(groups []app.PairGroup, id string) (app.PairGroup, error) {
	i := slices.IndexFunc(groups, func(g app.PairGroup) bool { return g.ID == id })
	if i < 0 {
		return app.PairGroup{}, refuse("review without arguments lists those that wait now.", "there is no group %q: its pairs may have changed", id)
	}
	return groups[i], nil
}

// findPair finds a waiting pair by its id, or by that of a memory in one pair only.
func findPair(open []review.Pair, id string) (review.Pair, error) {
	found := app.FindPairs(open, id)
	if len(found) == 1 {
		return found[0], nil
	}
	if len(found) == 0 {
		return review.Pair{}, refuse("review without arguments lists those that wait.", "no pair %q waits for a decision", id)
	}
	var ids []string
	for _, p := range found {
		ids = append(ids, p.ID())
	}
	return review.Pair{}, refuse("Name one of "+app.First(ids, 10)+".", "%s stands in %d pairs", id, len(found))
}

// describePair describes a pair, with so many characters of each text.
func describePair(snap *memory.Snapshot, p review.Pair, most int) (pair, error) {
	if err := readable(snap, p.A, p.B); err != nil {
		return pair{}, err
	}
	doc := pair{ID: p.ID(), Reason: p.Reason, Differences: []string{}, Similarity: p.ContentSimilarity, FlaggedAt: stamp(snap.WaitsSince(p))}
	for _, d := range p.Differences[:min(len(p.Differences), 20)] {
		doc.Differences = append(doc.Differences, short(d, 200))
	}
	older, newer := snap.Sides(p)
	for _, side := range []struct {
		doc *described
		m   *memory.Memory
	}{{&doc.Older, older}, {&doc.Newer, newer}} {
		*side.doc = describeMemory(side.m)
		if err := side.doc.fill(side.m.Text(), 0, most); err != nil {
			return doc, err
		}
	}
	return doc, nil
}

// text is a pair for reading.
func (p *pair) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n", p.ID, app.Reason(p.Reason))
	if p.Alike > 0 {
		b.WriteString(oneLine("and %s that differ in the same way: group %s", app.Quantity(p.Alike-1, "more pair"), p.Group))
	}
	for i, m := range []*described{&p.Older, &p.Newer} {
		fmt.Fprintf(&b, "%s: %s\n%s\n", []string{"older", "newer"}[i], m.head(), quoted(m.Content))
		if m.NextOffset > 0 {
			b.WriteString(oneLine("(the rest: get %s with offset %d)", m.ID, m.NextOffset))
		}
	}
	for _, d := range p.Differences {
		fmt.Fprintf(&b, "%s: %s\n", app.DifferenceVerb(p.Reason), d)
	}
	return b.String()
}
