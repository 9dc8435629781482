package trigger

import (
	"encoding/json"
	"fmt"
	"maps"
	"time"

	"github.com/memoryd/memoryd/pkg/rules"
)

// Version of the state's format.
const Version = "1.0.0"

// State is what was done before, as ops/triggers.json keeps it. The zero State is
// that of a workspace seen for the first time. Its methods return changed copies.
type State struct {
	Version string `json:"version"`
	// Clock holds how far each schedule is done with, by trigger, or by name for
	// those of the settings: "schedules.nightly".
	Clock map[string]Mark `json:"clock,omitempty"`
	// Crossed holds what was over its limit and has been seen to: the files of
	// indexes, "working", and "messages of session:s1".
	Crossed map[string]Crossing `json:"crossed,omitempty"`
	// Settled holds the sessions that have ended and are settled, while their files
	// are as they were then.
	Settled map[string]SettledSession `json:"settled,omitempty"`
	// Failed holds the runs that are to be tried again.
	Failed map[string]Failure `json:"failed,omitempty"`
}

// Mark is how far a schedule is done with.
type Mark struct {
	Schedule string    `json:"schedule"`
	Slot     string    `json:"slot,omitempty"` // the wall clock's reading
	At       time.Time `json:"at"`             // when it was settled
}

// Crossing is how much there was when a limit was crossed, or the least since.
type Crossing struct {
	Count int       `json:"count"`
	At    time.Time `json:"at"`
}

// SettledSession is what was seen of a session when it was settled.
type SettledSession struct {
	Digest string    `json:"digest"`
	At     time.Time `json:"at"`
}

// Failure is a run that failed.
type Failure struct {
	Times int       `json:"times"`
	Last  time.Time `json:"last"`
	Again time.Time `json:"again"`
}

// ParseState reads what Marshal wrote; nil is the zero State.
func ParseState(doc []byte) (State, error) {
	s := State{Version: Version}
	if doc == nil {
		return s, nil
	}
	if err := json.Unmarshal(doc, &s); err != nil {
		return State{Version: Version}, fmt.Errorf("read the state of the triggers: %w", err)
	}
	s.Version = Version
	return s, nil
}

// Marshal writes the state as a document for people, too.
func (s State) Marshal() ([]byte, error) {
	s.Version = Version
	doc, err := json.MarshalIndent(s, "", "  ")
	return append(doc, '\n'), err
}

// Equal reports whether two states say the same.
func (s State) Equal(o State) bool {
	return maps.EqualFunc(s.Clock, o.Clock, func(a, b Mark) bool { return a.Schedule == b.Schedule && a.Slot == b.Slot && a.At.Equal(b.At) }) &&
		maps.EqualFunc(s.Crossed, o.Crossed, func(a, b Crossing) bool { return a.Count == b.Count && a.At.Equal(b.At) }) &&
		maps.EqualFunc(s.Settled, o.Settled, func(a, b SettledSession) bool { return a.Digest == b.Digest && a.At.Equal(b.At) }) &&
		maps.EqualFunc(s.Failed, o.Failed, func(a, b Failure) bool {
			return a.Times == b.Times && a.Last.Equal(b.Last) && a.Again.Equal(b.Again)
		})
}

func (s State) clone() State {
	own := State{Version: Version, Clock: map[string]Mark{}, Crossed: map[string]Crossing{}, Settled: map[string]SettledSession{}, Failed: map[string]Failure{}}
	maps.Copy(own.Clock, s.Clock)
	maps.Copy(own.Crossed, s.Crossed)
	maps.Copy(own.Settled, s.Settled)
	maps.Copy(own.Failed, s.Failed)
	return own
}

// Done notes that a run has succeeded.
func (s State) Done(d Due, now time.Time) State {
	s = s.clone()
	delete(s.Failed, d.Key())
	switch {
	case d.Schedule != "":
		s.Clock[d.clock()] = Mark{d.Schedule, d.Slot, now.UTC()}
	case d.Trigger == rules.SessionEnd:
		s.Settled[d.Session] = SettledSession{d.Digest, now.UTC()}
	default:
		s.Crossed[d.of()] = Crossing{d.Count, now.UTC()}
	}
	return s
}

// firstRetry is the delay before a run is tried again; each further one is four
// times as long, up to lastRetry.
const (
	firstRetry = 30 * time.Second
	lastRetry  = 2 * time.Hour
)

// Fail notes that a run failed. It is tried again at a later time, until it has
// been tried again as often as retries says; then it is given up as Done does it:
// the next slot or crossing is another one.
func (s State) Fail(d Due, retries int, now time.Time) (_ State, givenUp bool) {
	if d.Attempt > retries {
		return s.Done(d, now), true
	}
	s = s.clone()
	delay := firstRetry
	for range d.Attempt - 1 {
		delay = min(4*delay, lastRetry)
	}
	s.Failed[d.Key()] = Failure{d.Attempt, now.UTC(), now.UTC().Add(delay)}
	return s, false
}
