package document

import (
	"cmp"
	"encoding/json"

	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/timestamp"
	"github.com/memoryd/memoryd/pkg/workspace"
)

// Run is a plan, or what a run did: also an undo, and a change by hand. Its actions are as in the log.
type Run struct {
	PlanID  string   `json:"plan_id,omitempty" jsonschema:"for apply; absent when there is nothing to do"`
	RunID   string   `json:"run_id,omitempty" jsonschema:"for undo, once it is applied"`
	At      string   `json:"at,omitempty"`
	Trigger string   `json:"trigger,omitempty"`
	Scope   string   `json:"scope,omitempty" jsonschema:"all, or what the run was limited to"`
	Types   []string `json:"types,omitempty" jsonschema:"types or subtypes to which the run was limited"`
	Since   string   `json:"since,omitempty" jsonschema:"the run was limited to memories that were last changed at this time or later"`
	Until   string   `json:"until,omitempty" jsonschema:"likewise: before this time"`
	Actor   string   `json:"actor,omitempty" jsonschema:"who asked for it; absent for a run that started by itself"`
	Machine string   `json:"machine,omitempty"`
	UndoOf  string   `json:"undo_of,omitempty" jsonschema:"the run that this one took back"`
	What    string   `json:"what,omitempty" jsonschema:"in a list: what was done, in one line"`

	Actions    []oplog.Action  `json:"actions,omitzero" jsonschema:"in order: the first is action 1 for undo"`
	Skipped    []memory.Skip   `json:"skipped,omitzero" jsonschema:"memories that rules would have changed, and why they stay"`
	Reasons    map[string]int  `json:"skipped_by_reason,omitempty" jsonschema:"memories that rules would have changed, by what kept them"`
	Stats      *oplog.Stats    `json:"stats,omitempty"`
	Applied    *bool           `json:"applied,omitempty" jsonschema:"absent for a plan that is shown"`
	DryRun     bool            `json:"dry_run,omitempty"`
	Hash       string          `json:"hash,omitempty" jsonschema:"of the log's entry"`
	Deferred   []string        `json:"deferred,omitzero" jsonschema:"ids over the limit of a run: first in the next one"`
	Rules      []string        `json:"deferred_rules,omitempty" jsonschema:"rules that wait for the next run"`
	Off        []string        `json:"rules_off,omitempty" jsonschema:"rules that the settings turn off"`
	Limit      int             `json:"limit,omitempty" jsonschema:"memories that the run may change"`
	Stale      []oplog.Action  `json:"stale,omitempty" jsonschema:"listed in a plan file, and no longer due"`
	LogHead    string          `json:"log_head,omitempty" jsonschema:"in a plan file: hash of the log's last entry when it was written"`
	Model      *oplog.ModelUse `json:"model,omitempty" jsonschema:"what asking language models came to"`
	DurationMS int64           `json:"duration_ms,omitempty"`
	Status     string          `json:"status,omitempty" jsonschema:"done or failed"`
	PrevHash   string          `json:"prev_hash,omitempty"`
	Notes      []string        `json:"notes,omitempty" jsonschema:"what should be known besides"`
	Hint       string          `json:"hint,omitempty" jsonschema:"what was requested and no memory has, and what may be meant"`
	Page                       // of its actions
}

// NewPlan describes a plan and the result of applying it. Result is nil if it
// was not applied.
func NewPlan(plan *memory.Plan, result *workspace.Result) *Run {
	stats := plan.Stats()
	doc := &Run{
		RunID: plan.RunID, At: timestamp.Format(plan.At), Trigger: plan.Trigger, Scope: cmp.Or(plan.Scope, "all"),
		Types: plan.Types, Since: stamp(plan.Since), Until: stamp(plan.Until),
		Actions: plan.LogActions(), Skipped: append([]memory.Skip{}, plan.Skipped...), Stats: &stats,
		Deferred: append([]string{}, plan.Deferred...), Rules: plan.DeferredRules, Off: plan.Off,
	}
	if result == nil {
		return doc
	}
	doc.Applied = new(true)
	doc.Skipped = append(doc.Skipped, result.Skipped...)
	if entry := result.Entry; entry != nil {
		doc.Hash, doc.Stats, doc.Actions = entry.Hash, &entry.Stats, []oplog.Action{}
		for _, a := range entry.Actions {
			if a.Type != oplog.Skip {
				doc.Actions = append(doc.Actions, a)
			}
		}
	}
	return doc
}

// NewRun describes an entry of the log.
func NewRun(e *oplog.Entry) Run {
	return Run{
		RunID: e.RunID, At: stamp(e.Timestamp), Trigger: e.Trigger, Scope: e.Scope, Types: e.Types, Since: stamp(e.Since), Until: stamp(e.Until), Actor: e.Actor, Machine: e.Machine, UndoOf: e.UndoOf, Applied: new(e.Status != oplog.Failed),
		Actions: append([]oplog.Action{}, e.Actions...), Reasons: e.Skipped, Deferred: e.Deferred, Stats: &e.Stats, Model: e.Model,
		DurationMS: e.DurationMS, Status: e.Status, PrevHash: e.PrevHash, Hash: e.Hash, Page: Page{Total: len(e.Actions)},
	}
}

