package hub

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"github.com/memoryd/memoryd/cmd/memory/internal/app"
	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/rules"
	"github.com/memoryd/memoryd/pkg/trigger"
	"github.com/memoryd/memoryd/pkg/workspace"
	"github.com/memoryd/memoryd/pkg/workspace/ops"
	"github.com/memoryd/memoryd/pkg/workspace/sqldisk"
)

// counts is the schedule of the runs that start because there is too much of something: its one slot is
// offered when a limit is crossed, and ends with the runs.
const counts = "counts"

// offerCounts makes a run due where a workspace has changed and is over a limit since. Which limits
// were seen to is kept in the workspace, and looked at again by whoever takes the slot.
func (h *Hub) offerCounts(ctx context.Context, r *room) error {
	if r.counted.Load() == r.disk.Revision() {
		return nil
	}
	release, err := r.take(ctx)
	if err != nil {
		return err
	}
	revision := r.disk.Revision()
	due, err := h.over(r.whole)
	release()
	if err != nil {
		return fmt.Errorf("count what %s holds: %w", r.disk.Workspace(), err)
	}
	offered := len(due) == 0
	if !offered {
		now := h.Now()
		slot := fmt.Sprintf("%s revision %d", now.UTC().Format(time.RFC3339Nano), revision)
		if offered, err = h.DB.Offer(ctx, r.disk.Workspace(), counts, sqldisk.Next{Slot: slot, At: now}); err != nil {
			return err
		}
	}
	if offered { // else one is under way: it is looked at again after that
		r.counted.Store(revision)
	}
	return nil
}

// over lists the runs that are due because a workspace is over a limit.
func (h *Hub) over(store *workspace.FileStore) ([]trigger.Due, error) {
	conf, err := settings(store)
	if err != nil {
		return nil, err
	}
	snap, err := store.Load(h.Now().UTC().Truncate(time.Second))
	if err != nil {
		return nil, err
	}
	state, err := countState(store)
	if err != nil {
		return nil, err
	}
	due, _, err := look(conf.Settings, state, snap, h.Now())
	return due, err
}

// countState is what is kept of former runs.
func countState(store *workspace.FileStore) (trigger.State, error) {
	doc, err := store.Read(ops.TriggersFile)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return trigger.State{}, err
	}
	return trigger.ParseState(doc)
}

// look tells what is due by counts, and the state with the least of each count since its run. What it
// says of the clock doesn't count: the database keeps that.
func look(conf config.Settings, state trigger.State, snap *memory.Snapshot, now time.Time) ([]trigger.Due, trigger.State, error) {
	conf.Triggers.Weekly, conf.Triggers.Interval, conf.Schedules = "", "", nil
	due, seen, err := trigger.Look(conf, state, trigger.FactsOf(snap, nil, nil), now, time.UTC)
	seen.Clock = state.Clock
	due = slices.DeleteFunc(due, func(d trigger.Due) bool { return d.Trigger != rules.IndexOverflow && d.Trigger != rules.Threshold })
	return due, seen, err
}

// consolidateCounts does what is due by counts, and notes what was seen to.
func (h *Hub) consolidateCounts(ctx context.Context, runner *app.Runner, store *workspace.FileStore, conf config.Settings) (did oplog.Stats, err error) {
	state, err := countState(store)
	if err != nil {
		return did, err
	}
	snap, err := runner.Load()
	if err != nil {
		return did, err
	}
	due, state, err := look(conf, state, snap, h.Now())
	for _, d := range due {
		if err != nil {
			break
		}
		var one oplog.Stats
		one, err = h.consolidateDue(ctx, runner, store, conf, d)
		app.AddStats(&did, one)
		state = state.Done(d, h.Now())
	}
	if err != nil {
		return did, err
	}
	if snap, err = store.Load(snap.At); err != nil {
		return did, err
	}
	if _, state, err = look(conf, state, snap, h.Now()); err != nil {
		return did, err
	}
	doc, err := state.Marshal()
	if err != nil {
		return did, err
	}
	return did, store.Ops().WriteState(ctx, ops.TriggersFile, doc)
}
