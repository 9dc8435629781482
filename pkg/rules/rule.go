package rules

import (
	"slices"

	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
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

	asks  conditions // of a memory, for the plan and for [Explain] alike
	pairs *pairing   // what it asks of a memory and those like it, if that is not one memory's affair

	// moments are the times at which a condition of the rule begins to hold for a memory, by time alone. A rule for which there are
	// none says [untimed].
	moments func(*state, *memory.Memory) []moment

	except  exceptions // to what no rule may change
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

// proposer is the planner as one rule sees it: what it proposes and what it leaves alone is
// noted under the name of the rule.
type proposer struct {
	*planner
	rule *rule
}

// admits reports whether the rule may change m, and notes in the plan when it may not.
func (p *proposer) admits(m *subject) bool {
	reason, detail := p.excluded(m, p.rule.except)
	if reason != "" {
		p.skip(m.ID, reason, detail)
	}
	return reason == ""
}

// skip notes that the rule would have changed a memory, and why it did not.
func (p *proposer) skip(id, reason, detail string) {
	p.findings.skip(memory.Skip{MemoryID: id, Rule: p.rule.name, Reason: reason, Detail: detail})
}

// change takes a change of one memory into the plan. That it can't be built is noted as a skip of the rule.
func (p *proposer) change(m *subject, build func() (memory.Action, error)) {
	p.consider(candidate{about: []*subject{m}, cost: 1, build: build, refused: func(err error) {
		p.skip(m.ID, whyRefused(err), err.Error())
	}})
}

// question takes an action that changes no memory into the plan.
func (p *proposer) question(a *memory.Action, about []*subject) {
	p.consider(candidate{about: about, build: func() (memory.Action, error) { return *a, nil }})
}

// secretBefore says what secret a memory holds that fits into this run, "" for none. A memory that waits for
// another run is not searched: all of it would have to be read.
func (p *proposer) secretBefore(m *subject) string {
	if !p.fits(m) {
		return ""
	}
	return p.secretIn(m.Memory)
}

// archive proposes to move a memory to the archive as it is.
func (p *proposer) archive(m *subject, reason, detail string) {
	p.change(m, func() (memory.Action, error) { return p.toArchive(m.Memory, reason, detail), nil })
}

// toArchive moves a memory to the archive as it is.
func (p *proposer) toArchive(m *memory.Memory, reason, detail string) memory.Action {
	a := memory.Action{Action: oplog.Action{Type: oplog.Archive, Rule: p.rule.name, MemoryID: m.ID, Reason: reason, Detail: detail}}
	if p.Sketch != nil {
		return a
	}
	op := p.files.Archive(m, nil)
	a.From, a.To, a.Ops = m.Ref.String(), op.To.File, []memory.Op{op}
	return a
}

// untimed are the moments of a rule that time alone never sets off.
func untimed(*state, *memory.Memory) []moment { return nil }

// on reports whether the settings let the rule act.
func (r *rule) on(st *state) bool {
	return !slices.Contains(st.off, r.name) && (r.optIn == nil || r.optIn(&st.Settings))
}
