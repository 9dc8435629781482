package rules

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/memoryd/memoryd/pkg/internal/parallel"
	"github.com/memoryd/memoryd/pkg/similarity"
	"github.com/memoryd/memoryd/pkg/workspace"
)

// Condition is one thing that a rule asks of a memory, with the numbers.
type Condition struct {
	Met  bool   `json:"met"`
	What string `json:"condition"` // "access_count >= 5"
	Is   string `json:"is"`        // "3"
}

// Verdict is what one rule makes of a memory.
type Verdict struct {
	Rule       string      `json:"rule"`
	Acts       bool        `json:"acts"`
	Outcome    string      `json:"outcome"` // one sentence
	Conditions []Condition `json:"conditions"`
}

// Explanation says for every rule whether it would act on a memory now, and what
// stopped it.
type Explanation struct {
	MemoryID   string      `json:"memory_id"`
	Place      string      `json:"place"`
	Exclusions []Condition `json:"exclusions"` // Met: it does not apply
	Verdicts   []Verdict   `json:"rules"`
	Neighbours []Neighbour `json:"similar"`
}

// Neighbour is a memory close to the explained one.
type Neighbour struct {
	MemoryID          string   `json:"memory_id"`
	TagOverlap        float64  `json:"tag_overlap"`
	ContentSimilarity float64  `json:"content_similarity"`
	Apart             string   `json:"apart,omitempty"` // what else keeps the two from being duplicates
	Differences       []string `json:"differences,omitempty"`
}

// maxNeighbours bounds how many close memories are listed.
const maxNeighbours = 5

