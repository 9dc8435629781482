package rules

import (
	"cmp"
	"slices"
	"time"

	"github.com/memoryd/memoryd/pkg/memory"
)

// state is what the rules go by: the snapshot, the request, and what follows from them. A plan changes
// nothing in it but which subjects are claimed; what took time to find out is kept.
type state struct {
	*memory.Snapshot
	Request
	thresholds
	// archivedAnyway reports whether a rule archives a memory however young it is; nil: none is asked.
	archivedAnyway func(*memory.Memory) bool
	covers         func(*memory.Memory) bool
	off            []string                // rules that the settings switch off
	overflowing    []string                // the files of the indexes that the request is about, with index_overflow
	subjects       []*subject              // the oldest first
	flaggedNow     map[string]bool         // ids that a run at this very time flagged for review
	files          *memory.NewFiles        // of candidates
	above          map[string]memory.Scope // by agent: see scopeAbove
	recur          *recurrences            // see recurring
	progress       *progress
	templates      templates // see seriesOf
}

// thresholds are the times up to which memories count as old, idle and so on.
type thresholds struct {
	minAge, unread, idle, grace, episode, now time.Time
}

func newState(s *memory.Snapshot, r Request) *state {
	if r.Trigger == "" {
		r.Trigger = Manual
	}
	set := &r.Settings
	st := &state{
		Snapshot: s, Request: r, files: s.NewFiles(), above: map[string]memory.Scope{}, progress: &progress{tell: r.Progress},
		thresholds: thresholds{
			minAge: set.Exclude.MinAge.Before(s.At), unread: set.Archive.UnreadAfter.Before(s.At),
			idle: set.Archive.IdleAfter.Before(s.At), grace: set.Archive.ArrivalGrace().Before(s.At), episode: set.Summarise.MinAge.Before(s.At), now: s.At.Truncate(time.Second),
		},
		flaggedNow: map[string]bool{}, off: set.Off(),
	}
	if s.Folder != nil {
		st.off = append(slices.Clone(st.off), offInFolder...)
	}
	for _, pair := range s.Review.Pairs {
		if pair.FlaggedAt.Equal(st.now) {
			st.flaggedNow[pair.A], st.flaggedNow[pair.B] = true, true
		}
	}
	st.covers = st.coverage()
	return st
}

// session reports whether the trigger is one that settles working memories.
func (st *state) session() bool { return st.Trigger == SessionEnd || st.Trigger == Threshold }

// coverage tells which memories the request is about. The plan keeps the function, so it
// must not hold on to the planner.
func (st *state) coverage() func(*memory.Memory) bool {
	if st.session() && st.Ending != nil {
		return st.Ending.settles
	}
	var over map[*memory.Index]bool
	var owner func(file string) *memory.Index
	if st.Trigger == IndexOverflow {
		over, owner = map[*memory.Index]bool{}, memory.Owners(st.Indexes)
		for _, x := range st.Indexes {
			if x.Count() > st.Settings.Triggers.IndexOverflow && (st.Index == "" || st.Index == x.File) {
				over[x] = true
				st.overflowing = append(st.overflowing, x.File)
			}
		}
	}
	scope, session := st.Scope, st.session()
	return func(m *memory.Memory) bool {
		switch {
		case scope != nil && !inScope(m, *scope), !st.Chosen(m), session && m.Type != memory.Working, memory.IsClusterSummary(m):
			return false
		}
		return over == nil || over[owner(m.File)]
	}
}

// inScope compares scopes, names without case. A memory is of a session also when
// it lies in the session's directory or names it.
func inScope(m *memory.Memory, s memory.Scope) bool {
	return s.Covers(m.Scope) || s.Kind == "session" && s.ID != "" && ofSession(m, s.ID)
}

// cover finds the memories that the request is about.
func (st *state) cover() *state {
	late := make(map[string]bool, len(st.Deferred))
	for _, id := range st.Deferred {
		late[id] = true
	}
	all := make([]subject, 0, len(st.Memories()))
	for _, m := range st.Memories() {
		if st.covers(m) {
			all = append(all, subject{Memory: m, n: len(all), late: late[m.ID]})
		}
	}
	st.subjects = make([]*subject, len(all))
	for i := range all {
		st.subjects[i] = &all[i]
	}
	slices.SortFunc(st.subjects, func(a, b *subject) int { return cmp.Or(compareAge(a.Memory, b.Memory), cmp.Compare(a.n, b.n)) })
	for n, m := range st.subjects {
		m.n = n
	}
	return st
}
