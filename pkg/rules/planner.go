package rules

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/secrets"
	"github.com/memoryd/memoryd/pkg/text"
)

// Triggers of a run.
const (
	Manual        = "manual"
	SessionEnd    = "session_end"
	IndexOverflow = "index_overflow"
	Weekly        = "weekly"
	Threshold     = "threshold"
	Interval      = "interval"
)

// TriggerNames lists the triggers that a run may have.
func TriggerNames() []string {
	return []string{Manual, SessionEnd, IndexOverflow, Weekly, Threshold, Interval}
}

// Request says what to plan.
type Request struct {
	Trigger string        // "" = manual
	Scope   *memory.Scope // nil = everything
	Type    string        // a type or subtype of memories; "" = any
	// Since and Until bound when a memory was last changed, [Since, Until); zero: no bound.
	Since, Until time.Time
	Index        string // index_overflow: the file of the only index to look at; "" = each that overflows
	Settings     config.Settings
	Secrets      *secrets.Rules // what no memory may hold that is promoted; nil: the built-in rules
	LogHead      string         // hash of the log's last entry, which makes the run id unique
	Ending       *Ending        // with SessionEnd: the session that ends; then Scope only names it
	Memo         *Memo          // what comparing memories came to in an earlier plan; nil for nothing

	// Again also looks at what a run at this very time has changed: for run after run, until nothing is left to do at any time
	// right after.
	Again bool

	// Sketch, if set, asks for a plan that tells what would be done and can't be applied: its actions lack what only
	// applying them needs. It keeps what summaries come to and how texts differ, since a forecast asks often.
	Sketch *Memo

	// Progress, if set, is called now and then with how many memories of how many have been
	// compared, by one goroutine at a time. An error ends the planning.
	Progress func(done, total int) error
}

// Whole reports whether the request is about the whole workspace. A memo is to be kept after
// such plans only: others know nothing of the rest.
func (r Request) Whole() bool {
	return r.Scope == nil && r.Type == "" && r.Since.IsZero() && r.Until.IsZero() && r.Trigger != SessionEnd && r.Trigger != Threshold && r.Trigger != IndexOverflow
}

// subject is a memory that the request covers.
type subject struct {
	*memory.Memory
	n       int  // its position among the subjects, the oldest first
	late    bool // the last run deferred it
	claimed bool // an action of this plan is about it
}

// planner collects what the rules propose for one plan.
type planner struct {
	*memory.Snapshot
	Request
	limits
	skips
	covers      func(*memory.Memory) bool
	off         []string   // rules that the settings switch off
	overflowing []string   // the files of the indexes that the request is about, with index_overflow
	subjects    []*subject // the oldest first
	candidates  []candidate
	spent       int                     // memories that all of them would change
	spentWaited int                     // memories that those would that the last run deferred
	deferred    []*subject              // by rules that knew the run to be full
	flaggedNow  map[string]bool         // ids that a run at this very time flagged for review
	files       *memory.NewFiles        // of candidates
	above       map[string]memory.Scope // by agent: see scopeAbove
	recur       *recurrences            // see recurring
	progress    *progress
}

// limits are the times up to which memories count as old, idle and so on.
type limits struct {
	minAge, unread, idle, grace, episode, now time.Time
}

// recurrence is memories of one layer and scope that are alike, the newest first.
type recurrence struct {
	members []*subject
	all     []*memory.Memory // with those that were merged into them
}

// recurrences are the facts and the events that recur.
type recurrences struct {
	groups []*recurrence          // the one with the newest memory last
	of     map[string]*recurrence // by the ids of their members
}

func newPlanner(s *memory.Snapshot, r Request) *planner {
	if r.Trigger == "" {
		r.Trigger = Manual
	}
	set := &r.Settings
	p := &planner{
		Snapshot: s, Request: r, files: s.NewFiles(), above: map[string]memory.Scope{}, progress: &progress{tell: r.Progress},
		limits: limits{
			minAge: set.Exclude.MinAge.Before(s.At), unread: set.Archive.UnreadAfter.Before(s.At),
			idle: set.Archive.IdleAfter.Before(s.At), grace: set.Archive.ArrivalGrace().Before(s.At), episode: set.Summarise.MinAge.Before(s.At), now: s.At.Truncate(time.Second),
		},
		flaggedNow: map[string]bool{}, off: set.Off(),
	}
	for _, pair := range s.Review.Pairs {
		if pair.FlaggedAt.Equal(p.now) {
			p.flaggedNow[pair.A], p.flaggedNow[pair.B] = true, true
		}
	}
	p.covers = p.coverage()
	return p
}

