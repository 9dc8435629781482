package hub

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/memoryd/memoryd/internal/app"
	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/rules"
	"github.com/memoryd/memoryd/pkg/trigger"
	"github.com/memoryd/memoryd/pkg/workspace"
	"github.com/memoryd/memoryd/pkg/workspace/ops"
	"github.com/memoryd/memoryd/pkg/workspace/sqldisk"
)

// Schedules of runs that no clock starts. Their one slot is offered when it is known, and ends with the runs; both do whatever is due by then.
const (
	counts = "counts" // now: there is too much of something, or a session has ended
	rests  = "rests"  // once the next session has rested for long enough to have ended
)

// offerRuns makes a run due where a workspace has changed and is over a limit since, or has a session that has ended; and one for when the next
// session will have ended by its rest. What was seen to is kept in the workspace, and looked at again by whoever takes the slot.
func (h *Hub) offerRuns(ctx context.Context, r *room) error {
	if r.counted.Load() == r.disk.Revision() {
		return nil
	}
	release, err := r.take(ctx)
	if err != nil {
		return err
	}
	revision := r.disk.Revision()
	due, rest, err := h.uncommanded(r.whole)
	release()
	if err != nil {
		return fmt.Errorf("look at what %s holds: %w", r.disk.Workspace(), err)
	}
	now := h.Now()
	offered := len(due) == 0
	if !offered {
		if offered, err = h.DB.Offer(ctx, r.disk.Workspace(), counts, slotAt(now, now)); err != nil {
			return err
		}
	}
	if !rest.IsZero() { // one that is planned is for an earlier time, and plans the next
		if _, err := h.DB.Offer(ctx, r.disk.Workspace(), rests, slotAt(now, rest)); err != nil {
			return err
		}
	}
	if offered { // else one is under way: it is looked at again after that
		r.counted.Store(revision)
	}
	return nil
}

// slotAt is a slot for a time, with a name that no other has.
func slotAt(now, at time.Time) sqldisk.Next {
	return sqldisk.Next{Slot: now.UTC().Format(time.RFC3339Nano) + " " + rand.Text(), At: at}
}

// uncommanded lists the runs that are due though no clock starts them, and when the next session will have rested for long enough.
func (h *Hub) uncommanded(store *workspace.FileStore) (due []trigger.Due, rest time.Time, err error) {
	conf, err := settings(store)
	if err != nil {
		return nil, rest, err
	}
	snap, err := store.Load(h.Now().UTC().Truncate(time.Second))
	if err != nil {
		return nil, rest, err
	}
	state, err := countState(store)
	if err != nil {
		return nil, rest, err
	}
	facts, err := factsOf(store, snap)
	if err != nil {
		return nil, rest, err
	}
	due, _, err = look(conf.Settings, state, facts, h.Now())
	return due, h.nextRest(conf.Settings, facts), err
}

// nextRest is when the next session will have rested for long enough; zero where no run starts by itself.
func (h *Hub) nextRest(conf config.Settings, facts trigger.Facts) time.Time {
	if trigger.Held(conf, facts.Memories) != "" {
		return time.Time{}
	}
	return facts.NextSessionEnd(conf.Triggers, h.Now())
}

// factsOf is what the triggers ask for. When a file was written is not known here, only what the records in it say of their times.
func factsOf(store *workspace.FileStore, snap *memory.Snapshot) (trigger.Facts, error) {
	files, err := app.SessionFiles(store, snap, time.Time{})
	for i := range files {
		files[i].Touched = time.Time{}
	}
	return trigger.FactsOf(snap, files, nil), err
}

// countState is what is kept of former runs.
func countState(store *workspace.FileStore) (trigger.State, error) {
	doc, err := store.Read(ops.TriggersFile)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return trigger.State{}, err
	}
	return trigger.ParseState(doc)
}

// look tells what is due by counts and by the ends of sessions, and the state with the least of each count since its run. What it
// says of the clock doesn't count: the database keeps that.
func look(conf config.Settings, state trigger.State, facts trigger.Facts, now time.Time) ([]trigger.Due, trigger.State, error) {
	conf.Triggers.Weekly, conf.Triggers.Interval, conf.Schedules = "", "", nil
	due, seen, err := trigger.Look(conf, state, facts, now, time.UTC)
	seen.Clock = state.Clock
	return due, seen, err
}

// consolidateCounts does what is due by counts and by the ends of sessions, notes what was seen to, and tells when the next session will have
// rested for long enough.
func (h *Hub) consolidateCounts(ctx context.Context, runner *app.Runner, store *workspace.FileStore, conf config.Settings) (did oplog.Stats, rest time.Time, err error) {
	state, err := countState(store)
	if err != nil {
		return did, rest, err
	}
	// seen looks at the workspace as it stands.
	seen := func() (facts trigger.Facts, due []trigger.Due, err error) {
		snap, err := runner.Load()
		if err == nil {
			facts, err = factsOf(store, snap)
		}
		if err == nil {
			due, state, err = look(conf, state, facts, h.Now())
		}
		return facts, due, err
	}
	_, due, err := seen()
	if err != nil {
		return did, rest, err
	}
	settled := map[string]bool{}
	for _, d := range due {
		one, err := h.consolidateDue(ctx, runner, store, conf, d)
		if err != nil {
			return did, rest, err
		}
		app.AddStats(&did, one)
		state = state.Done(d, h.Now())
		settled[d.Session] = d.Trigger == rules.SessionEnd
	}
	facts, due, err := seen()
	if err != nil {
		return did, rest, err
	}
	for _, d := range due { // what its run has left of a session is settled too
		if d.Trigger == rules.SessionEnd && settled[d.Session] {
			state = state.Done(d, h.Now())
		}
	}
	doc, err := state.Marshal()
	if err != nil {
		return did, rest, err
	}
	return did, h.nextRest(conf, facts), store.Ops().WriteState(ctx, ops.TriggersFile, doc)
}

// settle does what the end of a session asks for, unless it goes on.
func (h *Hub) settle(ctx context.Context, runner *app.Runner, store *workspace.FileStore, session string, request rules.Request) (did oplog.Stats, err error) {
	snap, err := runner.Load()
	if err != nil {
		return did, err
	}
	facts, err := factsOf(store, snap)
	if err != nil {
		return did, err
	}
	ending, ok := facts.Ending(request.Settings.Triggers, session, h.Now())
	if !ok {
		return did, nil
	}
	request.Ending, request.Scope = ending, ending.Session.Scope()
	did, _, err = runner.UntilEmpty(ctx, request, app.MaxRuns)
	return did, err
}
