package rules

import (
	"fmt"
	"slices"

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
	by      map[*memory.Memory]similarity.Template
	own     []int
}

// seriesBlock is what the members of a series have in common besides the template.
type seriesBlock struct {
	block
	form uint64
}

func seriesBlockOf(m *memory.Memory, t similarity.Template) seriesBlock {
	return seriesBlock{duplicateBlock(m), t.Form}
}

// seriesOf is the series in which two memories are two records; nil for none. Only texts with one template make it read others.
func (st *state) seriesOf(a, b *memory.Memory) *series {
	x, y := similarity.TemplateOf(a.Text()), similarity.TemplateOf(b.Text())
	key := seriesBlockOf(a, x)
	if !x.Same(y) || key != seriesBlockOf(b, y) {
		return nil
	}
	st.seriesLock.Lock()
	defer st.seriesLock.Unlock()
	s, known := st.series[key]
	if !known {
		s = st.readSeries(key, x)
		if st.series == nil {
			st.series = map[seriesBlock]*series{}
		}
		st.series[key] = s
	}
	if s == nil || !x.Apart(y, s.own) {
		return nil
	}
	return s
}

// sameTemplate reports whether two memories say the same but for values.
func sameTemplate(a, b *memory.Memory) bool {
	return similarity.TemplateOf(a.Text()).Same(similarity.TemplateOf(b.Text()))
}

// readSeries looks for the records of a template; nil if they are not a series.
func (st *state) readSeries(key seriesBlock, like similarity.Template) *series {
	s := &series{by: map[*memory.Memory]similarity.Template{}}
	var all []similarity.Template
	for _, m := range st.Memories() {
		if m.Archived || seriesBlockOf(m, like) != key {
			continue
		}
		if t := similarity.TemplateOf(m.Text()); t.Same(like) {
			s.members, s.by[m] = append(s.members, m), t
			all = append(all, t)
		}
	}
	if len(s.members) < leastSeries {
		return nil
	}
	s.own = like.Own(all, s.members[0].Type == memory.Episodic)
	records := 0 // that differ from all before in what is their own
	for i, t := range all {
		if !slices.ContainsFunc(all[:i], func(u similarity.Template) bool { return !t.Apart(u, s.own) }) {
			records++
		}
	}
	if records < leastSeries {
		return nil
	}
	slices.SortFunc(s.members, func(a, b *memory.Memory) int { return compareFreshness(b, a) })
	return s
}

// ofSeries is the verdict on two records of a series.
var ofSeries = []string{"\x00series"}

// seriesSkip names the series of two records.
func (st *state) seriesSkip(rule string, a, b *memory.Memory) memory.Skip {
	if s := st.seriesOf(a, b); s != nil {
		return s.skip(rule)
	}
	return memory.Skip{MemoryID: a.ID, Rule: rule, Reason: ReasonSeries}
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
