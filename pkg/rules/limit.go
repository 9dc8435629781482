package rules

import (
	"fmt"

	"github.com/memoryd/memoryd/pkg/memory"
)

// candidate is an action that a rule proposes, before the limit is applied. It is built
// when it is known to fit into the run: most of a large workspace's don't.
type candidate struct {
	about   []*subject
	cost    int        // memories changed
	late    []*subject // what is deferred even if the action fits
	build   func() (memory.Action, error)
	refused func(error) // notes a failed build in the plan
}

// consider takes a candidate into the plan and claims its memories: no later rule looks
// at them.
func (p *planner) consider(c candidate) {
	p.candidates = append(p.candidates, c)
	p.spent += c.cost
	if c.waited() {
		p.spentWaited += c.cost
	}
	for _, m := range c.about {
		m.claimed = true
	}
	for _, m := range c.late {
		m.claimed = true
	}
}

// change takes a change of one memory into the plan. That it can't be built is noted as a skip of the rule.
func (p *planner) change(m *subject, rule string, build func() (memory.Action, error)) {
	p.consider(candidate{about: []*subject{m}, cost: 1, build: build, refused: func(err error) {
		p.skip(m.ID, rule, whyRefused(err), err.Error())
	}})
}

// propose takes an action that changes no memory into the plan.
func (p *planner) propose(a *memory.Action, about []*subject) {
	p.consider(candidate{about: about, build: func() (memory.Action, error) { return *a, nil }})
}

// deferNow leaves a memory to the next run without proposing an action.
func (p *planner) deferNow(m *subject) {
	m.claimed = true
	p.deferred = append(p.deferred, m)
}

// waited reports whether the last run deferred a candidate, or a part of it.
func (c *candidate) waited() bool {
	for _, m := range c.about {
		if m.late {
			return true
		}
	}
	return false
}

// room is how many more memories the run can change behind the candidates so far, and
// behind those of them that waited.
func (p *planner) room() (all, waited int) {
	left := p.Settings.Run.Limit
	for _, first := range []bool{true, false} {
		for i := range p.candidates {
			if c := &p.candidates[i]; c.waited() == first && c.cost <= left {
				left -= c.cost
			}
		}
		if first {
			waited = left
		}
	}
	return left, waited
}

// choice is what applying the limit came to.
type choice struct {
	taken    []memory.Action
	deferred []*subject
	left     int // of the limit
}

// choose applies the limit to those candidates that waited, or to those that didn't.
func (p *planner) choose(waited bool, from []candidate, to *choice) {
	for i := range from {
		c := &from[i]
		switch {
		case c.waited() != waited:
			continue
		case c.cost > p.Settings.Run.Limit: // it would wait for ever
			c.refused(limitError(fmt.Sprintf("it changes %d memories, and run.limit is %d", c.cost, p.Settings.Run.Limit)))
			continue
		case c.cost > to.left:
			to.deferred = append(to.deferred, c.about...)
			continue
		}
		a, err := c.build()
		if err != nil {
			c.refused(err)
			continue
		}
		p.sign(&a, c.about)
		to.left -= c.cost
		to.taken = append(to.taken, a)
		to.deferred = append(to.deferred, c.late...)
	}
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
