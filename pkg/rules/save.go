package rules

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/review"
)

// ReasonSuperseded: a newer memory holds in its place.
const ReasonSuperseded = "superseded"

// ReasonDistinct: two texts state different facts.
const ReasonDistinct = "distinct_facts"

// Kind is what a memory has in common with those that it may be merged with: type,
// subtype, scope and author. Equal kinds are equal strings.
func Kind(m *memory.Memory) string {
	b := duplicateBlock(m)
	return strings.Join([]string{b.kind, b.subtype, b.scope, b.scopeID, b.author}, "\x00")
}

// Saving judges whether a memory that is about to be saved may be merged into
// another of its kind whose content is so similar: "" when it may, else why not, and
// the facts in which the two differ.
//
// The exclusions are those of the rules but for the age: whoever saves the same thing
// twice does so within days. They hold for either of the two.
func Saving(s *memory.Snapshot, r Request, into, draft *memory.Memory, content float64) (reason, detail string, differences []string) {
	differences = differencesOf(into, draft, content)
	r.Trigger = SessionEnd // at which age doesn't count
	p := newPlanner(s, r)
	for _, m := range []*memory.Memory{into, draft} {
		if reason, detail = p.excluded(&subject{Memory: m}, memory.RuleWorking); reason != "" {
			return reason, m.ID + ": " + detail, differences
		}
	}
	switch {
	case len(into.SupersededBy) > 0:
		return ReasonSuperseded, into.ID + " is superseded by " + strings.Join(into.SupersededBy, ", "), differences
	case len(differences) > 0:
		return ReasonDistinct, "the two state different facts", differences
	case !(content > r.Settings.Remember.MergeSimilarity):
		return review.Similar, fmt.Sprintf("%.2f alike", content), nil
	}
	return "", "", nil
}

// MergeSaved builds the action that merges a memory that is about to be saved into one
// of which it is a duplicate. Text and id of the older stay; what it lacks of the
// newer one's content, tags, references and priority is added. A newer one that says
// it in other words, or has an id that somebody asked for (keep), goes into the archive
// in full, as in any merge; of one that adds nothing no copy is kept. Without a single
// change, as when the same is saved twice in a second, the action does nothing.
func MergeSaved(s *memory.Snapshot, r Request, into, draft *memory.Memory, tags, content float64, keep bool) (memory.Action, error) {
	p := newPlanner(s, r)
	nameless := *draft
	nameless.ID = ""
	raw, err := into.Edit(mergeEdits(into, []member{{subject: &subject{Memory: &nameless}}}, p.At)...)
	if err != nil {
		return memory.Action{}, err
	}
	switch {
	case keep || !holds(raw, draft): // a merge like others
	case bytes.Equal(raw, into.Raw()):
		return memory.Action{}, nil
	default:
		return memory.Action{
			Action: oplog.Action{
				Type: oplog.Edit, Rule: memory.RuleManual, MemoryID: into.ID, From: into.Ref.String(),
				Reason: "saved_again", Detail: "an equal memory was saved",
			},
			Ops: []memory.Op{{Kind: memory.Put, ID: into.ID, Ref: into.Ref, Base: into.Digest(), Raw: raw}},
		}, nil
	}
	g := &group{survivor: &subject{Memory: into}, members: []member{{subject: &subject{Memory: draft}, tags: tags, content: content}}}
	a, err := p.mergeAction(g)
	if err != nil {
		return a, err
	}
	a.Rule, a.Reason = memory.RuleManual, "saved_again"
	a.Ops[1].Kind, a.Ops[1].Base = memory.Create, "" // it never stood where it would have
	return a, nil
}

// holds reports whether a record has all that a memory's content has.
func holds(record []byte, m *memory.Memory) bool {
	content := gjson.GetBytes(record, "content")
	if !m.Content().IsObject() {
		return compact(content) == compact(m.Content())
	}
	has := map[string]gjson.Result{}
	content.ForEach(func(k, v gjson.Result) bool { has[k.Str] = v; return true })
	all := content.IsObject()
	m.Content().ForEach(func(k, v gjson.Result) bool {
		mine, ok := has[k.Str]
		all = all && ok && (compact(mine) == compact(v) || mine.IsArray() && v.IsArray() && contains(elements(mine), elements(v)))
		return all
	})
	return all
}

func compact(v gjson.Result) string { return string(jsonedit.Compact([]byte(v.Raw))) }

// contains reports whether every element of a list stands in another.
func contains(all, some []string) bool {
	return !slices.ContainsFunc(some, func(e string) bool { return !slices.Contains(all, e) })
}
