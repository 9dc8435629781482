package rules

import (
	"cmp"
	"slices"
	"strings"
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
}

// Plan computes what a run would do now. It changes nothing.
func Plan(s *workspace.Snapshot, r Request) *workspace.Plan {
	p := newPlanner(s, r)
	if p.session() {
		p.merge()
		p.working()
	} else {
		p.merge()
		p.promote()
		p.summarise()
		p.archive()
		p.updated()
	}
	return p.finish()
}

// candidate is an action that could be taken, before the limit is applied. It is
// built when it is known to fit: most of a large workspace's don't.
type candidate struct {
	members []string
	cost    int // memories changed
	late    []string
	build   func() (workspace.Action, error)
	refused func(error) // tells of a build that failed
}

// planner collects the candidates of one plan.
type planner struct {
	*workspace.Snapshot
	Request
	covers     func(*workspace.Memory) bool
	live       []*workspace.Memory // covered ones, oldest first
	claimed    map[string]bool     // ids that some candidate has
	files      map[string]bool     // names promised to candidates
	candidates []candidate
	behind     []string // ids that can't fit into the run
	skipped    []workspace.Skip
	late       map[string]bool // ids that the last run deferred
	flaggedNow map[string]bool // ids that a run at this very time flagged for review
	noted      map[workspace.Skip]bool
	texts      []worded // see wording
}

func newPlanner(s *workspace.Snapshot, r Request) *planner {
	if r.Trigger == "" {
		r.Trigger = Manual
	}
	p := &planner{Snapshot: s, Request: r, claimed: map[string]bool{}, files: map[string]bool{}, late: map[string]bool{}, noted: map[workspace.Skip]bool{}}
	for _, id := range s.Deferred {
		p.late[id] = true
	}
	p.flaggedNow = map[string]bool{}
	for _, pair := range s.Review.Pairs {
		if pair.FlaggedAt.Equal(s.At.Truncate(time.Second)) {
			p.flaggedNow[pair.A], p.flaggedNow[pair.B] = true, true
		}
	}
	p.covers = p.coverage()
	for _, m := range s.Memories {
		if p.covers(m) {
			p.live = append(p.live, m)
		}
	}
	slices.SortStableFunc(p.live, older)
	return p
}

// wording returns the covered memories that say anything, oldest first, with their
// texts.
func (p *planner) wording() []worded {
	if p.texts == nil {
		all := make([]worded, len(p.live))
		each(len(all), func(i int) {
			text := p.live[i].Text()
			if strings.TrimSpace(text) == "" {
				return // nothing to compare
			}
			all[i] = worded{p.live[i], text, similarity.Prepare(text)}
		})
		p.texts = slices.DeleteFunc(all, func(w worded) bool { return w.Memory == nil })
	}
	return p.texts
}

// session reports whether the trigger is one that settles working memories.
func (p *planner) session() bool { return p.Trigger == SessionEnd || p.Trigger == Threshold }

// older orders memories by age, then by id.
func older(a, b *workspace.Memory) int {
	if c := a.Born().Compare(b.Born()); c != 0 {
		return c
	}
	return cmp.Compare(a.ID, b.ID)
}

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

// propose takes an action into the plan and claims its memories.
func (p *planner) propose(a workspace.Action, cost int, late ...string) {
	p.consider(candidate{
		members: a.Members(), cost: cost, late: late,
		build: func() (workspace.Action, error) { return a, nil },
	})
}

// consider takes a candidate into the plan and claims its memories.
func (p *planner) consider(c candidate) {
	for _, id := range c.members {
		p.claimed[id] = true
	}
	p.candidates = append(p.candidates, c)
}

// putOff leaves a memory to the next run.
func (p *planner) putOff(m *workspace.Memory) {
	p.claimed[m.ID] = true
	p.behind = append(p.behind, m.ID)
}

// skip notes that a rule would have changed m, and why it did not.
func (p *planner) skip(m *workspace.Memory, rule, reason, detail string) {
	p.note(workspace.Skip{MemoryID: m.ID, Rule: rule, Reason: reason, Detail: detail})
}

func (p *planner) note(sk workspace.Skip) {
	if !p.noted[sk] {
		p.noted[sk] = true
		p.skipped = append(p.skipped, sk)
	}
}

// finish applies the limit: what the last run deferred comes first, then the
// order of the rules; what doesn't fit is deferred.
func (p *planner) finish() *workspace.Plan {
	slices.SortStableFunc(p.candidates, func(a, b candidate) int {
		switch wa, wb := p.waiting(a), p.waiting(b); {
		case wa && !wb:
			return -1
		case wb && !wa:
			return 1
		}
		return 0
	})
	plan := &workspace.Plan{At: p.At, Trigger: p.Trigger, Covers: p.covers}
	if p.Scope != nil {
		plan.Scope = p.Scope.String()
	}
	left := p.Settings.Run.Limit
	for _, c := range p.candidates {
		if c.cost > left {
			plan.Deferred = append(plan.Deferred, c.members...)
			continue
		}
		a, err := c.build()
		if err != nil {
			c.refused(err)
			continue
		}
		left -= c.cost
		p.relyOn(&a)
		plan.Actions = append(plan.Actions, a)
		plan.Deferred = append(plan.Deferred, c.late...)
	}
	plan.Skipped = p.skipped
	plan.Deferred = append(plan.Deferred, p.behind...)
	plan.Seal(p.LogHead)
	return plan
}

// waiting reports whether the last run deferred a candidate, or a part of it.
func (p *planner) waiting(c candidate) bool {
	return slices.ContainsFunc(c.members, func(id string) bool { return p.late[id] })
}

// room is how many more memories the run can change behind the candidates so far,
// or behind those that the last run deferred.
func (p *planner) room(late bool) int {
	left := p.Settings.Run.Limit
	for _, first := range []bool{true, false} {
		if late && !first {
			break
		}
		for _, c := range p.candidates {
			if p.waiting(c) == first && c.cost <= left {
				left -= c.cost
			}
		}
	}
	return left
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
