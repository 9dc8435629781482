package rules

import (
	"fmt"

	"github.com/memoryd/memoryd/pkg/memory"
)

// planner makes one plan: what the rules go by, what they propose, and what they leave alone.
type planner struct {
	*state
	limit
	findings
	merged map[string]string // memories that merges of this plan archive, with the survivor of each
}

func newPlanner(st *state) *planner {
	return &planner{state: st, limit: limit{most: st.Settings.Run.Limit, free: max(st.Settings.Run.Limit-st.Reserved, 0)}}
}

// merges notes which memories a merge archives.
func (p *planner) merges(g *group) {
	if p.merged == nil {
		p.merged = map[string]string{}
	}
	for _, m := range g.members {
		p.merged[m.ID] = g.survivor.ID
	}
}

// parts says that a memory of a group waits for a decision together with one that this plan merges away. The survivor of each takes over the
// question from the queue as it is now, so that one of the two merges is left to the next run.
func (p *planner) parts(g *group) error {
	for _, m := range g.members {
		for _, q := range p.UndecidedOf(m.Memory) {
			for _, id := range []string{q.A, q.B} {
				if into := p.merged[id]; into != "" {
					return pendingError(fmt.Sprintf("%s waits for a decision together with %s, which this run merges into %s: the next run merges it", m.ID, id, into))
				}
			}
		}
	}
	return nil
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
