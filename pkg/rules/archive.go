package rules

import (
	"fmt"
	"time"

	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
)

// stale is what the rule "archive" asks of a memory: that nobody reads it.
var stale = conditions{{
	what: func(p *planner, _ *memory.Memory) string {
		a := p.Settings.Archive
		return fmt.Sprintf("access_count = 0 for %s, or last read more than %s ago", a.UnreadAfter, a.IdleAfter)
	},
	met: func(p *planner, m *memory.Memory) bool { return p.stale(m) || p.unreadButYoung(m) },
	is: func(p *planner, m *memory.Memory) string {
		read := "never"
		if !m.LastAccessed.IsZero() {
			read = age(p.At, m.LastAccessed) + " ago"
		}
		return fmt.Sprintf("access_count %d, %s old, last read %s", m.AccessCount, ageOf(p, m), read)
	},
}}

// archive proposes to move stale memories to the archive.
func (p *planner) archive() {
	for _, m := range p.subjects {
		if !m.claimed && stale.hold(p, m.Memory) && p.admits(m, memory.RuleArchive) {
			p.consider(candidate{about: []*subject{m}, cost: 1, build: func() (memory.Action, error) {
				return p.toArchive(m.Memory, memory.RuleArchive, "stale", p.neglect(m.Memory)), nil
			}})
		}
	}
}

// stale reports whether m counts as stale: never read and at least
// archive.unread_after old, or last read more than archive.idle_after ago. Being
// restored from the archive counts as being read.
func (p *planner) stale(m *memory.Memory) bool {
	if back, ok := p.restored(m); ok {
		return back.Before(p.idle)
	}
	return p.unreadLong(m) || !m.LastAccessed.IsZero() && m.LastAccessed.Before(p.idle)
}

// restored tells when m came back from the archive, if it has not been read since.
func (p *planner) restored(m *memory.Memory) (time.Time, bool) {
	if len(p.Restored) == 0 {
		return time.Time{}, false
	}
	back := p.Restored[m.ID]
	return back, back.After(m.LastAccessed)
}

func (p *planner) unreadLong(m *memory.Memory) bool {
	return m.AccessCount == 0 && !m.Born().IsZero() && !m.Born().After(p.unread)
}

// unreadButYoung reports whether only the exclusion of young memories, or of those
// of unknown age, keeps an unread memory from being stale. Then the plan says so, unless the
// memory goes in any case because it has expired.
func (p *planner) unreadButYoung(m *memory.Memory) bool {
	return !expired.hold(p, m) && m.AccessCount == 0 && p.Restored[m.ID].IsZero() && (m.Born().IsZero() || m.Born().After(p.minAge)) &&
		!p.unread.Before(p.minAge)
}

// neglect says why a memory counts as stale, or would if it were older.
func (p *planner) neglect(m *memory.Memory) string {
	back, restored := p.restored(m)
	switch {
	case restored && back.Before(p.idle):
		return "brought back " + age(p.At, back) + " ago and not read since"
	case !restored && p.unreadLong(m):
		return "never read in " + age(p.At, m.Born())
	case !restored && !m.LastAccessed.IsZero() && m.LastAccessed.Before(p.idle):
		return "last read " + age(p.At, m.LastAccessed) + " ago"
	}
	return "never read" // which the age exclusion keeps from counting
}

// toArchive moves a memory to the archive as it is.
func (p *planner) toArchive(m *memory.Memory, rule, reason, detail string) memory.Action {
	op := p.ArchiveOp(m, nil, p.files)
	return memory.Action{
		Action: oplog.Action{Type: oplog.Archive, Rule: rule, MemoryID: m.ID, From: m.Ref.String(), To: op.To.File, Reason: reason, Detail: detail},
		Ops:    []memory.Op{op},
	}
}
