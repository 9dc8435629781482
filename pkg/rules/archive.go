package rules

import (
	"fmt"
	"time"

	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
)

// stale is what the rule "archive" asks of a memory: that nobody reads it, and that no agent
// is given it.
var stale = conditions{{
	what: func(p *planner, _ *memory.Memory) string {
		a := p.Settings.Archive
		return fmt.Sprintf("never read or given and at least %s old, or last read or given more than %s ago", a.UnreadAfter, a.IdleAfter)
	},
	met: func(p *planner, m *memory.Memory) bool { return p.stale(m) || p.unreadButYoung(m) },
	is: func(p *planner, m *memory.Memory) string {
		return fmt.Sprintf("access_count %d, %s old, last read %s, given %s", m.AccessCount, ageOf(p, m), ago(p.At, m.LastAccessed), p.gifts(m))
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

// stale reports whether m counts as stale: neither read nor given and at least
// archive.unread_after old, or last read or given more than archive.idle_after ago. Being
// restored from the archive counts as being read.
func (p *planner) stale(m *memory.Memory) bool { return p.unreadLong(m) || p.idleLong(m) }

// unreadLong reports whether m is as old as archive.unread_after without any use.
func (p *planner) unreadLong(m *memory.Memory) bool {
	_, restored := p.restored(m)
	return !restored && p.unused(m) && !m.Born().IsZero() && !m.Born().After(p.unread)
}

// idleLong reports whether the last use of m is more than archive.idle_after ago. Of one that
// was read, nobody knows when, that isn't known.
func (p *planner) idleLong(m *memory.Memory) bool {
	last, restored := p.restored(m)
	if !restored {
		if m.AccessCount > 0 && m.LastAccessed.IsZero() {
			return false
		}
		last = m.LastAccessed
	}
	if given := p.LastGiven(m).At; given.After(last) {
		last = given
	}
	return !last.IsZero() && last.Before(p.idle)
}

// unused reports whether m was neither read nor given.
func (p *planner) unused(m *memory.Memory) bool {
	return m.AccessCount == 0 && p.LastGiven(m).N == 0
}

// restored tells when m came back from the archive, if it has not been read since.
func (p *planner) restored(m *memory.Memory) (time.Time, bool) {
	if len(p.Restored) == 0 {
		return time.Time{}, false
	}
	back := p.Restored[m.ID]
	return back, back.After(m.LastAccessed)
}

// unreadButYoung reports whether only the exclusion of young memories, or of those
// of unknown age, keeps an unread memory from being stale. Then the plan says so, unless the
// memory goes in any case because it has expired.
func (p *planner) unreadButYoung(m *memory.Memory) bool {
	return !(p.enabled(memory.RuleExpired) && expired.hold(p, m)) && p.unused(m) && p.Restored[m.ID].IsZero() && (m.Born().IsZero() || m.Born().After(p.minAge)) &&
		!p.unread.Before(p.minAge)
}

// neglect says why a memory counts as stale, or would if it were older.
func (p *planner) neglect(m *memory.Memory) string {
	back, restored := p.restored(m)
	given := ""
	if at := p.LastGiven(m).At; !at.IsZero() {
		given = ", last given " + ago(p.At, at)
	}
	switch {
	case p.unreadLong(m):
		return "never read or given in " + age(p.At, m.Born())
	case !p.idleLong(m): // the exclusion of young memories keeps it from counting
		return "never read or given"
	case restored:
		return "brought back " + ago(p.At, back) + " and not read since" + given
	}
	if m.LastAccessed.IsZero() {
		return "never read" + given
	}
	return "last read " + ago(p.At, m.LastAccessed) + given
}

// gifts says how often m was given, and when last.
func (p *planner) gifts(m *memory.Memory) string {
	given := p.LastGiven(m)
	if given.N == 0 {
		return "never"
	}
	return fmt.Sprintf("%s, last %s", quantity(int(given.N), "time"), ago(p.At, given.At))
}

// toArchive moves a memory to the archive as it is.
func (p *planner) toArchive(m *memory.Memory, rule, reason, detail string) memory.Action {
	if p.Sketch != nil {
		return memory.Action{Action: oplog.Action{Type: oplog.Archive, Rule: rule, MemoryID: m.ID, Reason: reason, Detail: detail}}
	}
	op := p.files.Archive(m, nil)
	return memory.Action{
		Action: oplog.Action{Type: oplog.Archive, Rule: rule, MemoryID: m.ID, From: m.Ref.String(), To: op.To.File, Reason: reason, Detail: detail},
		Ops:    []memory.Op{op},
	}
}
