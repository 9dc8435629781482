package rules

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/memoryd/memoryd/pkg/internal/parallel"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/similarity"
)

// Verdict is what one rule makes of a memory.
type Verdict struct {
	Rule       string      `json:"rule"`
	Acts       bool        `json:"acts"`
	Outcome    string      `json:"outcome" jsonschema:"one sentence"`
	Conditions []Condition `json:"conditions"`
}

// Explanation says for every rule whether it would act on a memory now, and what
// stopped it.
type Explanation struct {
	MemoryID   string      `json:"memory_id"`
	Place      string      `json:"place"`
	Exclusions []Condition `json:"exclusions" jsonschema:"Met: it does not apply"`
	Verdicts   []Verdict   `json:"rules"`
	Neighbours []Neighbour `json:"similar"`
}

// maxNeighbours bounds how many close memories are listed.
const maxNeighbours = 5

// Explain computes the explanation of one live memory. What the rules would do is
// read off the plan itself, so that the two can't disagree.
func Explain(s *memory.Snapshot, r Request, m *memory.Memory) Explanation {
	st := newState(s, r)
	st.archivedAnyway = archivesAnyway(st)
	x := Explanation{MemoryID: m.ID, Place: m.Ref.String()}
	x.Exclusions = st.conditionsOf(m)
	x.Neighbours = neighbours(st, m)
	plan := Plan(s, r)
	r.Trigger = SessionEnd
	atEnd := Plan(s, r)
	for _, rule := range order {
		if rule.optIn != nil && !rule.on(st) {
			continue
		}
		v := Verdict{Rule: rule.name, Conditions: rule.explain(st, m, x.Neighbours)}
		if !rule.on(st) {
			v.Conditions = append([]Condition{{false, rule.name + ".enabled is true", "false"}}, v.Conditions...)
		}
		of := plan
		if rule.runs == atSessionEnd {
			of = atEnd
		}
		v.Acts, v.Outcome = outcome(of, v.Rule, m.ID)
		if v.Outcome == "" {
			v.Outcome = "does not apply: " + unmet(v.Conditions)
		}
		x.Verdicts = append(x.Verdicts, v)
	}
	return x
}

// explain lists what the rule asks, with the values of a memory.
func (r *rule) explain(st *state, m *memory.Memory, near []Neighbour) (all []Condition) {
	for _, c := range r.asks {
		if c.when == nil || c.when(st, m) {
			all = append(all, Condition{c.met(st, m), c.what(st, m), c.is(st, m)})
		}
	}
	if r.pairs != nil {
		met, is := r.pairs.find(st, m, near)
		all = append(all, Condition{met, r.pairs.what(st), is})
	}
	return all
}

// outcome reads off a plan what a rule does with a memory.
func outcome(plan *memory.Plan, rule, id string) (acts bool, text string) {
	for i := range plan.Actions {
		a := &plan.Actions[i]
		for _, member := range a.Members() {
			if member != id {
				continue
			}
			if a.Rule != rule {
				return false, "another action of the run takes it: " + a.Type
			}
			text = a.Type
			if a.ResultID != "" && a.ResultID != id {
				text += " into " + a.ResultID
			}
			if a.Detail != "" {
				text += ": " + a.Detail
			}
			if len(a.Differences) > 0 {
				text += ": " + strings.Join(a.Differences, "; ")
			}
			return true, text
		}
	}
	for _, sk := range plan.Skipped {
		if sk.MemoryID == id && sk.Rule == rule {
			return false, "would act, but " + sk.Reason + ": " + sk.Detail
		}
	}
	if slices.Contains(plan.DeferredRules, rule) {
		return false, "not looked at: the run is full, and a later one asks"
	}
	for _, d := range plan.Deferred {
		if d == id {
			return false, "deferred to the next run, or taken by an action that is: the run is full"
		}
	}
	return false, ""
}

func unmet(cs []Condition) string {
	var out []string
	for _, c := range cs {
		if !c.Met {
			out = append(out, fmt.Sprintf("wants %s, is %s", c.What, c.Is))
		}
	}
	if len(out) == 0 {
		return "nothing to do"
	}
	return strings.Join(out, "; ")
}

// neighbours lists the memories whose text is closest to m's, with what keeps
// each apart.
func neighbours(st *state, m *memory.Memory) []Neighbour {
	text := m.Text()
	if strings.TrimSpace(text) == "" {
		return nil
	}
	mine := similarity.Prepare(text)
	near := nearest(st, m, mine)
	near = near[:min(len(near), maxNeighbours)]
	var out []Neighbour
	for _, l := range near {
		n := Neighbour{MemoryID: l.ID, TagOverlap: *oplog.Score(similarity.Tags(m.Tags, l.Tags)), ContentSimilarity: l.shown, Apart: keepsApart(m, l.Memory)}
		n.Differences = describeAll(l.Memory, m)
		out = append(out, n)
	}
	return out
}

// near lists the memories whose texts are somewhat like m's, the closest first.
func nearest(st *state, m *memory.Memory, mine *similarity.Features) []likeness {
	all := st.Memories()
	var mu sync.Mutex
	var out []likeness
	parallel.Ranges(len(all), func(from, to int) {
		for _, other := range all[from:to] {
			if other == m {
				continue
			}
			if c := similarity.Content(mine, similarity.Prepare(other.Text())); c >= 0.5 {
				mu.Lock()
				out = append(out, likeness{other, c, *oplog.Score(c)})
				mu.Unlock()
			}
		}
	})
	slices.SortFunc(out, func(a, b likeness) int {
		return cmp.Or(cmp.Compare(b.shown, a.shown), cmp.Compare(a.ID, b.ID), cmp.Compare(a.Ref.String(), b.Ref.String()))
	})
	return out
}

// likeness is a memory and how similar its text is to another one.
type likeness struct {
	*memory.Memory
	content float64
	shown   float64 // the same, rounded
}

// keepsApart says which of the things that duplicates have in common two memories
// don't.
func keepsApart(a, b *memory.Memory) string {
	x, y := duplicateBlock(a), duplicateBlock(b)
	switch {
	case x.kind != y.kind:
		return "different type"
	case x.subtype != y.subtype:
		return "different subtype"
	case x.scope != y.scope:
		return "different scope"
	case x.scopeID != y.scopeID:
		return "different scope_id"
	case x.author != y.author:
		return "different author"
	}
	return ""
}
