package rules

import (
	"time"

	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/memory"
)

// ArrivalOf is when a memory came into the workspace from elsewhere: it was imported, or it stood in the folder already when
// that became a workspace. Nobody has neglected it before. Zero for a memory that was written here.
func ArrivalOf(s *memory.Snapshot, a config.Archive, m *memory.Memory) time.Time {
	at := m.Arrived
	for _, opened := range [...]time.Time{a.Arrived, s.Opened} {
		if opened.After(at) && m.Born().Before(opened) {
			at = opened
		}
	}
	return at
}

// Born is the time from which a memory's age counts. One that tells no time is as old as its arrival, at least.
func Born(s *memory.Snapshot, a config.Archive, m *memory.Memory) time.Time {
	if born := m.Born(); !born.IsZero() {
		return born
	}
	return ArrivalOf(s, a, m)
}

func (st *state) arrival(m *memory.Memory) time.Time {
	return ArrivalOf(st.Snapshot, st.Settings.Archive, m)
}

func (st *state) born(m *memory.Memory) time.Time { return Born(st.Snapshot, st.Settings.Archive, m) }

// ofAge is the moment from which m is not excluded for its age any more.
func (st *state) ofAge(m *memory.Memory) moment {
	return moment{span: st.Settings.Exclude.MinAge, from: st.born(m)}
}

// arriving reports whether m came from elsewhere so lately that it can't count as stale.
func (st *state) arriving(m *memory.Memory) bool { return st.arrival(m).After(st.grace) }

// begun is when the time begins in which an unread memory counts as neglected.
func (st *state) begun(m *memory.Memory) time.Time {
	born := st.born(m)
	if at := st.arrival(m); at.After(born) {
		return at
	}
	return born
}
