package trigger

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"time"

	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/rules"
	"github.com/memoryd/memoryd/pkg/sessionfile"
)

// Facts are what a workspace holds.
type Facts struct {
	Indexes  map[string]int   // entries, by the index's file
	Memories int              // live memories
	Working  int              // working memories
	Sessions []Sighting       // what the files say of sessions
	Begun    []memory.Session // sessions that were told to begin, and of no end
}

// FactsOf counts what the triggers ask for. The files are those that sessions are
// seen by; with none, nothing is known of sessions.
func FactsOf(s *memory.Snapshot, files []sessionfile.File, begun []memory.Session) Facts {
	f := Facts{Indexes: map[string]int{}, Memories: len(s.Memories()), Sessions: sightings(s, files), Begun: begun}
	for _, x := range s.Indexes {
		if path.Dir(x.File) != memory.ArchiveDir { // what is there is done with
			f.Indexes[x.File] = x.Count()
		}
	}
	for _, m := range s.Memories() {
		if m.Type == memory.Working {
			f.Working++
		}
	}
	return f
}

// Due is a run that should happen.
type Due struct {
	Trigger  string
	Name     string        // of a schedule of the settings
	Schedule string        // of triggers by the clock: the expression
	Slot     string        // the wall clock's reading that it is for; "" after a span of time
	Apart    time.Duration // of triggers by the clock: least time between two slots
	All      bool          // run after run, until nothing is left to do
	Scope    string        // only memories of it; "" = all
	Index    string        // the file of the index that overflows
	Session  string        // the key of the session that has ended, or has grown
	Digest   string        // of what was seen of it
	Count    int           // of what was counted
	Attempt  int           // 1 for the first
	After    time.Time     // not to begin before; zero: at once
	Reason   string        // for people
}

// Task is what a run does.
type Task string

// Tasks. A schedule of the settings with the name of one does that; all others consolidate.
const (
	Consolidate Task = "consolidate"
	Enrich      Task = "enrich"
	Deep        Task = "deep" // consolidates, and asks a model about pairs
)

// Task is what the run does.
func (d Due) Task() Task {
	if t := Task(d.Name); t == Enrich || t == Deep {
		return t
	}
	return Consolidate
}

// Only is the scope, or the session, that the run is bounded to; nil for none.
func (d Due) Only() (*memory.Scope, error) {
	of := cmp.Or(d.Session, d.Scope)
	if of == "" {
		return nil, nil
	}
	scope, err := memory.ParseScope(of)
	return &scope, err
}

// Heavy runs wait for a quiet workspace.
func (d Due) Heavy() bool {
	return d.Task() != Consolidate || d.Trigger == rules.Weekly || d.Trigger == rules.IndexOverflow || d.Name != "" && d.All
}

// Key tells this run from others that may be due with it.
func (d Due) Key() string { return d.Trigger + " " + d.of() }

func (d Due) of() string {
	switch {
	case d.Name != "":
		return d.clock()
	case d.Session != "" && d.Trigger == rules.Threshold:
		return messagesOf(d.Session)
	case d.Session != "":
		return d.Session
	case d.Index == "" && d.Schedule == "":
		return working
	}
	return d.Index
}

// clock is the name of a trigger by the clock in the state.
func (d Due) clock() string {
	if d.Name != "" {
		return "schedules." + d.Name
	}
	return d.Trigger
}

// working is the name of the number of working memories in the state.
const working = "working"

const (
	slotForm = "2006-01-02T15:04"
	// wrongClock: a stored time this far ahead is of a clock that was wrong. Time
	// zones lie 26 hours apart at most.
	wrongClock = 26 * time.Hour
	forward    = 24 * time.Hour
)

// Held says why no run starts by itself in a workspace with so many live memories, "" when
// runs do.
func Held(c config.Settings, memories int) string {
	switch least := c.Consolidate.MinMemories; {
	case !c.Triggers.Automatic:
		return "triggers.automatic is false"
	case memories < least:
		return fmt.Sprintf("the workspace holds fewer memories (%d) than consolidate.min_memories (%d)", memories, least)
	}
	return ""
}

