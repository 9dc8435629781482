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

// SettleIncoming does what is to be done once documents of other machines may have come in: indexes are made anew, and what a rule of one machine
// archived while another one edited it comes back ([archive.EditedMeanwhile]). More adds actions. The result is nil if there was nothing to do.
func SettleIncoming(ctx context.Context, store *workspace.FileStore, at, started time.Time, more func(*memory.Snapshot) []memory.Action) (*workspace.Result, error) {
	if err := store.MoveSaves(ctx, at); err != nil {
		return nil, err
	}
	if _, err := store.Reindex(ctx, at); err != nil {
		return nil, err
	}
	snap, err := store.Load(at)
	if err != nil {
		return nil, err
	}
	log, err := store.Log().Read()
	if err != nil {
		return nil, err
	}
	actions := append(more(snap), archive.EditedMeanwhile(snap, log)...)
	if len(actions) == 0 {
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
