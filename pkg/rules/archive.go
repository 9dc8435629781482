package rules

import (
	"fmt"
	"time"

	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/memory"
)

// RuleArchive is the name of the rule that archives what nobody reads and no agent is given.
const RuleArchive = "archive"

var archiving = rule{
	name: RuleArchive, except: exceptions{archives: true, byUse: true},
	does:    "moves a memory that nobody reads, and that no agent is given, to the archive",
	asks:    conditions{neglected, unused},
	moments: neglectMoments,
	propose: func(p *proposer) {
		if p.Folder != nil && !p.Folder.Evidence {
			return // that nobody was seen to read a note doesn't mean that nobody does
		}
		for _, m := range p.subjects {
			if !m.claimed && p.rule.asks.hold(p.state, m.Memory) && p.admits(m) {
				p.archive(m, "stale", neglect(p.state, m.Memory))
			}
		}
	},
}

// neglected asks that nobody reads a memory, and that no agent is given it.
var neglected = condition{
	what: func(st *state, m *memory.Memory) string {
		a := st.Settings.Archive
		if !st.arrival(m).IsZero() {
			return fmt.Sprintf("never read or given since it arrived at least %s ago, or last read or given more than %s ago", unreadSinceArrival(st), a.IdleAfter)
		}
		return fmt.Sprintf("never read or given and at least %s old, or last read or given more than %s ago", a.UnreadAfter, a.IdleAfter)
	},
	met: func(st *state, m *memory.Memory) bool { return isStale(st, m) || unreadButYoung(st, m) },
	is: func(st *state, m *memory.Memory) string {
		is := fmt.Sprintf("access_count %d, %s old, last read %s, given %s", m.AccessCount, ageOf(st, m), ago(st.At, m.LastAccessed), gifts(st, m))
		if at := st.arrival(m); !at.IsZero() {
			is += fmt.Sprintf(", arrived %s, %s; counts as stale %s after its arrival if nobody reads it", at.Format(time.DateOnly), ago(st.At, at), unreadSinceArrival(st))
		}
		if back, restored := restored(st, m); restored {
			is += fmt.Sprintf(", brought back %s by an undo or a restore, which counts as a read: not archived again for %s after that", back.Format(time.DateOnly), st.Settings.Archive.IdleAfter)
		}
		return is
	},
}

// unused is what the rule "archive" also asks of a memory where archive.count_from is "used": that nobody has written it, read it or
// given it to an agent for as long.
var unused = condition{
	when: func(st *state, _ *memory.Memory) bool { return st.Settings.Archive.CountFrom == config.CountFromUse },
	what: func(st *state, m *memory.Memory) string {
		span := st.Settings.Archive.IdleAfter
		if neverUsed(st, m) {
			span = st.Settings.Archive.UnreadAfter
		}
		return fmt.Sprintf("not written, read or given for %s", span)
	},
	met: func(st *state, m *memory.Memory) bool {
		if st.Settings.Archive.CountFrom != config.CountFromUse {
			return true
		}
		if last := lastUse(st, m); neverUsed(st, m) {
			return !last.After(st.unread)
		} else {
			return last.Before(st.idle)
		}
	},
	is: func(st *state, m *memory.Memory) string { return "last " + ago(st.At, lastUse(st, m)) },
}

// neglectMoments are those at which the spans of [archive] have passed.
func neglectMoments(st *state, m *memory.Memory) []moment {
	a, arrival := st.Settings.Archive, st.arrival(m)
	all := []moment{
		{span: a.UnreadAfter, from: m.Born()}, {span: a.UnreadAfter, from: arrival}, {span: a.ArrivalGrace(), from: arrival},
		{span: a.IdleAfter, from: arrival, more: true}, {span: a.IdleAfter, from: m.LastAccessed, more: true},
		{span: a.IdleAfter, from: st.Restored[m.ID], more: true}, {span: a.IdleAfter, from: st.LastGiven(m).At, more: true},
	}
	if a.CountFrom == config.CountFromUse {
		for _, used := range uses(st, m) {
			all = append(all, moment{span: a.UnreadAfter, from: used}, moment{span: a.IdleAfter, from: used, more: true})
		}
	}
	return all
}

// isStale reports whether m counts as stale: neither read nor given and at least
// archive.unread_after old, or last read or given more than archive.idle_after ago. Being
// restored from the archive counts as being read, and so does the arrival from elsewhere, after
// which it has [config.Archive.ArrivalGrace] in any case.
func isStale(st *state, m *memory.Memory) bool {
	return !st.arriving(m) && (unreadLong(st, m) || idleLong(st, m))
}