// Look tells which runs are due, the ends of sessions and then the most
// comprehensive first, and what to remember from now on: the state must be stored
// before anything else is made of it. What waits to be tried again is not due.
// Times of day are those in loc. An error is of one schedule; the others are looked
// at all the same.
func Look(c config.Settings, s State, f Facts, now time.Time, loc *time.Location) (due []Due, _ State, err error) {
	s, t := s.clone(), c.Triggers
	if Held(c, f.Memories) != "" { // what passes in the meantime isn't made up for
		return nil, State{Version: s.Version, Settled: s.Settled}, nil
	}
	due = s.lookAtSessions(t, f, now)
	kept := map[string]bool{}
	for _, d := range clocks(c) {
		kept[d.clock()] = true
		schedule, bad := d.schedule()
		if bad != nil {
			err = errors.Join(err, fmt.Errorf("trigger %s: %w", d.clock(), bad))
			continue
		}
		is, mark := schedule.look(&d, s.Clock[d.clock()], now, loc)
		s.Clock[d.clock()] = mark
		if is {
			if d.Name != "" {
				d.Reason = d.Name + ": " + d.Reason
			}
			due = append(due, d)
		}
	}
	maps.DeleteFunc(s.Clock, func(name string, _ Mark) bool { return !kept[name] })
	overflow := limits{t.IndexOverflow, t.IndexOverflowStep, t.IndexOverflowRepeat.Clock()}
	counted := f.counted(t)
	maps.DeleteFunc(s.Crossed, func(key string, _ Crossing) bool { return !counted[key] })
	for _, file := range slices.Sorted(maps.Keys(f.Indexes)) {
		if n := f.Indexes[file]; overflow.over(s.Crossed, file, n, now) {
			due = append(due, Due{Trigger: rules.IndexOverflow, Index: file, Count: n, Reason: fmt.Sprintf("%s has %d entries, more than %d", file, n, t.IndexOverflow)})
		}
	}
	if !t.Threshold {
		return s.ripe(due, now), s, err
	}
	if many := (limits{t.ThresholdWorking, t.ThresholdWorking, t.IndexOverflowRepeat.Clock()}); many.over(s.Crossed, working, f.Working, now) {
		due = append(due, Due{Trigger: rules.Threshold, Count: f.Working, Reason: fmt.Sprintf("%d working memories, more than %d", f.Working, t.ThresholdWorking)})
	}
	long := limits{t.ThresholdMessages - 1, t.ThresholdMessages, t.IndexOverflowRepeat.Clock()}
	for _, x := range f.Sessions {
		if len(x.Memories) > 0 && x.File == "" && long.over(s.Crossed, messagesOf(x.Key()), x.Messages, now) {
			due = append(due, Due{Trigger: rules.Threshold, Session: x.Key(), Count: x.Messages, Reason: fmt.Sprintf("%d messages in %s, the limit is %d", x.Messages, x.Key(), t.ThresholdMessages)})
		}
	}
	return s.ripe(due, now), s, err
}

// counted are the names of what the triggers count.
func (f Facts) counted(t config.Triggers) map[string]bool {
	names := map[string]bool{working: t.Threshold}
	for file := range f.Indexes {
		names[file] = true
	}
	for _, x := range f.Sessions {
		names[messagesOf(x.Key())] = t.Threshold
	}
	return names
}

func messagesOf(session string) string { return "messages of " + session }

// ripe numbers the attempts, forgets failures of what is no longer due, and keeps
// back what waits for its time.
func (s State) ripe(due []Due, now time.Time) (ripe []Due) {
	wanted := map[string]bool{}
	for _, d := range due {
		failed := s.Failed[d.Key()]
		wanted[d.Key()] = true
		d.Attempt = failed.Times + 1
		// A clock that was set back doesn't make it wait for longer.
		if failed.Times == 0 || !now.Before(failed.Again) || now.Before(failed.Last) {
			ripe = append(ripe, d)
		}
	}
	maps.DeleteFunc(s.Failed, func(key string, _ Failure) bool { return !wanted[key] })
	return ripe
}

// look compares a schedule with how far it is done with, and tells whether a run is
// due, and why.
func (s *Schedule) look(d *Due, mark Mark, now time.Time, loc *time.Location) (bool, Mark) {
	text := d.Schedule
	first := mark.Schedule != text
	if s.every > 0 {
		if first || mark.At.After(now) { // the clock was set back
			return false, Mark{Schedule: text, At: now.UTC()}
		}
		d.Reason = fmt.Sprintf("%s have passed", s.every)
		return now.Sub(mark.At) >= s.every, mark
	}
	latest := s.latest(now, loc)
	done, err := time.Parse(slotForm, mark.Slot)
	if first || err != nil || done.After(wall(now, loc).Add(wrongClock)) {
		if latest.IsZero() { // none in five years: the next one counts
			latest = wall(now, loc)
		}
		return false, Mark{Schedule: text, Slot: latest.Format(slotForm), At: now.UTC()}
	}
	d.Slot = latest.Format(slotForm)
	d.Reason = "it is " + d.Slot
	if now.Sub(reached(latest, loc)) > time.Minute {
		d.Reason = "missed: " + d.Slot
	}
	return latest.After(s.earliest(done)), mark
}

// limits are when a count is too high, and when it is again.
type limits struct {
	limit, step int
	repeat      time.Duration
}

// over reports whether a count has crossed the limit, or has again, and notes the
// smallest count since.
func (l limits) over(crossed map[string]Crossing, key string, n int, now time.Time) bool {
	c, before := crossed[key]
	if n <= l.limit {
		delete(crossed, key)
		return false
	}
	if !before {
		return true
	}
	if c.At.After(now.Add(forward)) { // of a clock that was wrong
		c.At = now.UTC()
	}
	due := n >= c.Count+l.step || now.Sub(c.At) >= l.repeat
	c.Count = min(c.Count, n)
	crossed[key] = c
	return due
}

// Ready is the earliest time at which a heavy run that became due at since may start: once no file has changed for
// triggers.quiet_time, and at the latest triggers.quiet_max after since.
func Ready(t config.Triggers, since, lastChange time.Time) time.Time {
	quiet, longest := lastChange.Add(t.QuietTime.Clock()), since.Add(t.QuietMax.Clock())
	if quiet.Before(since) {
		return since
	}
	if quiet.After(longest) {
		return longest
	}
	return quiet
}
