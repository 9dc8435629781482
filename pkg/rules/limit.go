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

// limit collects what the rules propose, and takes as much of it as a run may change.
type limit struct {
	most        int // memories that a run may change
	free        int // of them, for what the rules propose
	candidates  []candidate
	spent       int        // memories that all of them would change
	spentWaited int        // memories that those would that the last run deferred
	deferred    []*subject // by rules that knew the run to be full
}

// consider takes a candidate into the plan and claims its memories: no later rule looks
// at them.
func (l *limit) consider(c candidate) {
	l.candidates = append(l.candidates, c)
	l.spent += c.cost
	if c.waited() {
		l.spentWaited += c.cost
	}
	for _, m := range c.about {
		m.claimed = true
	}
	for _, m := range c.late {
		m.claimed = true
	}
}

// fits reports whether one more memory may be changed in this run.
func (l *limit) fits(m *subject) bool {
	if m.late { // these come before the others
		return l.spentWaited < l.free
	}
	return l.spent < l.free
}

// deferNow leaves a memory to the next run without proposing an action.
func (l *limit) deferNow(m *subject) {
	m.claimed = true
	l.deferred = append(l.deferred, m)
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
func (l *limit) room() (all, waited int) {
	left := l.free
	for _, first := range []bool{true, false} {
		for i := range l.candidates {
			if c := &l.candidates[i]; c.waited() == first && c.cost <= left {
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

// choose applies the limit to those candidates that waited, or to those that didn't, and signs what it takes.
func (l *limit) choose(waited bool, from []candidate, to *choice, sign func(*memory.Action, []*subject)) {
	for i := range from {
		c := &from[i]
		switch {
		case c.waited() != waited:
			continue
		case c.cost > l.most: // it would wait for ever
			c.refused(limitError(fmt.Sprintf("it changes %d memories, and run.limit is %d", c.cost, l.most)))
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
		sign(&a, c.about)
		to.left -= c.cost
		to.taken = append(to.taken, a)
		to.deferred = append(to.deferred, c.late...)
	}
}
