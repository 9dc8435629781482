package forecast

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/memoryd/memoryd/pkg/internal/parallel"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/review"
	"github.com/memoryd/memoryd/pkg/rules"
)

// Forecast is what becomes of one live memory.
type Forecast struct {
	Memory *memory.Memory
	// At is the first second at which a run would change the memory; zero for never.
	At     time.Time
	Action string // as in the log: merge, promote, summarize, archive; "" for never
	Rule   string
	Result string // the id of what it is merged into or copied to
	Detail string
	// Never says why no rule will change it; empty when it will, or when no rule
	// has a reason to.
	Never memory.Skip
}

// Of computes the forecasts of the live memories that are wanted, nil for all, in the order of
// the snapshot. It tells r.Progress, if set, how many memories of how many are done with: first
// those that a plan of now has compared, then those whose future is known. The only error is
// that of r.Progress.
func Of(s *memory.Snapshot, r rules.Request, wanted func(*memory.Memory) bool) ([]Forecast, error) {
	if r.Progress == nil {
		r.Progress = func(int, int) error { return nil }
	}
	r.Trigger, r.Scope, r.Index, r.Ending = rules.Manual, nil, "", nil
	r.Settings.Run.Limit = math.MaxInt32
	if r.Sketch == nil {
		r.Sketch = rules.ReadMemo(nil)
	}
	f := &forecaster{
		Snapshot: s, Request: r, moments: rules.Moments(s, r), known: map[*memory.Memory]*Forecast{}, skipped: map[string]memory.Skip{}, asked: map[string]bool{},
		deferred: make(map[string]bool, len(s.Deferred)),
	}
	for _, id := range s.Deferred {
		f.deferred[id] = true
	}
	all := make([]Forecast, len(s.Memories()))
	for i, m := range s.Memories() {
		all[i].Memory = m
		f.known[m] = &all[i]
	}
	now := s.At.UTC()
	first := f.Request
	first.Progress = func(done, total int) error { // a plan compares a memory more than once
		return r.Progress(min(done, len(all)), min(total, len(all)))
	}
	plan, err := rules.PlanWithProgress(f.Suppose(now, s.Memories(), s.Archived(), nil), first)
	if err != nil {
		return nil, err
	}
	f.Memo = nil                         // it is of everything
	f.Settings.Supersede.Enabled = false // questions about updates come last, and those of now are known
	f.held = f.note(plan, s.Memories(), now)
	for _, pair := range questions(plan) {
		f.asked[pair.A], f.asked[pair.B] = true, true
		if pair.Reason == rules.ReasonSupersede {
			f.updates = append(f.updates, pair)
		}
	}
	parts := f.parts()
	if wanted != nil {
		parts = slices.DeleteFunc(parts, func(part []*memory.Memory) bool { return !slices.ContainsFunc(part, wanted) })
	}
	if err := f.followAll(parts, now); err != nil {
		return nil, err
	}
	for i := range all {
		if all[i].Action == "" {
			all[i].Never = f.skipped[all[i].Memory.ID]
		}
	}
	if wanted != nil {
		all = slices.DeleteFunc(all, func(of Forecast) bool { return !wanted(of.Memory) })
	}
	return all, nil
}

// forecaster collects what is known so far.
type forecaster struct {
	*memory.Snapshot
	rules.Request
	moments func(*memory.Memory) []time.Time // at which the rules may begin to act on a memory
	known   map[*memory.Memory]*Forecast
	skipped map[string]memory.Skip // why the last plan that was asked left a memory alone
	held    map[string]bool        // ids that only this very second keeps the rules from
	asked   map[string]bool        // ids about which a person is asked now
	updates []review.Pair          // of them those that seem to be updates

	deferred map[string]bool // ids that the last run put off
}

// late lists the ids in a part that the last run put off.
func (f *forecaster) late(part []*memory.Memory) (ids []string) {
	for _, m := range part {
		if f.deferred[m.ID] {
			ids = append(ids, m.ID)
		}
	}
	return ids
}

// followAll follows the parts on all cores: none has to do with another one.
func (f *forecaster) followAll(parts [][]*memory.Memory, now time.Time) error {
	var telling sync.Mutex
	var failed error
	done, total := 0, 0 // memories of the parts that have been followed, and of all
	for _, part := range parts {
		total += len(part)
	}
	tell := func(more int) error {
		telling.Lock()
		defer telling.Unlock()
		if done += more; failed == nil {
			failed = f.Progress(done, total)
		}
		return failed
	}
	own := make([]forecaster, parallel.Cores())
	for i := range own {
		own[i] = *f
		own[i].skipped = map[string]memory.Skip{}
		own[i].Progress = func(int, int) error { return tell(0) } // a part is done with as a whole
	}
	parallel.Work(len(own), len(parts), func(goroutine, i int) {
		if own[goroutine].follow(parts[i], now) == nil {
			_ = tell(len(parts[i])) // who goes on is told again
		}
	})
	for i := range own {
		maps.Copy(f.skipped, own[i].skipped)
	}
	return failed
}

