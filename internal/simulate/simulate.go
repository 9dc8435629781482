package simulate

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"time"

	"github.com/memoryd/memoryd/internal/app"
	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/forecast"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/rules"
	"github.com/memoryd/memoryd/pkg/timestamp"
	"github.com/memoryd/memoryd/pkg/trigger"
	"github.com/memoryd/memoryd/pkg/workspace"
	"github.com/memoryd/memoryd/pkg/workspace/ops"
)

const day = 24 * time.Hour

// MaxDays bounds a simulation.
const MaxDays = 36_500

// Simulation is a span of time to be replayed.
type Simulation struct {
	Store    *workspace.FileStore // of the copy
	Settings config.Settings
	Start    time.Time
	Days     int
	Accesses []Access                // in the order of their times
	Progress func(at time.Time)      // told how far it is
	Result   func(*workspace.Result) // told what became of each transaction

	now    time.Time        // of the simulation
	zone   *time.Location   // that times of day are read in
	state  trigger.State    // of the triggers
	snap   *memory.Snapshot // as it is; nil when it has to be read again
	quiet  time.Time        // no run does anything before; zero when that isn't known
	every  bool             // for tests: no run is left out
	report *Report          // so far
}

// Run replays the time and reports. The store's clock is the simulation's from then on.
func (s *Simulation) Run(ctx context.Context) (*Report, error) {
	s.now = s.Start.UTC().Truncate(time.Second)
	start, end := s.now, s.now.Add(time.Duration(s.Days)*day)
	var err error
	if s.zone, err = s.Settings.Triggers.Zone(time.UTC); err != nil {
		return nil, err
	}
	s.Store.Now = func() time.Time { return s.now }
	s.Settings.Run.Pause = config.Duration{}
	doc, err := s.Store.Read(ops.TriggersFile)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read %s: %w", ops.TriggersFile, err)
	}
	if s.state, err = trigger.ParseState(doc); err != nil {
		return nil, err
	}
	s.report = &Report{From: start, To: end, Days: s.Days}
	if err := s.begin(); err != nil {
		return nil, err
	}
	for month := 1; ; {
		s.Progress(s.now)
		if err := s.step(ctx); err != nil {
			return nil, err
		}
		next, err := s.next(end)
		if err != nil {
			return nil, err
		}
		for turn := start.AddDate(0, month, 0); !turn.After(next) && turn.Before(end); turn = start.AddDate(0, month, 0) {
			if err := s.tally(turn); err != nil {
				return nil, err
			}
			month++
		}
		if !next.Before(end) {
			s.now = end
			return s.report, s.finish()
		}
		s.now = next
	}
}

// snapshot reads the copy, if anything has changed.
func (s *Simulation) snapshot() (*memory.Snapshot, error) {
	if s.snap != nil {
		return s.snap, nil
	}
	var err error
	s.snap, err = s.Store.Load(s.now)
	return s.snap, err
}

// step does what is due at this moment.
func (s *Simulation) step(ctx context.Context) error {
	if err := s.read(); err != nil {
		return err
	}
	snap, err := s.snapshot()
	if err != nil {
		return err
	}
	due, state, err := trigger.Look(s.Settings, s.state, trigger.FactsOf(snap, nil, nil), s.now, s.zone)
	if err != nil {
		return err
	}
	s.state = state
	for _, d := range due {
		if err := s.run(ctx, d); err != nil {
			return fmt.Errorf("%s at %s: %w", d.Trigger, timestamp.Format(s.now), err)
		}
		s.state = s.state.Done(d, s.now)
	}
	return nil
}

// read counts the reads whose time has come.
func (s *Simulation) read() error {
	for len(s.Accesses) > 0 && !s.Accesses[0].At.After(s.now) {
		a := s.Accesses[0]
		s.Accesses = s.Accesses[1:]
		if a.At.Before(s.report.From) || len(s.known(a.ID)) == 0 {
			s.report.AccessesIgnored += a.N
			continue
		}
		if err := s.Store.Ops().NoteRead(ops.Use{At: a.At, From: "simulate", N: int64(a.N)}, a.ID); err != nil {
			return err
		}
		s.report.Accesses += a.N
		s.snap, s.quiet = nil, time.Time{}
	}
	return nil
}

func (s *Simulation) known(id string) []*memory.Memory {
	snap, err := s.snapshot()
	if err != nil {
		return nil // the step that follows says so
	}
	return snap.Find(id)
}

// most bounds the runs for one trigger.
const most = 10_000