// Explain computes the explanation of one live memory. What the rules would do is
// read off the plan itself, so that the two can't disagree.
func Explain(s *workspace.Snapshot, r Request, m *workspace.Memory) Explanation {
	p := newPlanner(s, r).cover(nil)
	x := Explanation{MemoryID: m.ID, Place: m.Ref.String()}
	x.Exclusions = p.exclusions(m)
	x.Neighbours = p.neighbours(m)

	r.Progress = nil
	plan, _, _ := PlanKnowing(s, r, s.Findings()) // the only error is that of r.Progress
	settle := r
	settle.Trigger = SessionEnd
	atEnd := Plan(s, settle)

	for _, v := range []Verdict{
		{Rule: workspace.RuleMerge, Conditions: p.mergeConditions(x.Neighbours)},
		{Rule: workspace.RulePromote, Conditions: p.promoteConditions(m)},
		{Rule: workspace.RuleSummarise, Conditions: p.summariseConditions(m)},
		{Rule: workspace.RuleArchive, Conditions: p.archiveConditions(m)},
		{Rule: workspace.RuleSupersede, Conditions: p.supersedeConditions(m)},
		{Rule: workspace.RuleWorking, Conditions: p.workingConditions(m)},
	} {
		of := plan
		if v.Rule == workspace.RuleWorking {
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

// outcome reads off a plan what a rule does with a memory.
func outcome(plan *workspace.Plan, rule, id string) (acts bool, text string) {
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

func (p *planner) exclusions(m *workspace.Memory) []Condition {
	x := p.Settings.Exclude
	out := []Condition{
		{len(p.Find(m.ID)) == 1, "the id is unique", quantity(len(p.Find(m.ID)), "record")},
		{m.Locked == "", "no key is repeated", or(m.Locked, "none is")},
		{m.Priority != "critical", "priority is not critical", or(m.Priority, "none")},
		{!m.Protected, `"protected" is not true`, fmt.Sprint(m.Protected)},
	}
	for _, tag := range x.Tags {
		out = append(out, Condition{!m.HasTag(tag), "not tagged " + tag, or(strings.Join(m.Tags, ", "), "no tags")})
	}
	reason, _ := p.excluded(m, "", false)
	born := m.Born()
	return append(out,
		Condition{reason != ReasonUser, "not created_by USER without consent", or(m.CreatedBy, "unknown")},
		Condition{reason != ReasonDecision, "not a semantic decision", or(strings.Trim(m.Type+"/"+m.Subtype, "/"), "none")},
		Condition{!born.IsZero() && !born.After(x.MinAge.Before(p.At)), "at least " + x.MinAge.String() + " old", ageOf(p, m)},
	)
}

func ageOf(p *planner, m *workspace.Memory) string {
	if m.Born().IsZero() {
		return "unknown"
	}
	return age(p.At, m.Born())
}

func or(text, instead string) string {
	if strings.Trim(text, "/ ") == "" {
		return instead
	}
	return text
}

func (p *planner) mergeConditions(near []Neighbour) []Condition {
	set := p.Settings.Merge
	is := "none"
	met := false
	for _, n := range near {
		met = met || n.Apart == "" && n.TagOverlap > set.TagOverlap && n.ContentSimilarity > set.ContentSimilarity
	}
	if len(near) > 0 {
		n := near[0]
		is = fmt.Sprintf("%s: tags %.2f, content %.2f", n.MemoryID, n.TagOverlap, n.ContentSimilarity)
		if n.Apart != "" {
			is += ", " + n.Apart
		}
	}
	return []Condition{{met, fmt.Sprintf("a memory of the same type, subtype, scope and author with tag overlap > %.2f and content similarity > %.2f", set.TagOverlap, set.ContentSimilarity), is}}
}

func (p *planner) supersedeConditions(m *workspace.Memory) []Condition {
	if p.Scope == nil && m.Scope.Kind != "session" { // nothing outside of its scope matters
		in := p.Request
		in.Scope = &m.Scope
		near := newPlanner(p.Snapshot, in).cover(nil)
		return near.supersedeConditions(m)
	}
	met, is := false, "none"
	for _, u := range p.updates() {
		if older, newer := p.at(u.older), p.at(u.newer); newer == m || older == m {
			met, is = true, newer.ID+" updates "+older.ID+": "+describeUpdate(u.judgement)
			break
		}
	}
	out := []Condition{{met, "a memory of the same scope that it updates, or that updates it", is}}
	if !p.Settings.Supersede.Propose {
		out = append(out, Condition{false, "supersede.propose is true", "false"})
	}
	return out
}

func (p *planner) promoteConditions(m *workspace.Memory) []Condition {
	least, _ := p.pattern(m)
	out := []Condition{
		{m.Type == workspace.Procedural, "type is procedural", or(m.Type, "none")},
		{m.Scope.Kind == "agent" || m.Scope.Kind == "team", "scope is agent or team", m.Scope.String()},
	}
	if least > 0 {
		out = append(out, Condition{m.AccessCount >= least, fmt.Sprintf("access_count >= %d", least), fmt.Sprint(m.AccessCount)})
		to, ok := p.above(m.Scope)
		is := to.String()
		if !ok {
			is = noTeam(m.Scope.ID)
		}
		out = append(out, Condition{ok, "a scope above is known", is})
		if ok && m.AccessCount >= least && !p.promoted(m) {
			out = append(out, p.secretCondition(m))
		}
	}
	return append(out, Condition{!p.promoted(m), "not promoted before", or(strings.Join(m.PromotedTo, ", "), "never")})
}

func (p *planner) summariseConditions(m *workspace.Memory) []Condition {
	r := p.Settings.Summarise
	chars := detailed(m)
	return []Condition{
		{m.Type == workspace.Episodic, "type is episodic", or(m.Type, "none")},
		{!m.CreatedAt.IsZero() && m.CreatedAt.Before(r.MinAge.Before(p.At)), "created more than " + r.MinAge.String() + " ago", ageOf(p, m)},
		{chars > r.MinChars, fmt.Sprintf("content.details longer than %d characters", r.MinChars), fmt.Sprint(chars)},
	}
}

func (p *planner) archiveConditions(m *workspace.Memory) []Condition {
	a := p.Settings.Archive
	read := "never"
	if !m.LastAccessed.IsZero() {
		read = age(p.At, m.LastAccessed) + " ago"
	}
	return []Condition{{
		p.stale(m) || p.unreadButYoung(m),
		fmt.Sprintf("access_count = 0 for %s, or last read more than %s ago", a.UnreadAfter, a.IdleAfter),
		fmt.Sprintf("access_count %d, %s old, last read %s", m.AccessCount, ageOf(p, m), read),
	}}
}

func (p *planner) workingConditions(m *workspace.Memory) []Condition {
	w := p.Settings.Working
	importance := "none"
	if m.Importance != nil {
		importance = fmt.Sprintf("%g", *m.Importance)
	}
	return []Condition{
		{m.Type == workspace.Working, "type is working", or(m.Type, "none")},
		{
			p.worthKeeping(m) != "",
			fmt.Sprintf("importance > %g, or access_count >= %d, or priority high (else it is archived at the session's end)", w.MinImportance, w.MinAccess),
			fmt.Sprintf("importance %s, access_count %d, priority %s", importance, m.AccessCount, or(m.Priority, "none")),
		},
	}
}

// neighbours lists the memories whose text is closest to m's, with what keeps
// each apart.
func (p *planner) neighbours(m *workspace.Memory) []Neighbour {
	text := m.Text()
	if strings.TrimSpace(text) == "" {
		return nil
	}
	mine := similarity.Prepare(text)
	near := p.near(m, mine)
	near = near[:min(len(near), maxNeighbours)]
	var out []Neighbour
	for _, l := range near {
		n := Neighbour{MemoryID: l.ID, TagOverlap: *round(similarity.Tags(m.Tags, l.Tags)), ContentSimilarity: l.shown, Apart: apart(m, l.Memory)}
		for _, d := range distinct(l.Memory, m, l.content, similarity.DistinctFacts(similarity.Prepare(l.Text()), mine)) {
			n.Differences = append(n.Differences, describe(d))
		}
		out = append(out, n)
	}
	return out
}

// near lists the memories whose texts are somewhat like m's, the closest first.
func (p *planner) near(m *workspace.Memory, mine *similarity.Features) []likeness {
	all := p.Memories()
	var mu sync.Mutex
	var out []likeness
	parallel.Ranges(len(all), func(from, to int) {
		for _, other := range all[from:to] {
			if other == m {
				continue
			}
			if c := similarity.Content(mine, similarity.Prepare(other.Text())); c >= 0.5 {
				mu.Lock()
				out = append(out, likeness{other, c, *round(c)})
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
	*workspace.Memory
	content float64
	shown   float64 // the same, rounded
}

// apart says which of the things that duplicates have in common two memories
// don't.
func apart(a, b *workspace.Memory) string {
	x, y := blockOf(a.Common), blockOf(b.Common)
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
