package enrich

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/graph"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/rules"
)

// Trigger is that of the runs of this package in the log.
const Trigger = "enrich"

// Stages, in their order.
const (
	StageCluster   = "cluster"
	StageSummarise = "summarise"
	StageTier      = "tier"
	StageSupersede = "supersede"
	StageEdge      = "edge"
	StagePersist   = "persist"
)

// Stages lists the stages.
func Stages() []string {
	return []string{StageCluster, StageSummarise, StageTier, StageSupersede, StageEdge, StagePersist}
}

// Request says what to plan.
type Request struct {
	Settings     config.Settings
	Scope        *memory.Scope // nil: all
	Type         string        // a type or subtype; "": any
	Since, Until time.Time     // when a memory was last changed; zero: no bound
	Stages       []string      // nil: all
	LogHead      string        // hash of the log's last entry, which makes the run id unique

	// Near, if set, lists those of some memories that are near in meaning: they need no tie to be in a cluster.
	Near func([]*memory.Memory) [][2]*memory.Memory

	Chooser Chooser // nil: none
	Judged  Judged  // what choosers have said in earlier runs
	RunID   string  // of the plan, where a chooser has to know it before; "": made of what the plan does

	Memo  *rules.Memo  // what comparing memories came to in an earlier plan of the rules; nil for nothing
	Now   func() int64 // milliseconds of any clock, for the duration of stages; nil: none is told
	Event func(Event)  // is called for each stage; nil: none is
}

// Event is a step of a stage.
type Event struct {
	Event    string `json:"event" jsonschema:"stage_started, stage_finished"`
	Stage    string `json:"stage"`
	Seen     int    `json:"seen" jsonschema:"what it looked at: memories, clusters, edges"`
	Made     int    `json:"made" jsonschema:"what it found, or changes"`
	Skipped  int    `json:"skipped" jsonschema:"what it left as it is for a reason"`
	Requests int    `json:"requests" jsonschema:"to a model"`
	Tokens   int    `json:"tokens"`
	MS       int64  `json:"ms"`
}

// Names of events.
const (
	Started  = "stage_started"
	Finished = "stage_finished"
)

// Result is a plan, and what there is to tell besides.
type Result struct {
	Plan        *memory.Plan
	Clusters    []Cluster // those that the request is about
	Stale       []Stale
	Transitions []Transition
	Edges       map[string]int // how many there are, by type
	Degraded    []string       // why the rules chose in place of the chooser
	Deferred    int            // questions that were not asked, for lack of budget
	Events      []Event        // the finished stages
}

// Stale is a summary that is not up to date and stays as it is.
type Stale struct {
	ID     string `json:"id"`
	Reason string `json:"reason" jsonschema:"edited, or why no rule may change it"`
	Detail string `json:"detail"`
}

// Transition is a memory whose tier has changed.
type Transition struct {
	ID   string `json:"id"`
	From string `json:"from"`
	To   string `json:"to"`
}

// planner is a request at work.
type planner struct {
	*memory.Snapshot
	Request
	ctx context.Context
	out *Result

	all   func() []Cluster
	graph func() *graph.Graph

	asked []Cluster // about which the chooser has answered, as the rules found them
	spent bool      // a budget is used up: nothing more is asked
	err   error     // of the chooser, for which there is no plan
}

// Plan plans. The error is that of the context, or one of the chooser that is neither a [provider.Error] nor a [provider.BudgetError].
func Plan(ctx context.Context, s *memory.Snapshot, r Request) (*Result, error) {
	p := newPlanner(ctx, s, r)
	stages := []struct {
		name string
		run  func(*Event)
	}{
		{StageCluster, p.cluster}, {StageSummarise, p.summarise}, {StageTier, p.tier}, {StageSupersede, p.supersede}, {StageEdge, p.edge},
	}
	for _, stage := range stages {
		if len(r.Stages) > 0 && !slices.Contains(r.Stages, stage.name) {
			continue
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		p.out.Events = append(p.out.Events, Stage(r, stage.name, stage.run))
		if p.err != nil {
			return nil, p.err
		}
	}
	p.out.Plan.Model = p.sum()
	if p.out.Plan.Seal(r.LogHead); r.RunID != "" {
		p.out.Plan.RunID = r.RunID
	}
	return p.out, ctx.Err()
}

// NewRunID is an id for a run that begins now, before it is known what the run does.
func (r *Request) NewRunID(at time.Time) string {
	p := memory.Plan{At: at, Trigger: Trigger}
	p.Seal(r.LogHead)
	return p.RunID
}

// Stage runs a stage between its two events, and returns the second one.
func Stage(r Request, name string, run func(*Event)) Event {
	e := Event{Event: Started, Stage: name}
	if r.Event != nil {
		r.Event(e)
	}
	var began int64
	if r.Now != nil {
		began = r.Now()
	}
	requests, tokens := usage(r.Chooser)
	run(&e)
	e.Event = Finished
	requestsNow, tokensNow := usage(r.Chooser)
	e.Requests, e.Tokens = requestsNow-requests, tokensNow-tokens
	if r.Now != nil {
		e.MS = r.Now() - began
	}
	if r.Event != nil {
		r.Event(e)
	}
	return e
}

func newPlanner(ctx context.Context, s *memory.Snapshot, r Request) *planner {
	p := &planner{Snapshot: s, Request: r, ctx: ctx}
	p.out = &Result{Plan: &memory.Plan{At: s.At, Trigger: Trigger}, Edges: map[string]int{}}
	if r.Scope != nil {
		p.out.Plan.Scope = r.Scope.String()
	}
	p.graph = once(func() *graph.Graph { return graph.Of(s) })
	p.all = once(func() []Cluster { return clusters(s, r.Settings, r.Scope, p.graph(), r.Near, p.belong) })
	return p
}

// once computes a value when it is first asked for.
func once[T any](f func() T) func() T {
	var value T
	done := false
	return func() T {
		if !done {
			value, done = f(), true
		}
		return value
	}
}

// covers reports whether the request is about a memory.
func (r *Request) covers(m *memory.Memory) bool {
	changed := m.Newest()
	return (r.Scope == nil || r.Scope.Covers(m.Scope)) &&
		(r.Type == "" || strings.EqualFold(m.Type, r.Type) || strings.EqualFold(m.Subtype, r.Type)) &&
		(r.Since.IsZero() || !changed.Before(r.Since)) && (r.Until.IsZero() || changed.Before(r.Until))
}

// coversAny reports whether the request is about one of some memories.
func (r *Request) coversAny(all []*memory.Memory) bool { return slices.ContainsFunc(all, r.covers) }
