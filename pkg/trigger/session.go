package trigger

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/rules"
	"github.com/memoryd/memoryd/pkg/sessionfile"
)

// Sighting is a session that was not reported and shows in the files only, an agent's work without a session, or a
// file of working memories without an agent.
type Sighting struct {
	Session  memory.Session   // its id, or its agent, or neither
	File     string           // of what is nobody's
	Touched  time.Time        // when a file of it was last written
	Said     sessionfile.Said // the last word of its files
	Ended    time.Time        // when it ended, if they say so
	Broken   bool             // a file of it doesn't parse: it may be half written
	Messages int              // how many its files count or hold, or its working memories
	Memories []string         // ids of its working memories

	spoken time.Time // when the last word was written
	digest [32]byte
}

const (
	// rest is for how long nothing of a session must have been written before it is
	// settled: its files are written one after the other.
	rest = 2 * time.Second
	// together is how far apart in time the last files of one session may be written.
	together = time.Minute
)

// Key names what was sighted.
func (x *Sighting) Key() string {
	if scope := x.Session.Scope(); scope != nil {
		return scope.String()
	}
	return x.File
}

// Digest tells whether something new is to be settled.
func (x *Sighting) Digest() string { return hex.EncodeToString(x.digest[:8]) }

// ended tells when it ended, and why that is believed.
func (x *Sighting) ended(idle time.Duration, now time.Time) (at time.Time, why string, ok bool) {
	switch {
	case x.Broken:
	case x.Said == sessionfile.Ended && !x.Ended.After(now):
		return latestOf(x.Ended, x.spoken), "its file says that it has ended", true
	case now.Sub(x.Touched) >= idle:
		return x.Touched, "nobody has touched it since " + x.Touched.UTC().Format(time.RFC3339), true
	}
	return time.Time{}, "", false
}

// place is whose a file is by its path.
func place(file string) Sighting {
	parts := strings.Split(file, "/")
	switch {
	case parts[0] == "sessions" && len(parts) > 1 && path.Base(file) != memory.IndexFile:
		return Sighting{Session: memory.Session{ID: strings.TrimSuffix(parts[1], ".json")}}
	case parts[0] == "agents" && len(parts) > 2:
		return Sighting{Session: memory.Session{Agent: parts[1]}}
	}
	return Sighting{File: file}
}

// album collects sightings by key.
type album map[string]*Sighting

func (a album) of(x Sighting) *Sighting {
	key := strings.ToLower(x.Key())
	if a[key] == nil {
		a[key] = &x
	}
	return a[key]
}

// sightings puts together what the files say, and what they hold, in order of keys.
func sightings(s *memory.Snapshot, files []sessionfile.File) []Sighting {
	if len(files) == 0 {
		return nil
	}
	a, touched := album{}, map[string]time.Time{}
	files = slices.Clone(files)
	slices.SortStableFunc(files, func(a, b sessionfile.File) int { return spokenAt(a).Compare(spokenAt(b)) })
	for _, f := range files {
		touched[f.Name] = f.Touched
		x := a.of(place(f.Name))
		x.Touched, x.Broken = latestOf(x.Touched, f.Touched), x.Broken || f.Broken
		for _, r := range f.Records {
			if r.Session == "" || x.File == "" {
				x.hear(r, f, s.At)
			}
			if r.Session != "" {
				a.of(Sighting{Session: memory.Session{ID: r.Session}}).hear(r, f, s.At)
			}
		}
	}
	for _, p := range s.Problems {
		if x, ok := a[strings.ToLower(at(p.File).Key())]; ok && p.Severity == memory.Error {
			x.Broken = true
		}
	}
	for _, m := range s.Memories() {
		if m.Type != memory.Working {
			continue
		}
		x := a.of(owner(m))
		x.Memories = append(x.Memories, m.ID)
		x.Touched = latestOf(x.Touched, touched[m.File])
		if touched[m.File].IsZero() {
			x.Touched = latestOf(x.Touched, m.Newest())
		}
		x.digest = sha256.Sum256(fmt.Appendf(x.digest[:], "%s %x", m.ID, m.Checksum()))
	}
	all := make([]Sighting, 0, len(a))
	for _, x := range a {
		x.Messages = max(x.Messages, len(x.Memories))
		x.digest = sha256.Sum256(fmt.Appendf(x.digest[:], "%s %s", x.Said, x.Ended))
		all = append(all, *x)
	}
	slices.SortFunc(all, func(a, b Sighting) int { return strings.Compare(a.Key(), b.Key()) })
	return all
}

func at(file string) *Sighting { x := place(file); return &x }

// spokenAt is when a file said what it says. An index of sessions is written for
// many reasons, so that the file of a session itself has the last word.
func spokenAt(f sessionfile.File) time.Time {
	if path.Base(f.Name) == memory.IndexFile {
		return time.Time{}
	}
	return f.Touched
}

// owner is whose a working memory is.
func owner(m *memory.Memory) Sighting {
	if id := rules.SessionOf(m); id != "" {
		return Sighting{Session: memory.Session{ID: id}}
	}
	if m.Scope.Kind == "agent" {
		return Sighting{Session: memory.Session{Agent: m.Scope.ID}}
	}
	return Sighting{File: m.File}
}

// hear takes in what a file says.
func (x *Sighting) hear(r sessionfile.Record, f sessionfile.File, now time.Time) {
	index := path.Base(f.Name) == memory.IndexFile
	if !index {
		x.Touched = latestOf(x.Touched, f.Touched)
	}
	if !r.Active.After(now) {
		x.Touched = latestOf(x.Touched, r.Active)
	}
	if x.Session.ID != "" && r.Agent != "" {
		x.Session.Agent = r.Agent
	}
	x.Messages = max(x.Messages, r.Messages)
	if r.Said != sessionfile.Unsaid {
		x.Said, x.Ended, x.spoken = r.Said, r.Ended, spokenAt(f)
	}
}

