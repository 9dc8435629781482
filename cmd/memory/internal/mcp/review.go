package mcp

import (
	"context"
	"fmt"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/memoryd/memoryd/cmd/memory/internal/app"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/review"
	"github.com/memoryd/memoryd/pkg/rules"
)

type reviewArgs struct {
	Pair     string `json:"pair,omitempty" jsonschema:"id of a pair: shows both texts. Without it the pairs that wait are listed"`
	Decision string `json:"decision,omitempty" jsonschema:"what the person decided about the pair: keep_both (both hold), merge (they say the same), supersede (the newer holds from now on), keep (the one named by keep stays, the other is archived)"`
	Keep     string `json:"keep,omitempty" jsonschema:"with the decision keep: id of the memory that stays"`
	Cursor   string `json:"cursor,omitempty" jsonschema:"next_cursor of the page before"`
}

type reviewResult struct {
	Pairs      []pair `json:"pairs"`
	Total      int    `json:"total"`
	NextCursor string `json:"next_cursor,omitempty"`
	Decided    string `json:"decided,omitempty"`
	RunID      string `json:"run_id,omitempty" jsonschema:"of the decision, for undo"`
}

// pair is two memories that a person has to decide about.
type pair struct {
	ID          string    `json:"id"`
	Reason      string    `json:"reason" jsonschema:"distinct_facts, both_edited or supersede"`
	Differences []string  `json:"differences"`
	Similarity  float64   `json:"content_similarity"`
	FlaggedAt   string    `json:"flagged_at"`
	Older       described `json:"older"`
	Newer       described `json:"newer"`
}

// decisionKeep is the decision for one of the two; the others are verdicts of rules.
const decisionKeep = "keep"

func addReview(s *sdk.Server, r *room) {
	add(s, tool{
		name: "review", title: "Review flagged pairs", again: true,
		purpose: "List the pairs of memories that state different facts or may update one another; with pair, show both texts; with pair and decision, record what the person decided. Ask the person about each pair and show the differences: don't decide yourself.",
		arguments: func(a map[string]*jsonschema.Schema) {
			oneOf(a["decision"], review.KeepBoth, rules.VerdictMerge, rules.VerdictSupersede, decisionKeep)
		},
	}, r.review)
}

func (r *room) review(ctx context.Context, args reviewArgs) (reviewResult, string, error) {
	none := reviewResult{Pairs: []pair{}}
	switch {
	case args.Pair == "" && args.Decision != "":
		return none, "", refuse("Name the pair: review without arguments lists them.", "a decision is about one pair")
	case (args.Decision == decisionKeep) != (args.Keep != ""):
		return none, "", refuse("Give both: decision keep, and keep with the id of the memory that stays.", "decision and keep don't fit together")
	case args.Decision != "":
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
	return listPairs(snap, open, args.Cursor)
}

// listPairs tells the pairs that wait, with the beginning of their texts.
func listPairs(snap *memory.Snapshot, open []review.Pair, cursor string) (reviewResult, string, error) {
	result := reviewResult{Pairs: []pair{}}
	ids := make([]any, len(open))
	for i, p := range open {
		ids[i] = p.ID()
	}
	const begin = 300 // characters of each text
	p, err := paged(open, hash(ids...), cursor, 20, func(p review.Pair) int { return 2*begin + 400 })
	if err != nil {
		return result, "", err
	}
	result.Total, result.NextCursor = p.total, p.next
	var text strings.Builder
	for _, one := range p.items {
		doc, err := describePair(snap, one, begin)
		if err != nil {
			return result, "", err
		}
		result.Pairs = append(result.Pairs, doc)
		fmt.Fprintf(&text, "%s\n", doc.text())
	}
	if p.total == 0 {
		text.WriteString("Nothing waits for a decision.\n")
	}
	return result, text.String() + p.more("pairs"), nil
}

// decide records a decision.
func (r *room) decide(ctx context.Context, args reviewArgs) (reviewResult, string, error) {
	result := reviewResult{Pairs: []pair{}, Decided: args.Pair}
	settings, err := r.config()
	if err != nil {
		return result, "", err
	}
	done, err := r.commit(ctx, r.loaded, func(snap *memory.Snapshot) ([]memory.Action, error) {
		open := snap.Open()
		p, err := findPair(open, args.Pair)
		if err != nil {
			return nil, err
		}
		result.Decided, result.Total = p.ID(), len(open)-1
		if args.Keep != "" && args.Keep != p.A && args.Keep != p.B {
			return nil, refuse("Give one of these two.", "%s is neither %s nor %s", args.Keep, p.A, p.B)
		}
		a, err := rules.Decide(snap, rules.Request{Settings: settings, LogHead: r.store.LogHead()}, p, args.Decision, args.Keep)
		return []memory.Action{a}, err
	})
	if err != nil {
		return result, "", err
	}
	result.RunID = done.RunID
	what := "both stay"
	if done.Entry != nil && len(done.Entry.Actions) > 0 && args.Decision != review.KeepBoth {
		what = app.DescribeAction(&done.Entry.Actions[0])
	}
	return result, oneLine("Decided %s: %s. undo %s takes it back. %s left.", result.Decided, what, done.RunID, app.Quantity(result.Total, "pair")) + notes(done.Warnings), nil
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

// describePair tells of a pair, with so many characters of each text.
func describePair(snap *memory.Snapshot, p review.Pair, most int) (pair, error) {
	if err := readable(snap, p.A, p.B); err != nil {
		return pair{}, err
	}
	doc := pair{ID: p.ID(), Reason: p.Reason, Differences: []string{}, Similarity: p.ContentSimilarity, FlaggedAt: stamp(p.FlaggedAt)}
	for _, d := range p.Differences[:min(len(p.Differences), 20)] {
		doc.Differences = append(doc.Differences, short(d, 200))
	}
	for _, side := range []struct {
		doc *described
		id  string
	}{{&doc.Older, p.A}, {&doc.Newer, p.B}} {
		m := snap.Live(side.id) // open pairs are of live ones
		*side.doc = describeMemory(m)
		if err := side.doc.fill(m.Text(), 0, most); err != nil {
			return doc, err
		}
	}
	return doc, nil
}

// text is a pair for reading.
func (p *pair) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n", p.ID, app.Reason(p.Reason))
	for i, m := range []*described{&p.Older, &p.Newer} {
		fmt.Fprintf(&b, "%s: %s\n%s\n", []string{"older", "newer"}[i], m.head(), quoted(m.Content))
		if m.NextOffset > 0 {
			b.WriteString(oneLine("(the rest: get %s with offset %d)", m.ID, m.NextOffset))
		}
	}
	for _, d := range p.Differences {
		fmt.Fprintf(&b, "%s: %s\n", differing(p.Reason), d)
	}
	return b.String()
}

// differing is the word before a difference, or before the evidence of an update.
func differing(reason string) string {
	if reason == rules.ReasonSupersede {
		return "updates"
	}
	return "differs"
}