// NewUndo describes the result of an undo.
func NewUndo(result *workspace.Result) Run {
	doc := Run{Applied: new(result.Applied > 0), Actions: []oplog.Action{}, Skipped: append([]memory.Skip{}, result.Skipped...), Notes: result.Warnings}
	if e := result.Entry; e != nil {
		doc.RunID, doc.At, doc.Trigger, doc.UndoOf, doc.Hash = e.RunID, stamp(e.Timestamp), e.Trigger, e.UndoOf, e.Hash
		for _, a := range e.Actions {
			if a.Type == oplog.Undo {
				doc.Actions = append(doc.Actions, a)
			}
		}
	}
	return doc
}

// Brief counts what a run left alone or deferred in place of listing it, and leaves the digests and places out of its actions, so that they
// can be shown to an agent. Of each action it lists so many ids and differences.
func (d *Run) Brief(most int) {
	if d.Skipped != nil {
		d.Reasons = memory.CountSkips(d.Skipped)
	}
	d.Skipped, d.Deferred = nil, nil
	for i := range d.Actions {
		a := &d.Actions[i]
		a.Digests, a.Places, a.Archived, a.Key = nil, nil, nil, ""
		a.MemoryIDs, a.SourceIDs = a.MemoryIDs[:min(len(a.MemoryIDs), most)], a.SourceIDs[:min(len(a.SourceIDs), most)]
		a.Detail = Short(a.Detail, 300)
		var differences []string
		for _, one := range a.Differences[:min(len(a.Differences), 20)] {
			differences = append(differences, Short(one, 200))
		}
		a.Differences = differences
	}
}

// Runs is a list of runs: of the log the newest first, of one command the first one first.
type Runs struct {
	Applied bool           `json:"applied,omitempty" jsonschema:"of the runs of one command"`
	Runs    []*Run         `json:"runs"`
	Actions []oplog.Action `json:"actions,omitzero" jsonschema:"of the runs of one command: all, in order"`
	Stats   *oplog.Stats   `json:"stats,omitempty" jsonschema:"likewise, added up"`
	Page

	// First is the first run, if Add was told to keep it.
	First *Run `json:"-"`
}

// NewRuns describes no runs yet.
func NewRuns() *Runs {
	return &Runs{Applied: true, Runs: []*Run{}, Actions: []oplog.Action{}, Stats: &oplog.Stats{}}
}

// Add adds a run. Its document shares no memory with the snapshot. Of what the run
// skipped it lists only what could not be done: the rest is counted, since in a large
// workspace it is nearly everything, and the same in each run.
func (d *Runs) Add(plan *memory.Plan, result *workspace.Result, keep bool) (err error) {
	if keep && len(d.Runs) == 0 {
		if d.First, err = detached(NewPlan(plan, result)); err != nil {
			return err
		}
	}
	lean := *plan
	lean.Skipped, lean.Deferred, lean.DeferredRules, lean.Off = nil, nil, nil, nil
	doc := NewPlan(&lean, result)
	doc.Deferred = nil
	if result.Entry == nil {
		stats := plan.Stats()
		doc.Stats = &stats
	}
	run, err := detached(doc)
	if err != nil {
		return err
	}
	d.Runs = append(d.Runs, run)
	d.Actions = append(d.Actions, run.Actions...)
	*d.Stats = sum(*d.Stats, *run.Stats)
	d.Total = len(d.Runs)
	return nil
}

// detached is a copy of a document that holds on to nothing of its snapshot.
func detached[T any](doc *T) (*T, error) {
	text, err := json.Marshal(doc)
	if err != nil {
		return nil, err
	}
	out := new(T)
	return out, json.Unmarshal(text, out)
}

// sum adds up runs. Skipped and deferred memories are those of the last one.
func sum(a, b oplog.Stats) oplog.Stats {
	return oplog.Stats{
		MemoriesMerged:     a.MemoriesMerged + b.MemoriesMerged,
		MemoriesSummarized: a.MemoriesSummarized + b.MemoriesSummarized,
		MemoriesPromoted:   a.MemoriesPromoted + b.MemoriesPromoted,
		MemoriesProposed:   a.MemoriesProposed + b.MemoriesProposed,
		MemoriesArchived:   a.MemoriesArchived + b.MemoriesArchived,
		MemoriesFlagged:    a.MemoriesFlagged + b.MemoriesFlagged,
		MemoriesSkipped:    b.MemoriesSkipped,
		MemoriesDeferred:   b.MemoriesDeferred,
	}
}

// History is what was changed in a memory.
type History struct {
	ID      string   `json:"id"`
	Changes []Change `json:"changes" jsonschema:"the oldest first; of a page of an agent the newest first"`
	Page
}