// open lists the sessions that go on: those told of, and those seen.
func (f Facts) open(idle time.Duration, now time.Time) (all []memory.Session) {
	ended := map[string]time.Time{}
	for i := range f.Sessions {
		x := &f.Sessions[i]
		if at, _, ok := x.ended(idle, now); ok {
			ended[strings.ToLower(x.Key())] = at
		} else if x.Session.ID != "" {
			all = append(all, x.Session)
		}
	}
	for _, b := range f.Begun {
		if b.Scope() == nil || !b.Open(now, idle) {
			continue
		}
		if at, ok := ended[strings.ToLower(b.Scope().String())]; !ok || at.Before(b.At) {
			all = append(all, b)
		}
	}
	return all
}

// NextSessionEnd is when the next session that goes on will have rested for long enough to have ended, if nobody touches it; zero: there is
// none, or no working memory to settle.
func (f Facts) NextSessionEnd(t config.Triggers, now time.Time) (at time.Time) {
	if !slices.ContainsFunc(f.Sessions, func(x Sighting) bool { return len(x.Memories) > 0 }) {
		return at
	}
	for i := range f.Sessions {
		x := &f.Sessions[i]
		end := x.Touched.Add(t.SessionIdle.Clock() + rest)
		if _, _, over := x.ended(t.SessionIdle.Clock(), now); !over && end.After(now) && (at.IsZero() || end.Before(at)) {
			at = end
		}
	}
	return at
}

// blocked reports whether an open session keeps what was sighted from being
// settled: it is the same, it is of the same agent, or what was sighted is nobody's.
func (x *Sighting) blocked(open []memory.Session) bool {
	return slices.ContainsFunc(open, func(o memory.Session) bool {
		switch {
		case x.File != "":
			return true
		case x.Session.ID != "":
			return strings.EqualFold(o.ID, x.Session.ID)
		}
		return strings.EqualFold(o.Agent, x.Session.Agent)
	})
}

// lookAtSessions finds what has ended by itself and was not settled since.
func (s State) lookAtSessions(t config.Triggers, f Facts, now time.Time) (due []Due) {
	idle, sighted := t.SessionIdle.Clock(), map[string]bool{}
	open := f.open(idle, now)
	var ends []time.Time
	for i := range f.Sessions {
		x := &f.Sessions[i]
		key := x.Key()
		sighted[key] = true
		at, why, ok := x.ended(idle, now)
		if !ok || len(x.Memories) == 0 || s.Settled[key].Digest == x.Digest() || x.blocked(open) {
			continue
		}
		d := Due{Trigger: rules.SessionEnd, Session: key, Digest: x.Digest(), Count: len(x.Memories), After: x.Touched.Add(rest), Reason: key + ": " + why}
		if d.After.After(now.Add(rest)) { // of a clock that was wrong
			d.After = now
		}
		n, _ := slices.BinarySearchFunc(ends, at, func(a, b time.Time) int {
			if a.After(b) {
				return 1
			}
			return -1 // behind those that ended at the same time
		})
		ends, due = slices.Insert(ends, n, at), slices.Insert(due, n, d)
	}
	for key := range s.Settled {
		if !sighted[key] {
			delete(s.Settled, key)
		}
	}
	return due
}

// Ended is the end of a session that was reported, to be settled now, with what is
// known of it and of the others that have begun. goesOn reports that the session has begun
// again since.
func Ended(end memory.Session, begun []memory.Session, idle time.Duration, now time.Time) (e *rules.Ending, goesOn bool) {
	e = &rules.Ending{Session: end}
	for _, s := range begun {
		switch {
		case s.Is(end):
			goesOn = goesOn || s.At.After(end.At)
			if e.Session.Agent == "" {
				e.Session.Agent = s.Agent
			}
		case s.Open(now, idle) && s.Scope() != nil:
			e.Open = append(e.Open, s)
		}
	}
	return e, goesOn
}

// Ending is the end of a session that was sighted, to be settled now: false if it
// doesn't seem to have ended any more. What others still work on is spared.
func (f Facts) Ending(t config.Triggers, key string, now time.Time) (*rules.Ending, bool) {
	idle := t.SessionIdle.Clock()
	i := slices.IndexFunc(f.Sessions, func(x Sighting) bool { return x.Key() == key })
	if i < 0 {
		return nil, false
	}
	x := &f.Sessions[i]
	at, _, ok := x.ended(idle, now)
	open := f.open(idle, now)
	if !ok || x.blocked(open) {
		return nil, false
	}
	e := &rules.Ending{Session: x.Session, Open: open, Spared: map[string]bool{}}
	e.Session.At = now
	for _, b := range f.Begun {
		if e.Session.ID != "" && b.Is(e.Session) && e.Session.Agent == "" {
			e.Session.Agent = b.Agent
		}
	}
	if x.File != "" {
		e.Session.ID = x.File // no session has it: what is nobody's is settled
	}
	for i := range f.Sessions {
		y := &f.Sessions[i]
		if _, _, over := y.ended(idle, now); over || y.Key() == key {
			continue
		}
		// With a session goes what its agent wrote until it ended, not what is written since.
		if x.Session.ID == "" || y.Broken || y.Touched.After(at.Add(together)) {
			for _, id := range y.Memories {
				e.Spared[id] = true
			}
		}
	}
	return e, true
}
