package rules

import (
	"fmt"
	"time"

	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
)

// stale is what the rule "archive" asks of a memory: that nobody reads it, and that no agent
// is given it.
var stale = conditions{{
	what: func(p *planner, m *memory.Memory) string {
		a := p.Settings.Archive
		if !p.arrival(m).IsZero() {
			return fmt.Sprintf("never read or given since it arrived at least %s ago, or last read or given more than %s ago", p.unreadSinceArrival(), a.IdleAfter)
		}
		return fmt.Sprintf("never read or given and at least %s old, or last read or given more than %s ago", a.UnreadAfter, a.IdleAfter)
	},
	met: func(p *planner, m *memory.Memory) bool { return p.stale(m) || p.unreadButYoung(m) },
	is: func(p *planner, m *memory.Memory) string {
		is := fmt.Sprintf("access_count %d, %s old, last read %s, given %s", m.AccessCount, ageOf(p, m), ago(p.At, m.LastAccessed), p.gifts(m))
		if at := p.arrival(m); !at.IsZero() {
			is += fmt.Sprintf(", arrived %s, %s; counts as stale %s after its arrival if nobody reads it", at.Format(time.DateOnly), ago(p.At, at), p.unreadSinceArrival())
		}
		if back, restored := p.restored(m); restored {
			is += fmt.Sprintf(", brought back %s by an undo or a restore, which counts as a read: not archived again for %s after that", back.Format(time.DateOnly), p.Settings.Archive.IdleAfter)
		}
		return is
	},
}, unused}

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
// restored from the archive counts as being read, and so does the arrival from elsewhere, after
// which it has [config.Archive.ArrivalGrace] in any case.
func (p *planner) stale(m *memory.Memory) bool {
	return !p.arriving(m) && (p.unreadLong(m) || p.idleLong(m))
}

// unreadLong reports whether m is as old as archive.unread_after, or arrived so long ago, without any use.
func (p *planner) unreadLong(m *memory.Memory) bool {
	_, restored := p.restored(m)
	begun := p.begun(m)
	return !restored && p.unused(m) && !begun.IsZero() && !begun.After(p.unread)
}

// unreadSinceArrival is how long a memory from elsewhere stays that nobody reads.
func (p *planner) unreadSinceArrival() config.Duration {
	a := p.Settings.Archive
	if a.UnreadAfter.Before(p.At).Before(p.grace) {
		return a.UnreadAfter
	}
	return a.ArrivalGrace()
}

// idleLong reports whether the last use of m is more than archive.idle_after ago. Of one that
// was read, nobody knows when, that isn't known, unless it arrived since: it was not read here.
func (p *planner) idleLong(m *memory.Memory) bool {
	last, restored := p.restored(m)
	arrival := p.arrival(m)
	if !restored {
		if last = m.LastAccessed; m.AccessCount > 0 && last.IsZero() {
			last = arrival
			if last.IsZero() {
				return false
			}
		}
	}
	if given := p.LastGiven(m).At; given.After(last) {
		last = given
	}
	if last.IsZero() {
		return false
	}
	if arrival.After(last) {
		last = arrival
	}
	return last.Before(p.idle)
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
	born := p.born(m)
	return !(p.enabled(memory.RuleExpired) && expired.hold(p, m)) && !p.arriving(m) && p.unused(m) && p.Restored[m.ID].IsZero() &&
		(born.IsZero() || born.After(p.minAge)) && !p.unread.Before(p.minAge)
}

// neglect says why a memory counts as stale, or would if it were older.
func (p *planner) neglect(m *memory.Memory) string {
	back, restored := p.restored(m)
	given := ""
	if at := p.LastGiven(m).At; !at.IsZero() {
		given = ", last given " + ago(p.At, at)
	}
	arrival := p.arrival(m)
	switch {
	case p.unreadLong(m) && !m.LastAccessed.IsZero():
		return "access_count 0, last accessed " + ago(p.At, m.LastAccessed) + given
	case p.unreadLong(m) && (arrival.IsZero() || m.Born().After(arrival)):
		return "never read or given in " + age(p.At, p.born(m))
	case p.unreadLong(m):
		return "never read or given since it arrived " + ago(p.At, arrival)
	case !p.idleLong(m): // the exclusion of young memories keeps it from counting
		return "never read or given"
	case restored:
		return "brought back " + ago(p.At, back) + " and not read since" + given
	}
	if m.LastAccessed.IsZero() && m.AccessCount > 0 {
		return "not read since it arrived " + ago(p.At, arrival) + given
	}
	if !arrival.IsZero() {
		given += ", arrived " + ago(p.At, arrival)
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
