package mcp

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/memoryd/memoryd/internal/app"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/rules"
	"github.com/memoryd/memoryd/pkg/workspace"
)

type consolidateArgs struct {
	Scope  string `json:"scope,omitempty" jsonschema:"only memories of this scope, such as agent:DEV-001"`
	Apply  string `json:"apply,omitempty" jsonschema:"do it: the plan_id that the call before has told, with the same scope"`
	Cursor string `json:"cursor,omitempty" jsonschema:"next_cursor of the page before"`
}

type consolidateResult struct {
	PlanID     string         `json:"plan_id,omitempty" jsonschema:"for apply; absent when there is nothing to do"`
	Applied    bool           `json:"applied"`
	RunID      string         `json:"run_id,omitempty" jsonschema:"of what was applied, for undo"`
	Actions    []action       `json:"actions"`
	Total      int            `json:"total_actions"`
	LeftAlone  map[string]int `json:"left_alone,omitempty" jsonschema:"memories that rules would have changed, by what kept them"`
	Deferred   int            `json:"deferred,omitempty" jsonschema:"memories over the limit of a run: first in the next one"`
	Hint       string         `json:"hint,omitempty" jsonschema:"what was asked for and no memory has, and what may be meant"`
	NextCursor string         `json:"next_cursor,omitempty"`
}

// action is one step of a plan or run.
type action struct {
	Type      string   `json:"type"`
	MemoryIDs []string `json:"memory_ids"`
	What      string   `json:"what"`
	Why       string   `json:"why,omitempty"`
}

// planLife is how long a plan can be applied: it is as of its time, and the log is
// dated so.
const planLife = time.Hour

type planArgs struct {
	Scope  string `json:"scope,omitempty" jsonschema:"only memories of this scope, such as agent:DEV-001"`
	Cursor string `json:"cursor,omitempty" jsonschema:"next_cursor of the page before"`
}

// addPlan offers the plan alone, as a tool that hosts let through which ask before every tool that may change something.
func addPlan(s *sdk.Server, r *room) {
	add(s, tool{
		name: "plan", title: "Plan a consolidation", reads: true,
		purpose:   "Show what the rules would do now: merge duplicates, promote, summarise, archive what is stale, ask about contradictions. Nothing is written. consolidate does it, with apply set to the plan_id.",
		arguments: scopeOnly,
	}, func(ctx context.Context, args planArgs) (consolidateResult, string, error) {
		return r.consolidate(ctx, consolidateArgs{Scope: args.Scope, Cursor: args.Cursor})
	})
}

func addConsolidate(s *sdk.Server, r *room) {
	add(s, tool{
		name: "consolidate", title: "Consolidate memories", again: true,
		purpose:   "Plan what the rules would do now: merge duplicates, promote, summarise, archive what is stale, ask about contradictions. Without apply nothing is written. Show the person the plan; if they agree, call it again with apply set to its plan_id. A plan that would be another by now is refused.",
		arguments: scopeOnly,
	}, r.consolidate)
}

func (r *room) consolidate(ctx context.Context, args consolidateArgs) (consolidateResult, string, error) {
	request, err := r.request(args.Scope)
	if err != nil {
		return consolidateResult{Actions: []action{}}, "", err
	}
	request.Progress = func(int, int) error { return ctx.Err() }
	return r.planned(ctx, planTool{"consolidate", args.Scope, func(snap *memory.Snapshot) (*memory.Plan, error) {
		return app.MakePlan(r.store, snap, request)
	}}, args.Apply, args.Cursor)
}

// planTool is a tool that shows a plan, and does it when it is called with the plan's id.
type planTool struct {
	name, scope string
	plan        func(*memory.Snapshot) (*memory.Plan, error)
}

// planned shows the plan, or with its id does it.
func (r *room) planned(ctx context.Context, tool planTool, apply, cursor string) (consolidateResult, string, error) {
	result := consolidateResult{Actions: []action{}}
	if apply != "" {
		return r.applyPlan(ctx, tool, apply)
	}
	at := r.now()
	var err error
	if cursor != "" { // the pages of a plan are of one plan: as of the time of the first
		if at, err = cursorTime(cursor); err != nil {
			return result, "", err
		}
	}
	snap, err := r.live.Load(ctx, at)
	if err != nil {
		return result, "", err
	}
	plan, err := tool.plan(snap)
	if err != nil {
		return result, "", err
	}
	id := planID(plan)
	result.LeftAlone, result.Deferred = leftAlone(plan.Skipped), len(plan.Deferred)
	steps, err := steps(&result, planned(plan), id, cursor)
	if err != nil {
		return result, "", err
	}
	if plan.Empty() {
		result.Hint = unknown(snap, app.AskedScope("scope", tool.scope))
		return result, "There is nothing to do.\n" + result.aside() + hinted(result.Hint), nil
	}
	result.PlanID = id
	text := fmt.Sprintf("Plan %s: %s. Nothing has been written.\n\n%s%s", id, app.Planned(plan.Stats()), steps, result.aside())
	return result, text + fmt.Sprintf("To do it, when the person agrees: %s with apply %s%s.\n", tool.name, id, sameScope(tool.scope)), nil
}

// request is what the rules are asked.
func (r *room) request(scope string) (rules.Request, error) {
	request := rules.Request{Trigger: rules.Manual}
	if scope != "" {
		s, err := memory.ParseScopes(scope)
		if err != nil {
			return request, badScope(err)
		}
		request.Scope = &s
	}
	var err error
	if request.Settings, err = r.config(); err == nil {
		request.Secrets, err = app.SecretRules(r.store, request.Settings)
	}
	return request, err
}

