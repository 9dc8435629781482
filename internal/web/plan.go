package web

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/memoryd/memoryd/internal/app"
	"github.com/memoryd/memoryd/internal/document"
	"github.com/memoryd/memoryd/internal/op/commit"
	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/rules"
	"github.com/memoryd/memoryd/pkg/workspace"
)

// Limits of the plans that are kept.
const (
	plansKept = 20
	planLife  = 30 * time.Minute
)

// shownPlan is a plan that a page has shown.
type shownPlan struct {
	*memory.Plan
	Snap     *memory.Snapshot
	made     time.Time
	asked    url.Values
	supposed bool // it is as of another moment than that at which it was made
	settings config.Settings
}

// plans are those that were shown last, by their run ids.
type plans struct {
	mu  sync.Mutex
	all []*shownPlan // the latest last
}

func (p *plans) keep(plan *shownPlan) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.all = append(slices.DeleteFunc(p.all, func(o *shownPlan) bool { return o.RunID == plan.RunID || plan.made.Sub(o.made) > planLife }), plan)
	p.all = p.all[max(0, len(p.all)-plansKept):]
}

func (p *plans) find(run string, now time.Time) *shownPlan {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, plan := range p.all {
		if plan.RunID == run && now.Sub(plan.made) <= planLife {
			return plan
		}
	}
	return nil
}

func (p *plans) forget(run string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.all = slices.DeleteFunc(p.all, func(o *shownPlan) bool { return o.RunID == run })
}

// makePlan plans what the query of a request asks for, and keeps the plan.
func makePlan(s *Server, r *http.Request) (*shownPlan, error) {
	ctx, query := r.Context(), r.URL.Query()
	at, err := s.at(r)
	if err != nil {
		return nil, err
	}
	request, err := s.request(ctx)
	if err != nil {
		return nil, err
	}
	if t := query.Get("trigger"); t != "" {
		if request.Trigger = t; !slices.Contains(rules.TriggerNames(), t) {
			return nil, badRequest("there is no trigger %q", shown(t))
		}
	}
	if text := query.Get("scope"); text != "" {
		scope, err := memory.ParseScopes(text)
		if err != nil {
			return nil, badRequest("scope: %v", err)
		}
		request.Scope = &scope
	}
	snap, err := s.live.Load(ctx, at)
	if err != nil {
		return nil, err
	}
	plan, err := app.MakePlan(s.Store, snap, request)
	if err != nil {
		return nil, err
	}
	out := &shownPlan{Plan: plan, Snap: snap, made: s.Now(), asked: query, supposed: query.Get("at") != "", settings: request.Settings}
	s.plans.keep(out)
	return out, nil
}

// planBody is what the template of a plan is given.
type planBody struct {
	*shownPlan
	Rules []ruleActions
	paging
	Listed   int // actions on this page
	Left     []reasonCount
	Triggers []string
	Asked    struct{ Trigger, Scope, At string }
	Supposed bool
}

// ruleActions are the actions of one rule.
type ruleActions struct {
	Rule    string
	Actions []planAction
}

// planAction is an action, and its place in the plan.
type planAction struct {
	N int
	*memory.Action
	Memories []actionMemory
	More     int // memories that aren't listed
	Differs  []string
}

// actionMemory is a memory that an action is about.
type actionMemory struct{ Role, ID, Summary string }

// reasonCount counts the memories that were left alone for one reason, and names the first.
type reasonCount struct {
	Reason string
	N      int
	IDs    []string
}

// What a page of a plan lists at most: actions, and of each of them memories and differences. The page of the action has more.
const (
	actionsShown     = 50
	memoriesShown    = 4
	differencesShown = 2
	skippedShown     = 5
)

// newPlanBody lists the actions from one on, grouped by rule.
func newPlanBody(p *shownPlan, from int) planBody {
	b := planBody{shownPlan: p, Triggers: rules.TriggerNames(), Supposed: p.supposed}
	b.Asked.Trigger, b.Asked.Scope, b.Asked.At = p.asked.Get("trigger"), p.asked.Get("scope"), p.asked.Get("at")
	var end int
	b.paging, end = pageFrom(from, len(p.Actions), actionsShown)
	for _, n := range byRule(p.Actions)[b.From:end] {
		rule := p.Actions[n].Rule
		if last := len(b.Rules) - 1; last < 0 || b.Rules[last].Rule != rule {
			b.Rules = append(b.Rules, ruleActions{Rule: rule})
		}
		of := &b.Rules[len(b.Rules)-1]
		of.Actions = append(of.Actions, newPlanAction(p, n, memoriesShown, differencesShown))
		b.Listed++
	}
	b.Left = leftAlone(p.Skipped)
	return b
}

// newPlanAction describes an action, with some of its memories and differences.
func newPlanAction(p *shownPlan, n, memories, differences int) planAction {
	a := &p.Actions[n]
	all := memoriesOf(p.Snap, a)
	return planAction{n, a, rowsIn(all, 0, memories), max(0, len(all)-memories), rowsIn(a.Differences, 0, differences)}
}

// byRule are the places of actions, grouped by rule, in the order in which the rules first occur.
func byRule(actions []memory.Action) []int {
	first, order := map[string]int{}, make([]int, len(actions))
	for n := range actions {
		if _, ok := first[actions[n].Rule]; !ok {
			first[actions[n].Rule] = n
		}
		order[n] = n
	}
	slices.SortStableFunc(order, func(a, b int) int { return first[actions[a].Rule] - first[actions[b].Rule] })
	return order
}

