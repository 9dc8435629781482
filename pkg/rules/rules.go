package rules

import (
	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/memory"
)

// rule is one of the rules, with all that the rest of the program knows of it. Each stands in a file of its own.
type rule struct {
	name string // in plans, in the log, and of its section in memory.toml
	does string // in one sentence, for docs/rules.md
	runs runs
	last bool // it is asked last, and only if the next run won't have to come back for other memories anyway

	// optIn tells whether the settings switch on a rule that is off by default, and that nobody is
	// told of then; nil for the others.
	optIn func(*config.Settings) bool

	asks  conditions // of a memory, for the plan, for [Explain] and for docs/rules.md
	pairs *pairing   // what it asks of a memory and those like it, if that is not one memory's affair

	// moments are the times at which a condition of the rule begins to hold for a memory, by time alone. A rule for which there are
	// none says [untimed].
	moments func(*state, *memory.Memory) []moment

	// What differs from the exclusions that all rules share: see excluded.
	archives   bool // it moves memories to the archive: pinned ones stay
	byUse      bool // it goes by how memories were used: nothing happens while that can't be read
	anyAge     bool // young memories are not spared
	decisions  bool // semantic decisions are not spared
	inReview   bool // it looks itself at what waits for a person's decision
	sameSecond bool // it takes what a run of this very second has changed

	propose func(*proposer)
}

// runs says to which runs a rule belongs.
type runs int

// The zero value is for all runs but those at the end of a session.
const (
	betweenSessions runs = iota
	atSessionEnd
	allRuns
)

// in reports whether a rule belongs to runs at the end of a session, or to the others.
func (r runs) in(session bool) bool { return r == allRuns || (r == atSessionEnd) == session }

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
	p.rules = order
	var last *rule
	for _, r := range order {
		switch {
		case r.last:
			last = r
		case p.enabled(r) && r.runs.in(p.session()):
			p.ask(r)
		}
	}
	plan := p.finish(last)
	if p.progress.err != nil {
		return nil, p.progress.err
	}
	return plan, nil
}
