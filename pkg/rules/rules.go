package rules

import (
	"strings"

	"github.com/memoryd/memoryd/pkg/memory"
)

// Plan computes what a run would do now. It changes nothing and reports no progress.
func Plan(s *memory.Snapshot, r Request) *memory.Plan {
	r.Progress = nil
	plan, _ := PlanWithProgress(s, r) // the only error is that of r.Progress
	return plan
}

// PlanWithProgress is Plan for a caller that wants to be told the progress or to end the
// planning early. The only error is that of r.Progress.
func PlanWithProgress(s *memory.Snapshot, r Request) (*memory.Plan, error) {
	p := newPlanner(s, r)
	p.cover()
	for _, rule := range order {
		if rule.propose != nil && p.enabled(rule.name) && (rule.always || rule.atSessionEnd == p.session()) {
			rule.propose(p)
		}
	}
	plan := p.finish()
	if p.progress.err != nil {
		return nil, p.progress.err
	}
	return plan, nil
}

// rule is one of the rules. A rule stands in a file of its own: who takes part (its
// conditions), what is excluded, and what becomes of a memory.
type rule struct {
	name         string
	atSessionEnd bool           // it is for runs at the end of a session, and for no others
	always       bool           // it is for all runs
	optIn        bool           // nobody is told that it is off
	propose      func(*planner) // nil: see finish
	// explain lists what the rule asks of a memory, for [Explain].
	explain func(*planner, *memory.Memory, []Neighbour) []Condition
}

// order is the precedence of the rules. Questions about updates come last, when the limit
// is known to leave room: see finish.
var order = []rule{
	{name: memory.RuleMerge, always: true, propose: (*planner).merge, explain: explainMerge},
	{name: memory.RulePromote, propose: (*planner).promote, explain: patterns.explain},
	{name: memory.RuleLayers, always: true, optIn: true, propose: (*planner).layers, explain: layered.explain},
	{name: memory.RuleSummarise, propose: (*planner).summarise, explain: verbose.explain},
	{name: memory.RuleArchive, propose: (*planner).archive, explain: stale.explain},
	{name: memory.RuleExpired, propose: (*planner).expire, explain: expired.explain},
	{name: memory.RuleSupersede, explain: explainSupersede},
	{name: memory.RuleWorking, atSessionEnd: true, propose: (*planner).working, explain: worthKeeping.explain},
}

// finish applies the limit: what the last run deferred comes first, then the order of the
// rules; what doesn't fit is deferred. Updates are looked for last, and only when the next
// run won't have to come back for other memories anyway.
func (p *planner) finish() *memory.Plan {
	plan := &memory.Plan{At: p.At, Trigger: p.Trigger, Covers: p.covers, Off: p.off}
	if p.Scope != nil {
		plan.Scope = p.Scope.String()
	} else {
		plan.Scope = strings.Join(p.overflowing, ", ")
	}
	waited := choice{left: p.Settings.Run.Limit}
	p.choose(true, p.candidates, &waited)
	rest := choice{left: waited.left}
	p.choose(false, p.candidates, &rest)
	deferred := len(waited.deferred) + len(rest.deferred) + len(p.deferred)
	switch {
	case p.session() || !p.enabled(memory.RuleSupersede):
	case deferred > 0 && rest.left < p.Settings.Run.Limit:
		plan.DeferredRules = []string{memory.RuleSupersede}
	default:
		done := len(p.candidates)
		p.supersede()
		p.choose(true, p.candidates[done:], &waited)
		p.choose(false, p.candidates[done:], &rest)
	}
	plan.Actions = append(waited.taken, rest.taken...)
	plan.Skipped = p.skipped
	for _, list := range [][]*subject{waited.deferred, rest.deferred, p.deferred} {
		for _, m := range list {
			plan.Deferred = append(plan.Deferred, m.ID)
		}
	}
	plan.Seal(p.LogHead)
	return plan
}
