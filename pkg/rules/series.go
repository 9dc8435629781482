package rules

import (
	"fmt"
	"slices"
	"sync"

	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/review"
	"github.com/memoryd/memoryd/pkg/similarity"
)

// leastSeries is how many records of one template are a series.
const leastSeries = 3

// series are memories of one type, scope and author that differ only in values at the same places, among them an identifier, a counter, a date or a
// name of their own: records of a template. They stay apart, and nobody is asked. What says another value of the same subject is not a series.
type series struct {
	members []*memory.Memory // the newest first
	own     []int            // the places of the values by which the records differ
}

// seriesBlock is what the members of a series have in common.
type seriesBlock struct {
	block
	form uint64 // of the template
}

// templates are the templates of texts, and the series that they make, of one plan. Each is read when it is first needed. It is safe for
// concurrent use.
type templates struct {
	lock   sync.Mutex
	of     map[*memory.Memory]similarity.Template
	blocks map[block][]*memory.Memory // the live memories
	series map[seriesBlock]*series    // nil for those that are none
}

// template is that of the text of a memory.
func (st *state) template(m *memory.Memory) similarity.Template {
	st.templates.lock.Lock()
	t, known := st.templates.of[m]
	st.templates.lock.Unlock()
	if known {
		return t
	}
	t = similarity.TemplateOf(m.Text())
	st.templates.lock.Lock()
	defer st.templates.lock.Unlock()
	if st.templates.of == nil {
		st.templates.of = map[*memory.Memory]similarity.Template{}
	}
	st.templates.of[m] = t
	return t
}

// sameTemplate reports whether two memories say the same but for values.
func (st *state) sameTemplate(a, b *memory.Memory) bool {
	return st.template(a).Same(st.template(b))
}

// seriesOf is the series in which two memories are two records; nil for none. Only texts with one template make it read others. It looks at all live
// memories, also at those that the request is not about, so that no memo keeps it.
func (st *state) seriesOf(a, b *memory.Memory) *series {
	if !st.sameTemplate(a, b) {
		return nil
	}
	x, of := st.template(a), duplicateBlock(a)
	if of != duplicateBlock(b) {
		return nil
	}
	key := seriesBlock{of, x.Form}
	st.templates.lock.Lock()
	s, known := st.templates.series[key]
	st.templates.lock.Unlock()
	if !known {
		s = st.readSeries(of, x)
		st.templates.lock.Lock()
		if st.templates.series == nil {
			st.templates.series = map[seriesBlock]*series{}
		}
		st.templates.series[key] = s
		st.templates.lock.Unlock()
	}
	if s == nil || !x.Apart(st.template(b), s.own) {
		return nil
	}
	return s
}

// block is the live memories of one block.
func (st *state) block(of block) []*memory.Memory {
	st.templates.lock.Lock()
	defer st.templates.lock.Unlock()
	if st.templates.blocks == nil {
		st.templates.blocks = map[block][]*memory.Memory{}
		for _, m := range st.Memories() {
			if !m.Archived {
				key := duplicateBlock(m)
				st.templates.blocks[key] = append(st.templates.blocks[key], m)
			}
		}
	}
	return st.templates.blocks[of]
}

// readSeries looks for the records of a template in a block; nil if they are not a series.
func (st *state) readSeries(of block, like similarity.Template) *series {
	s := &series{}
	for _, m := range st.block(of) {
		if st.template(m).Same(like) {
			s.members = append(s.members, m)
		}
	}
	if len(s.members) < leastSeries {
		return nil
	}
	slices.SortFunc(s.members, func(a, b *memory.Memory) int { return compareFreshness(b, a) })
	all := make([]similarity.Template, len(s.members))
	for i, m := range s.members {
		all[i] = st.template(m)
	}
	s.own = all[0].Own(all, s.members[0].Type == memory.Episodic)
	records := 0 // that differ from all before in what is their own
	for i, t := range all {
		if records < leastSeries && !slices.ContainsFunc(all[:i], func(u similarity.Template) bool { return !t.Apart(u, s.own) }) {
			records++
		}
	}
	if records < leastSeries {
		return nil
	}
	return s
}

// skip names a series once in a plan, by its newest record.
func (s *series) skip(rule string) memory.Skip {
	return memory.Skip{MemoryID: s.members[0].ID, Rule: rule, Reason: ReasonSeries, Detail: fmt.Sprintf("one of %d records of a template, which stay apart", len(s.members))}
}

// withdrawSeries takes back the questions about two records of a series.
func withdrawSeries(p *proposer) {
	subjects := map[string]*subject{}
	for _, m := range p.subjects {
		subjects[m.ID] = m
	}
	for _, q := range p.Open() {
		a, b := subjects[q.A], subjects[q.B]
		if a == nil || b == nil || a.claimed || b.claimed || !slices.Contains([]string{ReasonDistinct, ReasonSupersede, ReasonWording, review.Similar}, q.Reason) {
			continue
		}
		s := p.seriesOf(a.Memory, b.Memory)
		if s == nil {
			continue
		}
		p.findings.skip(s.skip(p.rule.name))
		p.question(&memory.Action{
			Action: oplog.Action{
				Type: oplog.Decide, Rule: p.rule.name, MemoryIDs: []string{q.A, q.B}, Reason: ReasonSeries,
				Detail: fmt.Sprintf("the question is withdrawn: they are two of %d records of a template", len(s.members)),
			},
			Decisions: []review.Decision{{Pair: q, Verdict: ReasonSeries}},
		}, []*subject{a, b})
	}
}
