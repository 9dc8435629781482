package rules

import (
	"slices"
	"strings"
	"time"

	"github.com/memoryd/memoryd/pkg/memory"
)

// order is the precedence of the rules: a memory is taken by the first that proposes something for it.
var order = []*rule{&merging, &promoting, &rising, &summarising, &archiving, &expiring, &superseding, &settling}

// Plan computes what a run would do now. It changes nothing and reports no progress.
func Plan(s *memory.Snapshot, r Request) *memory.Plan {
	r.Progress = nil
	plan, _ := PlanWithProgress(s, r) // the only error is that of r.Progress
	return plan
}

// PlanWithProgress is Plan for a caller that wants to be told the progress or to end the
// planning early. The only error is that of r.Progress.
func PlanWithProgress(s *memory.Snapshot, r Request) (*memory.Plan, error) {
	p := newPlanner(newState(s, r).cover())
	p.archivedAnyway = archivesAnyway(p.state)
	var last *rule
	for _, r := range order {
		switch {
		case r.last:
			last = r
		case r.on(p.state) && r.runs.in(p.session()):
			r.propose(&proposer{p, r})
		}
	}
	plan := p.finish(last)
	if p.progress.err != nil {
		return nil, p.progress.err
	}
	return plan, nil
}

// finish applies the limit: what the last run deferred comes first, then the order of the
// rules; what doesn't fit is deferred. The last rule is asked only when the next
// run won't have to come back for other memories anyway.
func (p *planner) finish(last *rule) *memory.Plan {
	plan := &memory.Plan{At: p.At, Trigger: p.Trigger, Covers: p.covers, Off: p.Settings.Off(), Since: p.Since, Until: p.Until}
	if p.Type != "" {
		plan.Types = []string{p.Type}
	}
	if p.Scope != nil {
		plan.Scope = p.Scope.String()
	} else {
		plan.Scope = strings.Join(p.overflowing, ", ")
	}
	waited := choice{left: p.free}
	p.choose(true, p.candidates, &waited, p.sign)
	rest := choice{left: waited.left}
	p.choose(false, p.candidates, &rest, p.sign)
	deferred := len(waited.deferred) + len(rest.deferred) + len(p.deferred)
	switch {
	case p.session() || !last.on(p.state):
	case deferred > 0 && rest.left < p.free:
		plan.DeferredRules = []string{last.name}
	default:
		done := len(p.candidates)
		last.propose(&proposer{p, last})
		p.choose(true, p.candidates[done:], &waited, p.sign)
		p.choose(false, p.candidates[done:], &rest, p.sign)
	}
	plan.Actions = append(waited.taken, rest.taken...)
	if a, ok := tend(p.state, plan.Actions); ok && !p.session() {
		plan.Actions = append(plan.Actions, a)
	}
	plan.Skipped = p.skipped
	for _, list := range [][]*subject{waited.deferred, rest.deferred, p.deferred} {
		for _, m := range list {
			plan.Deferred = append(plan.Deferred, m.ID)
		}
	}
	plan.Seal(p.LogHead)
	return plan
}

// Moments returns a function that lists the seconds after that of the snapshot at which a rule may begin to
// act on a memory, if only time passes.
func Moments(s *memory.Snapshot, r Request) func(*memory.Memory) []time.Time {
	st, now := newState(s, r), s.At.UTC()
	return func(m *memory.Memory) []time.Time {
		all := seconds(nil, now, []moment{st.ofAge(m)})
		for _, r := range order {
			all = seconds(all, now, r.moments(st, m))
		}
		return all
	}
}

// ComesOfAge returns a function that lists the seconds after that of the snapshot from which a memory is not excluded for its age any more.
func ComesOfAge(s *memory.Snapshot, r Request) func(*memory.Memory) []time.Time {
	st, now := newState(s, r), s.At.UTC()
	return func(m *memory.Memory) []time.Time { return seconds(nil, now, []moment{st.ofAge(m)}) }
}

// archivesAnyway returns a function that reports whether a rule archives a memory however young it is.
func archivesAnyway(st *state) func(*memory.Memory) bool {
	return func(m *memory.Memory) bool {
		return slices.ContainsFunc(order, func(r *rule) bool { return r.except.archives && r.except.anyAge && r.on(st) && r.asks.hold(st, m) })
	}
}
