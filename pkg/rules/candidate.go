package rules

import (
	"slices"

	"github.com/memoryd/memoryd/pkg/internal/parallel"
	"github.com/memoryd/memoryd/pkg/workspace"
)

// candidate is an action that could be taken, before the limit is applied. It is
// built when it is known to fit: most of a large workspace's don't. What is stale is no
// candidate, but a number in a list of its own: most memories may be.
type candidate struct {
	of   int32  // the memory, when it is about one
	cost int32  // memories changed
	more *wider // nil: the memory rises
}

// wider is what most candidates do without.
type wider struct {
	members []int32           // the memories, when they are several
	late    []int32           // what is put off even if it fits
	group   *group            // that is to be merged; nil for none
	action  *workspace.Action // that is built already; nil for none
	build   func() (workspace.Action, error)
	refused func(error) // tells of a build that failed
}

// consider takes a candidate into the plan and claims its memories.
func (p *planner) consider(c candidate) {
	p.candidates = append(p.candidates, c)
	p.spent += int(c.cost)
	if p.waiting(&c) {
		p.spentLate += int(c.cost)
	}
	for _, k := range c.about() {
		p.claimed.add(k)
	}
}

// about lists the memories that it is about.
func (c *candidate) about() []int32 {
	if c.more != nil && c.more.members != nil {
		return c.more.members
	}
	return []int32{c.of}
}

// propose takes an action that changes no memory into the plan and claims those
// that it is about.
func (p *planner) propose(a *workspace.Action, members []int32) {
	p.consider(candidate{more: &wider{members: members, action: a}})
}

// putOff leaves a memory to the next run.
func (p *planner) putOff(k int32) {
	p.claimed.add(k)
	p.behind = append(p.behind, k)
}

// waiting reports whether the last run deferred a candidate, or a part of it.
func (p *planner) waiting(c *candidate) bool {
	for _, k := range c.about() {
		if p.late.has(k) {
			return true
		}
	}
	return false
}

// left is how many more memories the run can change behind the candidates so far,
// or behind those that the last run deferred.
func (p *planner) left(late bool) int {
	left := int32(min(p.Settings.Run.Limit, 1<<30))
	for _, first := range []bool{true, false} {
		if late && !first {
			break
		}
		for i := range p.candidates {
			if c := &p.candidates[i]; p.waiting(c) == first && c.cost <= left {
				left -= c.cost
			}
		}
	}
	return int(left)
}

// choice is what applying the limit came to.
type choice struct {
	taken    []workspace.Action
	about    [][]int32 // the memories of each
	deferred []int32
	left     int32 // of the limit
}

// choose applies the limit to candidates in the order in which they are to come.
func (p *planner) choose(late bool, from []candidate, to *choice) {
	n := p.ahead(late, from, to.left)
	to.taken, to.about = slices.Grow(to.taken, n), slices.Grow(to.about, n)
	for i := range from {
		c := &from[i]
		if p.waiting(c) != late {
			continue
		}
		if c.cost > to.left {
			to.deferred = append(to.deferred, c.about()...)
			continue
		}
		a, err := p.build(c)
		if err != nil {
			p.refuse(c, err)
			continue
		}
		to.left -= c.cost
		to.take(a, c.about())
		if c.more != nil {
			to.deferred = append(to.deferred, c.more.late...)
		}
	}
}

// chooseStale does so for what is stale, which comes behind the candidates of other rules.
func (p *planner) chooseStale(late bool, to *choice) {
	for i, k := range p.toGo {
		switch {
		case p.late.has(k) != late:
		case to.left == 0:
			if !late && cap(to.deferred)-len(to.deferred) < len(p.toGo)-i {
				to.deferred = slices.Grow(to.deferred, len(p.toGo)-i)
			}
			to.deferred = append(to.deferred, k)
		default:
			to.left--
			m := p.at(k)
			to.take(p.toArchive(m, workspace.RuleArchive, "stale", p.neglect(m)), []int32{k})
		}
	}
}

// take takes an action about some memories.
func (to *choice) take(a workspace.Action, about []int32) {
	to.taken, to.about = append(to.taken, a), append(to.about, about)
}

// ahead makes, on all cores, the records of the groups that will probably be merged, and tells how
// many candidates will be taken unless some come to nothing.
func (p *planner) ahead(late bool, from []candidate, left int32) (n int) {
	n, groups, _ := p.fitting(late, from, left)
	p.settle(groups)
	return n
}

// settleAhead begins to do so, beside what the other rules look for, for the groups that will be merged
// unless that has been put off and takes their place. It returns who waits for it.
func (p *planner) settleAhead() (settled func() []*group) {
	_, late, left := p.fitting(true, p.candidates, int32(min(p.Settings.Run.Limit, 1<<30)))
	_, groups, _ := p.fitting(false, p.candidates, left)
	groups = append(late, groups...)
	return beside(func() []*group {
		p.settle(groups)
		return groups
	})
}

// fitting lists the groups among the candidates that will be taken unless some come to nothing, and tells how
// many candidates these are, and what they leave of the limit.
func (p *planner) fitting(late bool, from []candidate, limit int32) (n int, groups []*group, left int32) {
	left = limit
	for i := range from {
		if c := &from[i]; p.waiting(c) == late && c.cost <= left {
			n++
			if left -= c.cost; c.more != nil && c.more.group != nil {
				groups = append(groups, c.more.group)
			}
		}
	}
	return n, groups, left
}

// settle makes the records of groups, on all cores. Whoever builds their actions is told of errors.
func (p *planner) settle(groups []*group) {
	parallel.Tasks(len(groups), func(i int) { _, _ = groups[i].settle(p) })
}

func (p *planner) build(c *candidate) (workspace.Action, error) {
	switch w := c.more; {
	case w == nil:
	case w.action != nil:
		return *w.action, nil
	case w.group != nil:
		return p.mergeAction(w.group)
	default:
		return w.build()
	}
	m := p.at(c.of)
	if err := p.withoutSecret(m); err != nil {
		return workspace.Action{}, err
	}
	return p.promotion(m)
}

// refuse tells of an action that could not be built.
func (p *planner) refuse(c *candidate, err error) {
	switch w := c.more; {
	case w == nil:
		p.skip(p.id(c.of), workspace.RulePromote, whyRefused(err), err.Error())
	case w.group != nil:
		p.skip(p.id(w.group.at), workspace.RuleMerge, ReasonBroken, err.Error())
	default:
		w.refused(err)
	}
}
