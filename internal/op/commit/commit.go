// Package commit writes what somebody asks for by name: a plan that no rule has made.
package commit

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/memoryd/memoryd/internal/fail"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/workspace"
	"github.com/memoryd/memoryd/pkg/workspace/ops"
)

// Store is what a command needs of a workspace besides a snapshot.
type Store interface {
	Commit(ctx context.Context, tx *workspace.Tx) (*workspace.Result, error)
	Log() ops.Log
}

// Tx is the transaction of some actions that were made from a snapshot. Started is when the command began, for the log; may be zero. Actor is
// who asks, where the store doesn't know that.
func Tx(snap *memory.Snapshot, log ops.Log, started time.Time, actor string, actions []memory.Action) *workspace.Tx {
	for i := range actions {
		if actions[i].Actor == "" {
			actions[i].Actor = actor
		}
	}
	return &workspace.Tx{Plan: memory.Command(snap, log.Head(), actions...), Started: started}
}

// Conflict is the error about actions whose memories had changed when they were to be done; nil where there are none.
func Conflict(result *workspace.Result) error {
	if result == nil || len(result.Skipped) == 0 {
		return nil
	}
	var texts []string
	for _, s := range result.Skipped {
		texts = append(texts, Skipped(s))
	}
	return &fail.Error{Err: errors.New(strings.Join(texts, "\n")), Kind: fail.ErrStale}
}

// Nothing is the conflict of a commit of which nothing came.
func Nothing(result *workspace.Result) error {
	if result == nil || result.Applied > 0 {
		return nil
	}
	return Conflict(result)
}

// Skipped says why an action was left out when it was applied.
func Skipped(s memory.Skip) string {
	if s.Reason == workspace.ReasonChanged {
		return s.MemoryID + ": changed meanwhile: " + s.Detail
	}
	return s.MemoryID + ": " + s.Detail
}
