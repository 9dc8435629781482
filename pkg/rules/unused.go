package rules

import (
	"fmt"
	"time"

	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/memory"
)

// unused is what the rule "archive" also asks of a memory where archive.count_from is "used": that nobody has written it, read it or
// given it to an agent for as long.
var unused = condition{
	when: func(p *planner, _ *memory.Memory) bool { return p.Settings.Archive.CountFrom == config.CountFromUse },
	what: func(p *planner, m *memory.Memory) string {
		span := p.Settings.Archive.IdleAfter
		if p.unused(m) {
			span = p.Settings.Archive.UnreadAfter
		}
		return fmt.Sprintf("not written, read or given for %s", span)
	},
	met: func(p *planner, m *memory.Memory) bool {
		if p.Settings.Archive.CountFrom != config.CountFromUse {
			return true
		}
		if last := p.lastUse(m); p.unused(m) {
			return !last.After(p.unread)
		} else {
			return last.Before(p.idle)
		}
	},
	is: func(p *planner, m *memory.Memory) string { return "last " + ago(p.At, p.lastUse(m)) },
}

// lastUse is when m was last written, read or given, or arrived.
func (p *planner) lastUse(m *memory.Memory) (last time.Time) {
	for _, at := range []time.Time{m.CreatedAt, m.UpdatedAt, m.LastAccessed, p.LastGiven(m).At, p.arrival(m)} {
		if at.After(last) {
			last = at
		}
	}
	return last
}
