package rules

import (
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/secrets"
	"github.com/memoryd/memoryd/pkg/similarity"
	"github.com/memoryd/memoryd/pkg/workspace"
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
	Trigger  string           // "" = manual
	Scope    *workspace.Scope // nil = everything
	Index    string           // index_overflow: the file of the only index to look at; "" = each that overflows
	Settings config.Settings
	Secrets  *secrets.Rules // what no memory may hold that is promoted; nil: the built-in rules
	LogHead  string         // hash of the log's last entry, which makes the run id unique
	Ending   *Ending        // with SessionEnd: whose end it is; then Scope only names it

	// Progress, if set, is told now and then how many memories of how many have been
	// compared, by one goroutine at a time. An error ends the planning.
	Progress func(done, total int) error
}

// Plan computes what a run would do now. It changes nothing, and tells no progress.
func Plan(s *workspace.Snapshot, r Request) *workspace.Plan {
	r.Progress = nil
	plan, _ := PlanTelling(s, r) // the only error is that of r.Progress
	return plan
}

// PlanTelling is Plan for whoever wants to be told the progress, or to end the planning. The
// only error is that of r.Progress.
func PlanTelling(s *workspace.Snapshot, r Request) (*workspace.Plan, error) {
	p := newPlanner(s, r)
	if plan := p.cover(nil).plan(); p.pace.err == nil {
		return plan, nil
	}
	return nil, p.pace.err
}

// PlanKnowing is Plan for whoever plans again and again: known is what an earlier call
// returned beside its plan, nil for nothing, and [workspace.Memory.Row] tells the
// position that a memory had in the snapshot of that call. The plan is the same as
// without; it takes as long as what has changed since, and reads texts only of what has.
//
// The findings are nil for a plan about less than the whole workspace, by which what is
// known neither grows nor goes. Known may be damaged: then, at worst, the plan is
// computed from what it says. Whoever can't rule that out keeps a checksum.
//
// The only error is that of r.Progress.
func PlanKnowing(s *workspace.Snapshot, r Request, known []byte) (*workspace.Plan, *Findings, error) {
	p := newPlanner(s, r)
	if p.keeps = p.whole(); !p.keeps {
		known = nil
	}
	plan := p.cover(known).plan()
	switch {
	case p.pace.err != nil:
		return nil, nil, p.pace.err
	case !p.keeps:
		return plan, nil, nil
	}
	return plan, &Findings{grown: p.grown(), bytes: sync.OnceValue(func() []byte { return p.findings(known) })}, nil
}

func (p *planner) plan() *workspace.Plan {
	risers, said := func() []riser { return p.risers(p.claimed) }, sync.OnceValue(p.sayings)
	if p.keeps { // else they are dear, and perhaps nobody asks for them
		risers, said = beside(func() []riser { return p.risers(nil) }), beside(p.sayings)
		defer said() // nothing of the snapshot is read behind the caller's back
	}
	defer p.foreseen()
	p.merge()
	settled := p.settleAhead()
	p.Rest(p.stayed)
	if p.session() {
		p.working()
	} else {
		p.promote(risers(), said)
		p.summarise()
		p.archive()
	}
	settled()
	return p.finish()
}

// planner collects the candidates of one plan. It knows the covered memories by
// their positions in live.
type planner struct {
	*workspace.Snapshot
	Request
	covers     func(*workspace.Memory) bool
	places     []int32                    // of the covered ones among all live ones, oldest first
	traits     []traits                   // of each
	all        []traits                   // of each live memory, by its place
	rise       map[string]workspace.Scope // see above
	claimed    bits                       // those that some candidate has
	late       bits                       // those that the last run deferred
	files      map[string]bool            // names promised to candidates
	candidates []candidate
	toGo       []int32 // what is stale and no other rule takes
	spent      int     // what they all would change
	spentLate  int     // what those would that the last run deferred
	behind     []int32 // what can't fit into the run
	skipped    []workspace.Skip
	flaggedNow map[string]bool // ids that a run at this very time flagged for review
	noted      skipIndex       // of these, but for those of refused
	aside      bool            // what it notes, another planner notes once more
	by         []int32         // see byPlace
	disputed   bits            // those about which a person may have been asked; nil for none
	disputedAt func() (places []int, ok bool)
	foreseen   func() bool // waits for what is read before somebody asks, see foresee

	known        *findings                         // of an earlier plan; nil for none
	digests      map[int32]workspace.Digest        // of the memories that actions are about
	knownDigests func() map[int32]workspace.Digest // those of an earlier plan
	taken        int                               // how many of these no earlier plan took
	replays      func() *trace                     // of what is known, its search for duplicates
	merged       *trace                            // what this one found
	asked        *trace
	cites        *citations
	sketches     func() []*similarity.Sketch // that were asked for or made: see sketchOf
	tagBits      func() []uint64             // that were found now: see tagBit
	summing      *sync.Mutex                 // guards the next
	summaries    map[int32]summarised        // see knownSummaries
	stayed       bool                        // nothing has changed since
	learnt       *atomic.Int64               // how many of them are new
	keeps        bool                        // what is found is to be kept
	pace         *pace
	room         *workspace.Room // see admits
	marks        []byte          // of each live memory, see marks.go; nil when they are not kept
	knownMarks   []byte          // that are to stand there, too: see allMarks; nil for none
	heard        *heard

	*wording
	deferredSum []byte // see sumOf
	repeats     bool   // some id may stand twice
	limits
}