// open lists the memories of which nothing is known yet.
func (f *forecaster) open(part []*memory.Memory) (open []*memory.Memory) {
	for _, m := range part {
		if f.known[m].Action == "" {
			open = append(open, m)
		}
	}
	return open
}

// follow tries the moments of a part, until it is known what becomes of all of it. Where
// a person is asked now, that counts as done, and now is one of the moments.
func (f *forecaster) follow(part []*memory.Memory, now time.Time) error {
	var moments []time.Time
	if slices.ContainsFunc(part, func(m *memory.Memory) bool { return f.asked[m.ID] }) {
		for _, m := range part {
			*f.known[m] = Forecast{Memory: m}
		}
		moments = append(moments, now)
	}
	if len(f.open(part)) == 0 {
		return nil
	}
	for _, m := range part {
		moments = append(moments, f.moments(m)...)
		if f.held[m.ID] {
			moments = append(moments, now.Truncate(time.Second).Add(time.Second))
		}
	}
	slices.SortFunc(moments, time.Time.Compare)
	for i := 0; i < len(moments); i++ {
		at := moments[i]
		if i > 0 && at.Equal(moments[i-1]) {
			continue
		}
		// Only what a run of the very second archives keeps the rules from anything.
		archived := f.Archived()
		if at.After(now) {
			archived = nil
		}
		held, err := f.look(part, archived, at)
		if err != nil {
			return err
		}
		if len(held) > 0 {
			// What the second itself kept from happening happens in the next.
			moments = slices.Insert(moments, i+1, at.Add(time.Second))
		}
		if len(f.open(part)) == 0 {
			return nil
		}
	}
	return nil
}

// look asks the rules what they would do with some memories at a time, and notes what
// is new. It returns the ids of those left alone only because a run of that very second
// took them.
func (f *forecaster) look(part, archived []*memory.Memory, at time.Time) (held map[string]bool, err error) {
	if err := f.Progress(0, 0); err != nil { // a plan of few tells nothing
		return nil, err
	}
	asked := f.updatesIn(part)
	for {
		supposed := f.Suppose(at, part, archived, asked)
		supposed.Deferred = f.late(part)
		plan, err := rules.PlanWithProgress(supposed, f.Request)
		if err != nil {
			return nil, err
		}
		more := questions(plan)
		if len(more) == 0 {
			return f.note(plan, part, at), nil
		}
		asked = append(asked, more...)
	}
}

// updatesIn are the questions of now about updates that have to do with a part.
func (f *forecaster) updatesIn(part []*memory.Memory) (pairs []review.Pair) {
	for _, pair := range f.updates {
		if slices.ContainsFunc(part, func(m *memory.Memory) bool { return m.ID == pair.A || m.ID == pair.B }) {
			pairs = append(pairs, pair)
		}
	}
	return pairs
}

// note takes down what a plan does with the memories of a part that are open.
func (f *forecaster) note(plan *memory.Plan, part []*memory.Memory, at time.Time) (held map[string]bool) {
	held = map[string]bool{}
	for _, sk := range plan.Skipped {
		f.skipped[sk.MemoryID] = sk
		if sk.Reason == rules.ReasonJustNow {
			held[sk.MemoryID] = true
		}
	}
	taken := map[string]*memory.Action{}
	for i := range plan.Actions {
		for _, id := range plan.Actions[i].Members() {
			taken[id] = &plan.Actions[i]
		}
	}
	for _, m := range f.open(part) {
		if a := taken[m.ID]; a != nil {
			known := f.known[m]
			known.At, known.Action, known.Rule, known.Result, known.Detail = at, a.Type, a.Rule, a.ResultID, a.Detail
		}
	}
	return held
}

// questions are the pairs that a plan would put to a person.
func questions(plan *memory.Plan) (pairs []review.Pair) {
	for i := range plan.Actions {
		if plan.Actions[i].Type == oplog.Review {
			pairs = append(pairs, plan.Actions[i].Pairs...)
		}
	}
	return pairs
}

// Sort orders forecasts by time, with those that never happen last.
func Sort(fs []Forecast) {
	slices.SortStableFunc(fs, func(a, b Forecast) int {
		switch {
		case a.At.IsZero() && !b.At.IsZero():
			return 1
		case b.At.IsZero() && !a.At.IsZero():
			return -1
		}
		return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.Memory.ID, b.Memory.ID))
	})
}

// Next is the first second at which a plan of everything can hold anything, questions
// included, if it would hold nothing now; zero for never. fs are the forecasts of the
// snapshot.
func Next(s *memory.Snapshot, fs []Forecast, r rules.Request) (next time.Time) {
	now := s.At.UTC()
	sooner := func(t time.Time) {
		if t.After(now) && (next.IsZero() || t.Before(next)) {
			next = t
		}
	}
	for _, f := range fs {
		sooner(f.At)
	}
	ofAge := rules.ComesOfAge(s, r)
	for _, m := range s.Memories() { // a person is asked about memories that are old enough
		for _, t := range ofAge(m) {
			sooner(t)
		}
	}
	return next
}
