package document

import (
	"cmp"
	"encoding/json"

	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/timestamp"
	"github.com/memoryd/memoryd/pkg/workspace"
)

// Run is a run as --json prints it.
type Run struct {
	RunID   string         `json:"run_id"`
	At      string         `json:"at"`
	Trigger string         `json:"trigger"`
	Scope   string         `json:"scope"`
	Actions []oplog.Action `json:"actions"`
	Skipped []memory.Skip  `json:"skipped"`
	Stats   oplog.Stats    `json:"stats"`

	Applied bool   `json:"applied,omitempty"`
	Hash    string `json:"hash,omitempty"`
}

// Plan is a plan as --json prints it, and what became of it.
type Plan struct {
	Run
	Deferred []string       `json:"deferred"`
	Rules    []string       `json:"deferred_rules,omitempty"`
	Off      []string       `json:"rules_off,omitempty"`
	Limit    int            `json:"limit,omitempty"` // of a run, which a plan was made with
	Stale    []oplog.Action `json:"stale,omitempty"` // listed in a plan file, and no longer due

	// LogHead is the hash of the log's last entry when a plan file was written. It
	// tells which workspace the plan is for.
	LogHead string `json:"log_head,omitempty"`
}

// NewPlan describes a plan and the result of applying it. Result is nil if it
// was not applied.
func NewPlan(plan *memory.Plan, result *workspace.Result) *Plan {
	doc := &Plan{
		Run: Run{
			RunID: plan.RunID, At: timestamp.Format(plan.At), Trigger: plan.Trigger, Scope: cmp.Or(plan.Scope, "all"),
			Actions: plan.LogActions(), Skipped: append([]memory.Skip{}, plan.Skipped...), Stats: plan.Stats(),
		},
		Deferred: append([]string{}, plan.Deferred...), Rules: plan.DeferredRules, Off: plan.Off,
	}
	if result == nil {
		return doc
	}
	doc.Applied = true
	doc.Skipped = append(doc.Skipped, result.Skipped...)
	if entry := result.Entry; entry != nil {
		doc.Hash, doc.Stats, doc.Actions = entry.Hash, entry.Stats, []oplog.Action{}
		for _, a := range entry.Actions {
			if a.Type != oplog.Skip {
				doc.Actions = append(doc.Actions, a)
			}
		}
	}
	return doc
}

// Runs is a sequence of runs as --json prints it.
type Runs struct {
	Applied bool           `json:"applied"`
	Runs    []*Run         `json:"runs"`
	Actions []oplog.Action `json:"actions"` // of all runs, in order
	Stats   oplog.Stats    `json:"stats"`

	// First is the first run, if Add was told to keep it.
	First *Plan `json:"-"`
}

// NewRuns describes no runs yet.
func NewRuns() *Runs {
	return &Runs{Applied: true, Runs: []*Run{}, Actions: []oplog.Action{}}
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
	lean.Skipped, lean.Deferred = nil, nil
	doc := NewPlan(&lean, result)
	if result.Entry == nil {
		doc.Stats = plan.Stats()
	}
	run, err := detached(&doc.Run)
	if err != nil {
		return err
	}
	d.Runs = append(d.Runs, run)
	d.Actions = append(d.Actions, run.Actions...)
	d.Stats = sum(d.Stats, run.Stats)
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

// Undo is what an undo did, as --json prints it.
type Undo struct {
	Applied bool           `json:"applied"`
	DryRun  bool           `json:"dry_run,omitempty"`
	RunID   string         `json:"run_id,omitempty"`
	UndoOf  string         `json:"undo_of,omitempty"`
	Actions []oplog.Action `json:"actions"`
	Skipped []memory.Skip  `json:"skipped"`
	Hash    string         `json:"hash,omitempty"`
}

// NewUndo describes the result of an undo.
func NewUndo(result *workspace.Result) Undo {
	doc := Undo{Applied: result.Applied > 0, Actions: []oplog.Action{}, Skipped: append([]memory.Skip{}, result.Skipped...)}
	if e := result.Entry; e != nil {
		doc.RunID, doc.UndoOf, doc.Hash = e.RunID, e.UndoOf, e.Hash
		for _, a := range e.Actions {
			if a.Type == oplog.Undo {
				doc.Actions = append(doc.Actions, a)
			}
		}
	}
	return doc
}

// Decided says what became of a decision about pairs.
type Decided struct {
	Decided []string `json:"decided"` // ids of pairs
	Settled []string `json:"settled"` // pairs that wait no longer, since another decision has changed one of the memories
	RunIDs  []string `json:"run_ids"` // for undo
}
