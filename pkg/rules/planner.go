package rules

import "github.com/memoryd/memoryd/pkg/memory"

// planner makes one plan: what the rules go by, what they propose, and what they leave alone.
type planner struct {
	*state
	limit
	findings
}

func newPlanner(st *state) *planner {
	return &planner{state: st, limit: limit{most: st.Settings.Run.Limit}}
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