// limits are the settings' spans of time, counted back from now.
type limits struct {
	minAge, unread, idle, episode, now time.Time
}

func newPlanner(s *workspace.Snapshot, r Request) *planner {
	if r.Trigger == "" {
		r.Trigger = Manual
	}
	p := &planner{
		Snapshot: s, Request: r, rise: map[string]workspace.Scope{}, files: map[string]bool{}, repeats: s.Repeating(),
		learnt: new(atomic.Int64), summing: new(sync.Mutex), pace: &pace{tell: r.Progress}, wording: newWording(r.Settings),
	}
	p.disputedAt = sync.OnceValues(s.Disputed)
	p.sketches = sync.OnceValue(func() []*similarity.Sketch { return make([]*similarity.Sketch, len(p.places)) })
	p.tagBits = sync.OnceValue(func() []uint64 { return make([]uint64, p.Len()) })
	p.knownDigests = sync.OnceValue(func() map[int32]workspace.Digest { return p.known.digests() })
	p.replays, p.foreseen = func() *trace { return nil }, func() bool { return false }
	set := &r.Settings
	p.limits = limits{
		minAge: set.Exclude.MinAge.Before(s.At), unread: set.Archive.UnreadAfter.Before(s.At),
		idle: set.Archive.IdleAfter.Before(s.At), episode: set.Summarise.MinAge.Before(s.At), now: s.At.Truncate(time.Second),
	}
	for _, pair := range s.Review.Pairs {
		if pair.FlaggedAt.Equal(p.now) {
			if p.flaggedNow == nil {
				p.flaggedNow = map[string]bool{}
			}
			p.flaggedNow[pair.A], p.flaggedNow[pair.B] = true, true
		}
	}
	p.covers = p.coverage()
	return p
}

// at is the covered memory at k.
func (p *planner) at(k int32) *workspace.Memory { return p.Memory(int(p.places[k])) }

// glance is the same to look at once: see [workspace.Snapshot.Glance].
func (p *planner) glance(k int32, room *workspace.Room) *workspace.Memory {
	return p.Glance(int(p.places[k]), room)
}

func (p *planner) id(k int32) string { return p.ID(int(p.places[k])) }

// session reports whether the trigger is one that settles working memories.
func (p *planner) session() bool { return p.Trigger == SessionEnd || p.Trigger == Threshold }

// coverage tells which memories the request is about.
func (p *planner) coverage() func(*workspace.Memory) bool {
	var over map[*workspace.Index]bool
	var owner func(file string) *workspace.Index
	if p.Trigger == IndexOverflow {
		over, owner = map[*workspace.Index]bool{}, p.Owners()
		for _, x := range p.Indexes {
			over[x] = x.Count() > p.Settings.Triggers.IndexOverflow && (p.Index == "" || p.Index == x.File)
		}
	}
	if p.session() && p.Ending != nil {
		return p.Ending.settles
	}
	scope, session := p.Scope, p.session() // a plan keeps what it covers, and is not to keep the planner
	return func(m *workspace.Memory) bool {
		if scope != nil && !inScope(m, *scope) {
			return false
		}
		if session && m.Type != workspace.Working {
			return false
		}
		return over == nil || over[owner(m.File)]
	}
}

// inScope compares scopes, names without case. A memory is of a session also when
// it lies in the session's directory or names it.
func inScope(m *workspace.Memory, s workspace.Scope) bool {
	if m.Scope.Kind == s.Kind && strings.EqualFold(m.Scope.ID, s.ID) {
		return true
	}
	return s.Kind == "session" && ofSession(m, s.ID)
}

// skip notes that a rule would have changed a memory, and why it did not.
func (p *planner) skip(id, rule, reason, detail string) {
	p.note(workspace.Skip{MemoryID: id, Rule: rule, Reason: reason, Detail: detail})
}

func (p *planner) note(sk workspace.Skip) {
	if p.aside {
		p.skipped = append(p.skipped, sk)
		return
	}
	if p.noted.add(p.skipped, sk) {
		p.skipped = append(p.skipped, sk)
	}
}

// finish applies the limit: what the last run deferred comes first, then the
// order of the rules; what doesn't fit is deferred. Updates are looked for last, and
// only when the next run won't have to come back for memories anyway.
func (p *planner) finish() *workspace.Plan {
	plan := &workspace.Plan{At: p.At, Trigger: p.Trigger, Covers: p.covers}
	if p.Scope != nil {
		plan.Scope = p.Scope.String()
	}
	limit := int32(min(p.Settings.Run.Limit, 1<<30))
	first := choice{left: limit}
	p.choose(true, p.candidates, &first)
	p.chooseStale(true, &first)
	rest := choice{left: first.left}
	p.choose(false, p.candidates, &rest)
	p.chooseStale(false, &rest)
	deferred := len(first.deferred) + len(rest.deferred) + len(p.behind)
	switch {
	case p.session() || !p.Settings.Supersede.Propose:
	case deferred > 0 && rest.left < limit:
		plan.DeferredRules = []string{workspace.RuleSupersede}
	default:
		done := len(p.candidates)
		p.updated()
		p.choose(true, p.candidates[done:], &first)
		p.choose(false, p.candidates[done:], &rest)
	}
	plan.Actions = p.sign(first, rest)
	plan.Skipped = p.skipped
	if deferred > 0 {
		plan.Deferred = p.ids(slices.Concat(first.deferred, rest.deferred, p.behind))
	}
	plan.Seal(p.LogHead)
	return plan
}
