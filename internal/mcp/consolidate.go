package mcp

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/memoryd/memoryd/internal/app"
	"github.com/memoryd/memoryd/internal/document"
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
		purpose:   "Show what the rules would do now: merge duplicates, promote, summarise, archive what is stale, ask about contradictions. Nothing is written.",
		arguments: scopeOnly,
	}, func(ctx context.Context, args planArgs) (document.Run, string, error) {
		return r.consolidate(ctx, consolidateArgs{Scope: args.Scope, Cursor: args.Cursor})
	})
}

func addConsolidate(s *sdk.Server, r *room) {
	add(s, tool{
		name: "consolidate", title: "Consolidate memories", again: true,
		purpose:   "Do what plan shows: with apply set to its plan_id, after the person has seen the plan and agrees. Without apply it only plans. A plan that would be another by now is refused.",
		arguments: scopeOnly,
	}, r.consolidate)
}

func (r *room) consolidate(ctx context.Context, args consolidateArgs) (document.Run, string, error) {
	request, err := r.request(args.Scope)
	if err != nil {
		return document.Run{}, "", err
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
func (r *room) planned(ctx context.Context, tool planTool, apply, cursor string) (document.Run, string, error) {
	result := document.Run{}
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
	result = *document.NewPlan(plan, nil)
	result.RunID = "" // it is told once it is done
	steps, err := steps(&result, id, cursor)
	if err != nil {
		return result, "", err
	}
	if plan.Empty() {
		result.Hint = unknown(snap, app.AskedScope("scope", tool.scope))
		return result, "There is nothing to do.\n" + aside(&result) + hinted(result.Hint), nil
	}
	result.PlanID = id
	text := fmt.Sprintf("Plan %s: %s. Nothing has been written.\n\n%s%s", id, app.Planned(plan.Stats()), steps, aside(&result))
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
func (r *room) applyPlan(ctx context.Context, tool planTool, apply string) (document.Run, string, error) {
	result := document.Run{}
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
	result = *document.NewPlan(plan, done)
	result.RunID, result.Notes = done.RunID, done.Warnings
	steps, err := steps(&result, done.RunID, "")
	if err != nil {
		return result, "", err
	}
	text := fmt.Sprintf("Done, as run %s: %s. memory undo %s takes it back.\n\n%s%s", done.RunID, app.Totals(done.Entry.Stats), done.RunID, steps, aside(&result))
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
		return at, refuse("Call "+tool+" without apply: it tells the id of the plan.", "%q is no id of a plan", document.Short(id, 80))
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

// steps leaves a page of the actions in a document, and tells them as text.
func steps(doc *document.Run, of, cursor string) (string, error) {
	doc.Brief(maxList)
	type step struct {
		action    oplog.Action
		what, why string
		ids       []string
	}
	all := make([]step, len(doc.Actions))
	for i := range doc.Actions {
		a := &doc.Actions[i]
		ids := (&memory.Action{Action: *a}).Members()
		all[i] = step{*a, document.Short(app.DescribeAction(a), 300), document.Short(app.ActionReason(a), 600), ids[:min(len(ids), maxList)]}
		if a.Type == oplog.Review {
			all[i].why = document.Short(strings.Join(a.Differences, "; "), 600)
		}
	}
	p, err := paged(all, of, cursor, 50, func(s step) int { return len(s.what) + len(s.why) + 40 + 20*len(s.ids) })
	if err != nil {
		return "", err
	}
	doc.Actions, doc.Total, doc.NextCursor = []oplog.Action{}, p.total, p.next
	var text strings.Builder
	for _, s := range p.items {
		doc.Actions = append(doc.Actions, s.action)
		text.WriteString(oneLine("- %s (%s)", s.what, app.First(s.ids, 6)))
		if s.why != "" {
			fmt.Fprintf(&text, "  why: %s\n", s.why)
		}
	}
	return text.String() + p.more("actions") + "\n", nil
}

// aside says what else was found.
func aside(doc *document.Run) string {
	var parts []string
	for reason, n := range doc.Reasons {
		parts = append(parts, fmt.Sprintf("%s %d", app.Reason(reason), n))
	}
	slices.Sort(parts)
	text := ""
	if len(parts) > 0 {
		text = "Left alone: " + strings.Join(parts, ", ") + ".\n"
	}
	if n := doc.Stats.MemoriesDeferred; n > 0 {
		text += fmt.Sprintf("Over the limit of a run, first in the next one: %s.\n", app.Quantity(n, "memory"))
	}
	return text
}