// unreadLong reports whether m is as old as archive.unread_after, or arrived so long ago, without any use.
func unreadLong(st *state, m *memory.Memory) bool {
	_, restored := restored(st, m)
	begun := st.begun(m)
	return !restored && neverUsed(st, m) && !begun.IsZero() && !begun.After(st.unread)
}

// unreadSinceArrival is how long a memory from elsewhere stays that nobody reads.
func unreadSinceArrival(st *state) config.Duration {
	a := st.Settings.Archive
	if a.UnreadAfter.Before(st.At).Before(st.grace) {
		return a.UnreadAfter
	}
	return a.ArrivalGrace()
}

// idleLong reports whether the last use of m is more than archive.idle_after ago. Of one that
// was read, nobody knows when, that isn't known, unless it arrived since: it was not read here.
func idleLong(st *state, m *memory.Memory) bool {
	last, restored := restored(st, m)
	arrival := st.arrival(m)
	if !restored {
		if last = m.LastAccessed; m.AccessCount > 0 && last.IsZero() {
			last = arrival
			if last.IsZero() {
				return false
			}
		}
	}
	if given := st.LastGiven(m).At; given.After(last) {
		last = given
	}
	if last.IsZero() {
		return false
	}
	if arrival.After(last) {
		last = arrival
	}
	return last.Before(st.idle)
}

// neverUsed reports whether m was neither read nor given.
func neverUsed(st *state, m *memory.Memory) bool {
	return m.AccessCount == 0 && st.LastGiven(m).N == 0
}

// restored tells when m came back from the archive, if it has not been read since.
func restored(st *state, m *memory.Memory) (time.Time, bool) {
	if len(st.Restored) == 0 {
		return time.Time{}, false
	}
	back := st.Restored[m.ID]
	return back, back.After(m.LastAccessed)
}

// unreadButYoung reports whether only the exclusion of young memories, or of those
// of unknown age, keeps an unread memory from being stale. Then the plan says so, unless the
// memory goes in any case because it has expired.
func unreadButYoung(st *state, m *memory.Memory) bool {
	born := st.born(m)
	return !(st.archivedAnyway != nil && st.archivedAnyway(m)) && !st.arriving(m) && neverUsed(st, m) && st.Restored[m.ID].IsZero() &&
		(born.IsZero() || born.After(st.minAge)) && !st.unread.Before(st.minAge)
}

// neglect says why a memory counts as stale, or would if it were older.
func neglect(st *state, m *memory.Memory) string {
	back, restored := restored(st, m)
	given := ""
	if at := st.LastGiven(m).At; !at.IsZero() {
		given = ", last given " + ago(st.At, at)
	}
	arrival := st.arrival(m)
	switch {
	case unreadLong(st, m) && !m.LastAccessed.IsZero():
		return "access_count 0, last accessed " + ago(st.At, m.LastAccessed) + given
	case unreadLong(st, m) && (arrival.IsZero() || m.Born().After(arrival)):
		return "never read or given in " + age(st.At, st.born(m))
	case unreadLong(st, m):
		return "never read or given since it arrived " + ago(st.At, arrival)
	case !idleLong(st, m): // the exclusion of young memories keeps it from counting
		return "never read or given"
	case restored:
		return "brought back " + ago(st.At, back) + " and not read since" + given
	}
	if m.LastAccessed.IsZero() && m.AccessCount > 0 {
		return "not read since it arrived " + ago(st.At, arrival) + given
	}
	if !arrival.IsZero() {
		given += ", arrived " + ago(st.At, arrival)
	}
	if m.LastAccessed.IsZero() {
		return "never read" + given
	}
	return "last read " + ago(st.At, m.LastAccessed) + given
}

// gifts says how often m was given, and when last.
func gifts(st *state, m *memory.Memory) string {
	given := st.LastGiven(m)
	if given.N == 0 {
		return "never"
	}
	return fmt.Sprintf("%s, last %s", quantity(int(given.N), "time"), ago(st.At, given.At))
}

// lastUse is when m was last written, read or given, or arrived.
func lastUse(st *state, m *memory.Memory) (last time.Time) {
	for _, at := range uses(st, m) {
		if at.After(last) {
			last = at
		}
	}
	return last
}

// uses are when m was last written, read and given, and when it arrived; zero where it never was.
func uses(st *state, m *memory.Memory) []time.Time {
	return []time.Time{m.CreatedAt, m.UpdatedAt, m.LastAccessed, st.LastGiven(m).At, st.arrival(m)}
}
