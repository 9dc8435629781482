package rules

import (
	"strings"
	"time"

	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/secrets"
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
}

// Plan computes what a run would do now. It changes nothing.
func Plan(s *workspace.Snapshot, r Request) *workspace.Plan {
	return newPlanner(s, r, nil).plan()
}

// PlanKnowing is Plan for whoever plans again and again: known is what an earlier call
// returned beside its plan, nil for nothing, and [workspace.Memory.Row] tells the
// position that a memory had in the snapshot of that call. The plan is the same as
// without; it takes as long as what has changed since, and reads texts only of what has.
//
// What is returned is to be kept beside the order of s.Memories, and is known itself
// when there is nothing to add to it; nil for a plan about less than the whole workspace,
// by which what is known neither grows nor goes. It may be damaged: then, at worst, the plan is
// computed from what it says. Whoever can't rule that out keeps a checksum.
func PlanKnowing(s *workspace.Snapshot, r Request, known []byte) (*workspace.Plan, []byte) {
	p := newPlanner(s, r, known)
	if !p.whole() {
		return p.plan(), nil
	}
	p.keeps = true
	plan := p.plan()
	return plan, p.findings(known)
}

// Reusable reports whether a plan like this one can use what is known.
func Reusable(s *workspace.Snapshot, r Request, known []byte) bool {
	p := &planner{Snapshot: s, Request: r}
	return p.whole() && p.readFindings(known) != nil
}

func (p *planner) plan() *workspace.Plan {
	p.merge()
	if p.session() {
		p.working()
	} else {
		p.promote()
		p.summarise()
		p.archive()
	}
	return p.finish()
}

// planner collects the candidates of one plan. It knows the covered memories by
// their positions in live.
type planner struct {
	*workspace.Snapshot
	Request
	covers     func(*workspace.Memory) bool
	live       []*workspace.Memory        // covered ones, oldest first
	ids        []string                   // of each
	traits     []traits                   // of each
	rise       map[string]workspace.Scope // see above
	claimed    bits                       // those that some candidate has
	late       bits                       // those that the last run deferred
	files      map[string]bool            // names promised to candidates
	candidates []candidate
	spent      int     // what they all would change
	spentLate  int     // what those would that the last run deferred
	behind     []int32 // what can't fit into the run
	skipped    []workspace.Skip
	flaggedNow map[string]bool // ids that a run at this very time flagged for review
	noted      map[workspace.Skip]bool
	places     []int32 // of each covered memory, its position among all; when all are covered

	known     *findings // of an earlier plan; nil for none
	merged    *trace    // what this one found
	asked     *trace
	cites     *citations
	sketches  []sketch             // see knownSketches
	summaries map[int32]summarised // see knownSummaries
	stayed    bool                 // nothing has changed since
	learnt    bool                 // some of them are new
	keeps     bool                 // what is found is to be kept
	limits
}

// limits are the settings' spans of time, counted back from now.
type limits struct {
	minAge, unread, idle, episode, now time.Time
}

func newPlanner(s *workspace.Snapshot, r Request, known []byte) *planner {
	if r.Trigger == "" {
		r.Trigger = Manual
	}
	p := &planner{Snapshot: s, Request: r, rise: map[string]workspace.Scope{}, files: map[string]bool{}}
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
	if known == nil || !p.whole() || !p.follow(known) {
		p.order()
	}
	p.claimed, p.late = newBits(len(p.live)), newBits(len(p.live))
	if len(s.Deferred) > 0 {
		late := newIDs(s.Deferred)
		for k, id := range p.ids {
			if late.has(id) {
				p.late.add(int32(k))
			}
		}
	}
	return p
}

// order lists the covered memories.
func (p *planner) order() {
	covered := make([]*workspace.Memory, 0, len(p.Memories))
	for _, m := range p.Memories {
		if p.covers(m) {
			covered = append(covered, m)
		}
	}
	p.places = sorted(covered, func(m *workspace.Memory) int64 { return m.Born().Unix() }, older)
	p.list(covered)
}

// list lists memories by their places. It looks at each in the order in which they lie
// in memory, which takes a fraction of the time.
func (p *planner) list(ms []*workspace.Memory) {
	ids, all := make([]string, len(ms)), make([]traits, len(ms))
	each(len(ms), func(i int) { ids[i], all[i] = ms[i].ID, p.traitsOf(ms[i]) })
	p.live, p.ids, p.traits = make([]*workspace.Memory, len(ms)), make([]string, len(ms)), make([]traits, len(ms))
	for k, i := range p.places {
		p.live[k], p.ids[k], p.traits[k] = ms[i], ids[i], all[i]
	}
}

// follow takes up what an earlier plan found.
func (p *planner) follow(known []byte) bool {
	f := p.readFindings(known)
	if f == nil {
		return false
	}
	places, ok := f.follow(p.Snapshot)
	if !ok {
		return false
	}
	p.places, p.known, p.stayed = places, f, f.stayed
	p.list(p.Memories)
	p.knowPrints()
	return true
}

// session reports whether the trigger is one that settles working memories.
func (p *planner) session() bool { return p.Trigger == SessionEnd || p.Trigger == Threshold }

// coverage tells which memories the request is about.
func (p *planner) coverage() func(*workspace.Memory) bool {
	var over map[string]bool
	if p.Trigger == IndexOverflow {
		over = map[string]bool{}
		for _, x := range p.Indexes {
			if len(x.Owned) > p.Settings.Triggers.IndexOverflow && (p.Index == "" || p.Index == x.File) {
				for _, m := range x.Owned {
					over[m.File] = true
				}
			}
		}
	}
	if p.session() && p.Ending != nil {
		return p.Ending.settles
	}
	return func(m *workspace.Memory) bool {
		if p.Scope != nil && !inScope(m, *p.Scope) {
			return false
		}
		if p.session() && m.Type != workspace.Working {
			return false
		}
		return over == nil || over[m.File]
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

// skip notes that a rule would have changed m, and why it did not.
func (p *planner) skip(m *workspace.Memory, rule, reason, detail string) {
	p.note(workspace.Skip{MemoryID: m.ID, Rule: rule, Reason: reason, Detail: detail})
}

func (p *planner) note(sk workspace.Skip) {
	if !p.noted[sk] {
		if p.noted == nil {
			p.noted = map[workspace.Skip]bool{}
		}
		p.noted[sk] = true
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
	rest := choice{left: first.left}
	p.choose(false, p.candidates, &rest)
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
	plan.Actions = append(first.taken, rest.taken...)
	plan.Skipped = p.skipped
	if deferred > 0 {
		plan.Deferred = make([]string, 0, deferred)
	}
	for _, list := range [][]int32{first.deferred, rest.deferred, p.behind} {
		for _, k := range list {
			plan.Deferred = append(plan.Deferred, p.ids[k])
		}
	}
	plan.Seal(p.LogHead)
	return plan
}

// relyOn notes the digests of the memories that an action relies on, so that a
// plan in a file can be held against the workspace.
func (p *planner) relyOn(a *workspace.Action) {
	a.Digests = map[string]string{}
	for _, id := range a.Members() {
		if m := p.Live(id); m != nil {
			a.Digests[id] = string(m.Digest())
		}
	}
}
