package app

import (
	"context"
	"time"

	"github.com/memoryd/memoryd/pkg/archive"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/workspace"
)

// TriggerSync is the trigger of the runs by which a workspace comes in step with others.
const TriggerSync = "sync"

// Synced is what every sync tells, through git or with a hub. Each says more in its own outcome.
type Synced struct {
	Sent     []string `json:"sent"`     // files that were changed here; through git they are committed, and pushed if there is a remote
	Merged   []string `json:"merged"`   // files that both sides had changed; through git only those that it could not merge by itself
	Withheld []string `json:"withheld"` // files that hold secrets: they stay here
	DryRun   bool     `json:"dry_run,omitempty"`
}

// NewSynced is of a sync that has done nothing yet.
func NewSynced(dry bool) Synced {
	return Synced{Sent: []string{}, Merged: []string{}, Withheld: []string{}, DryRun: dry}
}

// SettleIncoming does what is to be done once documents of other machines may have come in, by git or from a hub: indexes are made anew,
// and what [RestoreEdited] finds comes back.
func SettleIncoming(ctx context.Context, store *workspace.FileStore, at, started time.Time, more func(*memory.Snapshot) []memory.Action) (*workspace.Result, error) {
	if _, err := store.Reindex(ctx, at); err != nil {
		return nil, err
	}
	return RestoreEdited(ctx, store, at, started, more)
}

// RestoreEdited brings back what a rule of one machine archived while another one edited it ([archive.EditedMeanwhile]). More, if set, adds
// actions. The result is nil where there was nothing to do, as where no other machine has a log here.
func RestoreEdited(ctx context.Context, store *workspace.FileStore, at, started time.Time, more func(*memory.Snapshot) []memory.Action) (*workspace.Result, error) {
	if more == nil && !store.Log().Shared() {
		return nil, nil
	}
	snap, err := store.Load(at)
	if err != nil {
		return nil, err
	}
	log, err := store.Log().Read()
	if err != nil {
		return nil, err
	}
	var actions []memory.Action
	if more != nil {
		actions = more(snap)
	}
	if actions = append(actions, archive.EditedMeanwhile(snap, log)...); len(actions) == 0 {
		return nil, nil
	}
	return CommitSync(ctx, store, snap, started, actions...)
}

// CommitSync commits what a sync does as one run.
func CommitSync(ctx context.Context, store *workspace.FileStore, snap *memory.Snapshot, started time.Time, actions ...memory.Action) (*workspace.Result, error) {
	plan := memory.Command(snap, store.Log().Head(), actions...)
	plan.Trigger = TriggerSync
	plan.Seal(store.Log().Head())
	return store.Commit(ctx, &workspace.Tx{Plan: plan, Started: started})
}