// memoriesOf names the memories of an action.
func memoriesOf(snap *memory.Snapshot, a *memory.Action) (all []actionMemory) {
	add := func(role, id string) {
		if id == "" {
			return
		}
		m := snap.Live(id)
		if found := snap.Find(id); m == nil && len(found) > 0 {
			m = found[0]
		}
		all = append(all, actionMemory{role, id, summaryOf(m)})
	}
	if len(a.SourceIDs) > 0 {
		add("keep", a.ResultID)
	}
	for _, id := range a.SourceIDs {
		add("merge", id)
	}
	for i, id := range a.MemoryIDs {
		add(app.RoleInReview(&a.Action, i), id)
	}
	add("", a.MemoryID)
	return all
}

// leftAlone lists for which reasons memories were left alone, the most frequent first, each with some of their ids.
func leftAlone(skips []memory.Skip) (all []reasonCount) {
	for _, g := range memory.GroupSkips(skips) {
		all = append(all, reasonCount{Reason: g.Reason, N: len(g.IDs), IDs: g.IDs[:min(len(g.IDs), skippedShown)]})
	}
	slices.SortStableFunc(all, func(a, b reasonCount) int { return b.N - a.N })
	return all
}

func planPage(s *Server, r *http.Request) (*reply, error) {
	plan, err := makePlan(s, r)
	if err != nil {
		return nil, err
	}
	return &reply{page: planPageOf(plan, 0)}, nil
}

func planPageOf(p *shownPlan, from int) *page {
	return &page{Template: "plan", Title: "Plan", At: p.At, Body: newPlanBody(p, from)}
}

// shownPlanPage shows a plan once more, or other actions of it.
func shownPlanPage(s *Server, r *http.Request) (*reply, error) {
	plan, err := keptPlan(s, r)
	if err != nil {
		return nil, err
	}
	from, err := place(r, len(plan.Actions))
	if err != nil {
		return nil, err
	}
	return &reply{page: planPageOf(plan, from)}, nil
}

// keptPlan is the shown plan that the path of a request names. Where it is forgotten, a new one stands beside the error.
func keptPlan(s *Server, r *http.Request) (*shownPlan, error) {
	if plan := s.plans.find(r.PathValue("run"), s.Now()); plan != nil {
		return plan, nil
	}
	return nil, withNewPlan(s, r, &problem{status: http.StatusConflict, what: "the plan is no longer known: plans are kept for half an hour, the last 20 of them", todo: "Nothing was changed. A new plan has been made: look at that."})
}

// withNewPlan puts the plan as it is now beside a problem.
func withNewPlan(s *Server, r *http.Request, p *problem) *problem {
	fresh := r.Clone(r.Context())
	fresh.URL.RawQuery, fresh.Form = "", nil
	if plan, err := makePlan(s, fresh); err == nil {
		p.plan = plan.RunID
	}
	return p
}

// actionBody is what the template of one action is given.
type actionBody struct {
	Plan    *shownPlan
	Action  planAction
	Changes []change
}

func planActionPage(s *Server, r *http.Request) (*reply, error) {
	plan, err := keptPlan(s, r)
	if err != nil {
		return nil, err
	}
	n, err := strconv.Atoi(r.PathValue("n"))
	if err != nil || n < 0 || n >= len(plan.Actions) {
		return nil, notFound("the plan has no action %s", shown(r.PathValue("n")))
	}
	a := newPlanAction(plan, n, namedAtMost, namedAtMost)
	return &reply{page: &page{Template: "action", Title: "One action", At: plan.At, Body: actionBody{plan, a, changesOf(plan.Snap, a.Action, newRoom())}}}, nil
}

// applyPlan commits the actions of a shown plan that were ticked, or with all=1 all of them.
func applyPlan(s *Server, r *http.Request) (*reply, error) {
	if err := readForm(r); err != nil {
		return nil, err
	}
	shownPlan, err := keptPlan(s, r)
	if err != nil {
		return nil, err
	}
	if shownPlan.supposed {
		return nil, badRequest("this plan is as of another moment: it shows what would be, and can't be applied")
	}
	plan := *shownPlan.Plan
	if r.PostForm.Get("all") == "" {
		ticked := map[int]bool{}
		for _, text := range r.PostForm["n"] {
			n, err := strconv.Atoi(text)
			if err != nil || n < 0 || n >= len(plan.Actions) {
				return nil, badRequest("the plan has no action %q", shown(text))
			}
			ticked[n] = true
		}
		plan.Actions = nil
		for n := range shownPlan.Actions {
			if ticked[n] {
				plan.Actions = append(plan.Actions, shownPlan.Actions[n])
			}
		}
	}
	if len(plan.Actions) == 0 {
		return nil, badRequest("no action is ticked: nothing was changed")
	}
	plan.Seal(s.Store.Log().Head())
	started := s.Started()
	result, err := s.live.Transact(r.Context(), fixed(shownPlan.Snap), func(snap *memory.Snapshot) (*workspace.Tx, error) {
		return &workspace.Tx{Plan: &plan, Snapshot: snap, Pause: shownPlan.settings.Run.Pause.Clock(), Started: started}, nil
	})
	if err == nil {
		err = commit.Nothing(result)
	}
	if err != nil {
		if p := problemOf(err); p.status == http.StatusConflict {
			s.plans.forget(shownPlan.RunID)
			return nil, withNewPlan(s, r, p)
		}
		return nil, err
	}
	s.plans.forget(shownPlan.RunID)
	if strings.HasPrefix(r.URL.Path, "/api/") {
		return &reply{document: document.NewPlan(&plan, result)}, nil
	}
	return done("/runs/"+result.RunID, result), nil
}