// enabled reports whether the settings let a rule act.
func (p *planner) enabled(rule string) bool {
	return !slices.Contains(p.off, rule) && (rule != memory.RuleLayers || p.Settings.Layers.Enabled)
}

// session reports whether the trigger is one that settles working memories.
func (p *planner) session() bool { return p.Trigger == SessionEnd || p.Trigger == Threshold }

// coverage tells which memories the request is about. The plan keeps the function, so it
// must not hold on to the planner.
func (p *planner) coverage() func(*memory.Memory) bool {
	if p.session() && p.Ending != nil {
		return p.Ending.settles
	}
	var over map[*memory.Index]bool
	var owner func(file string) *memory.Index
	if p.Trigger == IndexOverflow {
		over, owner = map[*memory.Index]bool{}, memory.Owners(p.Indexes)
		for _, x := range p.Indexes {
			if x.Count() > p.Settings.Triggers.IndexOverflow && (p.Index == "" || p.Index == x.File) {
				over[x] = true
				p.overflowing = append(p.overflowing, x.File)
			}
		}
	}
	scope, session := p.Scope, p.session()
	return func(m *memory.Memory) bool {
		switch {
		case scope != nil && !inScope(m, *scope), !p.Chosen(m), session && m.Type != memory.Working, memory.IsClusterSummary(m):
			return false
		}
		return over == nil || over[owner(m.File)]
	}
}

// Chosen reports whether a memory has the type and was last changed in the time that the request is about.
func (r *Request) Chosen(m *memory.Memory) bool {
	changed := m.Newest()
	return (r.Type == "" || strings.EqualFold(m.Type, r.Type) || strings.EqualFold(m.Subtype, r.Type)) &&
		(r.Since.IsZero() || !changed.Before(r.Since)) && (r.Until.IsZero() || changed.Before(r.Until))
}

// inScope compares scopes, names without case. A memory is of a session also when
// it lies in the session's directory or names it.
func inScope(m *memory.Memory, s memory.Scope) bool {
	if m.Scope.Kind == s.Kind && text.SameName(m.Scope.ID, s.ID) {
		return true
	}
	return s.Kind == "session" && ofSession(m, s.ID)
}

// cover finds the memories that the request is about.
func (p *planner) cover() *planner {
	late := make(map[string]bool, len(p.Deferred))
	for _, id := range p.Deferred {
		late[id] = true
	}
	all := make([]subject, 0, len(p.Memories()))
	for _, m := range p.Memories() {
		if p.covers(m) {
			all = append(all, subject{Memory: m, n: len(all), late: late[m.ID]})
		}
	}
	p.subjects = make([]*subject, len(all))
	for i := range all {
		p.subjects[i] = &all[i]
	}
	slices.SortFunc(p.subjects, func(a, b *subject) int { return cmp.Or(older(a.Memory, b.Memory), cmp.Compare(a.n, b.n)) })
	for n, m := range p.subjects {
		m.n = n
	}
	return p
}

// older orders memories by age, then by id.
func older(a, b *memory.Memory) int {
	if c := a.Born().Compare(b.Born()); c != 0 {
		return c
	}
	return strings.Compare(a.ID, b.ID)
}

// fresher orders memories by updated_at, then created_at, then id.
func fresher(a, b *memory.Memory) int {
	if c := a.Newest().Compare(b.Newest()); c != 0 {
		return c
	}
	if c := a.CreatedAt.Compare(b.CreatedAt); c != 0 {
		return c
	}
	return strings.Compare(a.ID, b.ID)
}

// freshestFirst orders subjects from the freshest to the oldest.
func freshestFirst(a, b *subject) int {
	return cmp.Or(fresher(b.Memory, a.Memory), cmp.Compare(a.n, b.n))
}

// progress counts the memories that a plan has compared, reports it, and says whether to
// go on. It is safe for concurrent use.
type progress struct {
	tell func(done, total int) error // nil: nobody wants to know

	mu          sync.Mutex
	done, total int
	untold      int // steps since the last call of tell
	err         error
}

// stepsPerCall is how many steps pass from one call of tell to the next.
const stepsPerCall = 256

// expect adds memories that will be compared.
func (p *progress) expect(n int) {
	p.mu.Lock()
	p.total += n
	p.mu.Unlock()
}

// step counts n more memories as compared, and reports whether to go on. Work that compares
// nothing is a step of 0.
func (p *progress) step(n int) bool {
	if p.tell == nil {
		return true
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done += n
	if p.untold += max(n, 1); p.untold >= stepsPerCall && p.err == nil {
		p.untold = 0
		p.err = p.tell(p.done, p.total)
	}
	return p.err == nil
}
