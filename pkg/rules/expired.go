package rules

import "github.com/memoryd/memoryd/pkg/memory"

// RuleExpired is the name of the rule that archives what has outlived its ttl.
const RuleExpired = "expired"

var expiring = rule{
	name: RuleExpired, except: exceptions{archives: true, anyAge: true},
	does: "moves a memory whose ttl has passed to the archive, however young it is",
	asks: conditions{{
		what: always("its ttl has passed since created_at"),
		met:  ttlPassed,
		is:   lifetime,
	}},
	moments: func(st *state, m *memory.Memory) []moment {
		ttl, _, err := LifetimeOf(m, st.Settings)
		if err != nil {
			return nil
		}
		return []moment{ttl.moment(m.CreatedAt)}
	},
	propose: func(p *proposer) {
		for _, m := range p.subjects {
			if !m.claimed && p.rule.asks.hold(p.state, m.Memory) && p.admits(m) {
				p.archive(m, ReasonExpired, lifetime(p.state, m.Memory))
			}
		}
	},
}