// run does what a watcher without a model would for a trigger: run after run for a weekly one, for
// working memories and where a schedule says so, else one.
func (s *Simulation) run(ctx context.Context, d trigger.Due) error {
	if d.Task() == trigger.Enrich {
		return s.enrich(ctx, d)
	}
	if s.quiet.After(s.now) && !s.every {
		return ctx.Err()
	}
	runner := app.Runner{
		Store: s.Store, Started: func() time.Time { return time.Time{} }, Loaded: func(snap *memory.Snapshot) { s.snap = snap },
		Load: func() (*memory.Snapshot, error) { return s.Store.Load(s.now) }, Result: s.Result,
		Reload: func(from *memory.Snapshot, written []string) *memory.Snapshot {
			return s.Store.Reload(s.now, from, written)
		},
	}
	all := d.All || d.Trigger == rules.Weekly || d.Trigger == rules.Threshold
	scope, err := d.Only()
	if err != nil {
		return err
	}
	request := rules.Request{Trigger: d.Trigger, Index: d.Index, Settings: s.Settings, Scope: scope}
	for range most {
		plan, result, err := runner.Once(ctx, request, nil)
		if err != nil {
			return err
		}
		if plan.Empty() {
			if request.Scope == nil && (d.Trigger == rules.Weekly || d.Trigger == rules.Interval) {
				return s.settled(ctx, request)
			}
			return nil
		}
		s.report.add(result)
		s.snap, s.quiet = nil, time.Time{}
		s.now = s.now.Add(time.Second)
		s.Progress(s.now)
		if !all {
			return nil
		}
	}
	return fmt.Errorf("stopped after %d runs: there is always more to do", most)
}

// enrich does what the schedule "enrich" does where there is no model.
func (s *Simulation) enrich(ctx context.Context, d trigger.Due) error {
	scope, err := d.Only()
	if err != nil {
		return err
	}
	snap, err := s.snapshot()
	if err != nil {
		return err
	}
	result, _, err := app.EnrichOnSchedule(ctx, s.Store, s.Store, nil, snap, s.Settings, scope, time.Time{})
	if err != nil || result == nil {
		return err
	}
	s.report.add(result)
	if s.Result != nil {
		s.Result(result)
	}
	s.snap, s.quiet = nil, time.Time{}
	s.now = s.now.Add(time.Second)
	return nil
}

// settled notes how long nothing can come of any run.
func (s *Simulation) settled(ctx context.Context, request rules.Request) error {
	request.Progress = func(int, int) error { return ctx.Err() }
	all, err := forecast.Of(s.snap, request, nil)
	if err != nil {
		return err
	}
	s.quiet = forecast.Next(s.snap, all, request)
	if s.quiet.IsZero() { // never: what is read from now on sets it back
		s.quiet = s.report.To.Add(day)
	}
	return nil
}

// next is the next moment at which something may be due: the triggers' time, that of a
// read, or a day later, when an index may overflow again.
func (s *Simulation) next(end time.Time) (time.Time, error) {
	snap, err := s.snapshot()
	if err != nil {
		return end, err
	}
	upcoming, err := trigger.Upcoming(s.Settings, s.state, trigger.FactsOf(snap, nil, nil), s.now, s.zone)
	if err != nil {
		return end, err
	}
	next := s.now.Add(day)
	for _, u := range upcoming {
		if u.At.After(s.now) && u.At.Before(next) {
			next = u.At
		}
	}
	if len(s.Accesses) > 0 && s.Accesses[0].At.After(s.now) && s.Accesses[0].At.Before(next) {
		next = s.Accesses[0].At
	}
	if next.After(end) {
		next = end
	}
	if next = next.UTC(); next.Truncate(time.Second).Before(next) {
		next = next.Truncate(time.Second).Add(time.Second)
	}
	return next, nil
}

// Access is a number of reads of a memory at a time.
type Access struct {
	ID string
	At time.Time
	N  int
}

// mostReads bounds the reads of one line.
const mostReads = 100_000

// ReadTrace reads accesses, a JSON object to a line: those of ops/access.jsonl ("id",
// "at", and "n" where it is not one), or with "day", counted from the start of the
// simulation, for "at". They come in the order of their times.
func ReadTrace(r io.Reader, start time.Time) ([]Access, error) {
	var all []Access
	told := map[[2]string]bool{}
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	for n := 1; lines.Scan(); n++ {
		text := bytes.TrimSpace(bytes.TrimPrefix(lines.Bytes(), []byte("\xef\xbb\xbf")))
		if len(text) == 0 {
			continue
		}
		var line struct {
			ID  string     `json:"id"`
			At  *time.Time `json:"at"`
			Day *float64   `json:"day"`
			N   *int       `json:"n"`

			Once    string `json:"once"`
			Counted bool   `json:"counted"`
		}
		if err := json.Unmarshal(text, &line); err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		once := [2]string{line.ID, line.Once}
		if line.Counted || line.Once != "" && told[once] {
			continue // as the access log counts
		}
		told[once] = true
		a := Access{ID: line.ID, N: 1}
		if line.N != nil {
			a.N = *line.N
		}
		switch {
		case a.ID == "":
			return nil, fmt.Errorf("line %d: it names no memory (id)", n)
		case a.N < 1 || a.N > mostReads:
			return nil, fmt.Errorf("line %d: n is %d: write a number from 1 to %d", n, a.N, mostReads)
		case line.At != nil && line.Day == nil:
			a.At = line.At.UTC()
		case line.Day != nil && line.At == nil && *line.Day >= 0 && *line.Day <= MaxDays:
			a.At = start.Add(time.Duration(*line.Day * float64(day)))
		default:
			return nil, fmt.Errorf("line %d: say when, as \"at\": a time, or \"day\": a number from 0 to %d", n, MaxDays)
		}
		all = append(all, a)
	}
	if err := lines.Err(); err != nil {
		return nil, err
	}
	sorted(all)
	return all, nil
}

// sorted puts accesses into the order of their times.
func sorted(all []Access) {
	slices.SortStableFunc(all, func(a, b Access) int { return a.At.Compare(b.At) })
}
