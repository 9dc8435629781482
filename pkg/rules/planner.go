package rules

import (
	"strings"

	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
)

// planner makes one plan: what the rules go by, what they propose, and what they leave alone.
type planner struct {
	*state
	limit
	findings
}

func newPlanner(st *state) *planner {
	return &planner{state: st, limit: limit{most: st.Settings.Run.Limit}}
}

// proposer is the planner as one rule sees it: what it proposes and what it leaves alone is
// noted under the name of the rule.
type proposer struct {
	*planner
	rule *rule
}

// ask lets a rule propose.
func (p *planner) ask(r *rule) { r.propose(&proposer{p, r}) }

// admits reports whether the rule may change m, and notes in the plan when it may not.
func (p *proposer) admits(m *subject) bool {
	reason, detail := p.excluded(m, p.rule)
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

// finish applies the limit: what the last run deferred comes first, then the order of the
// rules; what doesn't fit is deferred. The last rule is asked only when the next
// run won't have to come back for other memories anyway.
func (p *planner) finish(last *rule) *memory.Plan {
	plan := &memory.Plan{At: p.At, Trigger: p.Trigger, Covers: p.covers, Off: p.off}
	if p.Scope != nil {
		plan.Scope = p.Scope.String()
	} else {
		plan.Scope = strings.Join(p.overflowing, ", ")
	}
	waited := choice{left: p.most}
	p.choose(true, p.candidates, &waited, p.sign)
	rest := choice{left: waited.left}
	p.choose(false, p.candidates, &rest, p.sign)
	deferred := len(waited.deferred) + len(rest.deferred) + len(p.deferred)
	switch {
	case p.session() || !p.enabled(last):
	case deferred > 0 && rest.left < p.most:
		plan.DeferredRules = []string{last.name}
	default:
		done := len(p.candidates)
		p.ask(last)
		p.choose(true, p.candidates[done:], &waited, p.sign)
		p.choose(false, p.candidates[done:], &rest, p.sign)
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

// sign notes with an action the digests of its memories, so that a plan in a file can be
// compared with the memory.
func (p *planner) sign(a *memory.Action, about []*subject) {
	if p.Sketch != nil {
		return
	}
	a.Digests = make(map[string]string, len(about))
	for _, m := range about {
		if p.Live(m.ID) != nil {
			a.Digests[m.ID] = string(m.Digest())
		}
	}
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