// applyPlan plans as of the plan's time, and commits if that is the same plan.
func (r *room) applyPlan(ctx context.Context, tool planTool, apply string) (consolidateResult, string, error) {
	result := consolidateResult{Actions: []action{}}
	at, err := planTime(apply, tool.name)
	if now := r.now(); err == nil && (now.Sub(at) > planLife || at.After(now)) {
		err = refuse("Call "+tool.name+" without apply for a new plan, and show it.", "%s is too old: a plan is good for an hour", apply)
	}
	if err != nil {
		return result, "", err
	}
	settings, err := r.config()
	if err != nil {
		return result, "", err
	}
	var plan *memory.Plan
	read := func(ctx context.Context) (*memory.Snapshot, error) { return r.live.Load(ctx, at) }
	done, err := r.transact(ctx, read, func(snap *memory.Snapshot) (*workspace.Tx, error) {
		started := r.started()
		var err error
		if plan, err = tool.plan(snap); err != nil {
			return nil, err
		}
		if id := planID(plan); id != apply {
			return nil, refuse("Call "+tool.name+" without apply"+sameScope(tool.scope)+" for the plan as it is now, and show it.", "%s is not what would be done now: the memories, the settings or the scope are others", apply)
		}
		if plan.Empty() {
			return nil, nil
		}
		plan.Seal(r.store.Log().Head())
		return &workspace.Tx{Plan: plan, Snapshot: snap, Pause: settings.Run.Pause.Clock(), Started: started}, nil
	})
	switch {
	case err != nil:
		return result, "", err
	case done == nil || done.Entry == nil:
		return result, "There was nothing to do.\n", nil
	}
	result.Applied, result.RunID, result.Deferred = true, done.RunID, len(plan.Deferred)
	result.LeftAlone = leftAlone(append(plan.Skipped, done.Skipped...))
	actions := slices.DeleteFunc(slices.Clone(done.Entry.Actions), func(a oplog.Action) bool { return a.Type == oplog.Skip })
	steps, err := steps(&result, actions, done.RunID, "")
	if err != nil {
		return result, "", err
	}
	text := fmt.Sprintf("Done, as run %s: %s. undo %s takes it back.\n\n%s%s", done.RunID, app.Totals(done.Entry.Stats), done.RunID, steps, result.aside())
	return result, text + notes(done.Warnings), nil
}

func sameScope(scope string) string {
	if scope == "" {
		return ""
	}
	return " and scope " + scope
}

const planPrefix = "plan_"

// planID names a plan by its time and by what it would do, whatever has been logged
// since: the same plan has the same id.
func planID(p *memory.Plan) string {
	run := p.RunID
	p.Seal("")
	id := planPrefix + strings.TrimPrefix(p.RunID, "run_")
	p.RunID = run
	return id
}

const planStamp = "20060102T150405Z"

// planTime reads the time off a plan's id.
func planTime(id, tool string) (time.Time, error) {
	stamp, _, _ := strings.Cut(strings.TrimPrefix(id, planPrefix), "_")
	at, err := time.Parse(planStamp, stamp)
	if err != nil || !strings.HasPrefix(id, planPrefix) {
		return at, refuse("Call "+tool+" without apply: it tells the id of the plan.", "%q is no id of a plan", short(id, 80))
	}
	return at, nil
}

// cursorTime reads the time of the plan that a cursor goes on with.
func cursorTime(cursor string) (time.Time, error) {
	c, err := readCursor(cursor)
	if err != nil {
		return time.Time{}, err
	}
	if at, err := planTime(c.Of, ""); err == nil {
		return at, nil
	}
	return time.Time{}, errCursor
}

func planned(p *memory.Plan) (all []oplog.Action) {
	for i := range p.Actions {
		all = append(all, p.Actions[i].Action)
	}
	return all
}

func leftAlone(skips []memory.Skip) map[string]int {
	seen := map[string]bool{}
	n := map[string]int{}
	for _, s := range skips {
		if key := s.Reason + " " + s.MemoryID; !seen[key] {
			seen[key] = true
			n[s.Reason]++
		}
	}
	return n
}

// steps puts a page of actions into the result, and tells them as text.
func steps(result *consolidateResult, actions []oplog.Action, of, cursor string) (string, error) {
	all := make([]action, len(actions))
	for i := range actions {
		a := &actions[i]
		ids := (&memory.Action{Action: *a}).Members()
		all[i] = action{Type: a.Type, MemoryIDs: ids[:min(len(ids), 50)], What: short(app.DescribeAction(a), 300), Why: short(app.ActionReason(a), 600)}
		if a.Type == oplog.Review {
			all[i].Why = short(strings.Join(a.Differences, "; "), 600)
		}
	}
	p, err := paged(all, of, cursor, 50, func(a action) int { return len(a.What) + len(a.Why) + 40 + 20*len(a.MemoryIDs) })
	if err != nil {
		return "", err
	}
	result.Actions, result.Total, result.NextCursor = p.items, p.total, p.next
	var text strings.Builder
	for _, a := range p.items {
		text.WriteString(oneLine("- %s (%s)", a.What, app.First(a.MemoryIDs, 6)))
		if a.Why != "" {
			fmt.Fprintf(&text, "  why: %s\n", a.Why)
		}
	}
	return text.String() + p.more("actions") + "\n", nil
}

// aside says what else was found.
func (result *consolidateResult) aside() string {
	var parts []string
	for reason, n := range result.LeftAlone {
		parts = append(parts, fmt.Sprintf("%s %d", app.Reason(reason), n))
	}
	slices.Sort(parts)
	text := ""
	if len(parts) > 0 {
		text = "Left alone: " + strings.Join(parts, ", ") + ".\n"
	}
	if result.Deferred > 0 {
		text += fmt.Sprintf("Over the limit of a run, first in the next one: %s.\n", app.Quantity(result.Deferred, "memory"))
	}
	return text
}
