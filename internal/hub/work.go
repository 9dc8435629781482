package hub

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/memoryd/memoryd/internal/app"
	"github.com/memoryd/memoryd/internal/metrics"
	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/rules"
	"github.com/memoryd/memoryd/pkg/trigger"
	"github.com/memoryd/memoryd/pkg/workspace"
	"github.com/memoryd/memoryd/pkg/workspace/sqldisk"
)

const (
	pause  = 2 * time.Second // between two looks at what is due
	retry  = time.Minute     // before a run that failed is tried again, times its failures
	spread = 6 * time.Hour   // over which the slots of many workspaces lie, at most
)

// work runs what is due until ctx is done; what has begun goes on while life does.
func (h *Hub) work(ctx, life context.Context) {
	for ctx.Err() == nil {
		found, err := h.once(ctx, life)
		if err != nil {
			h.Metrics.Failed("run")
			h.Log.Error("worker", "error", err)
		}
		if found && err == nil {
			continue
		}
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
	}
}

// once runs one slot that is due, and reports whether there was one.
func (h *Hub) once(ctx, life context.Context) (found bool, err error) {
	claim, err := h.DB.Claim(ctx, h.Now(), false)
	if err != nil || claim == nil {
		return false, err
	}
	begun, did, conf := h.Now(), oplog.Stats{}, config.Default()
	next := later(claim.Workspace, claim.Schedule, conf, begun)
	failed := claim.Run(life, func(ctx context.Context, d *sqldisk.Disk) (run string, _ sqldisk.Next, err error) {
		var rest time.Time
		run, did, rest, err = h.consolidate(ctx, d, claim.Schedule, &conf)
		next = later(claim.Workspace, claim.Schedule, conf, begun)
		if claim.Schedule == rests && !rest.IsZero() {
			next = slotAt(begun, rest)
		}
		return cmp.Or(run, "no change"), next, err
	})
	outcome := metrics.Done
	if failed != nil && life.Err() != nil { // the hub is stopped: the next one does it
		return true, nil
	}
	if failed != nil {
		outcome = metrics.Failed
		again := begun.Add(retry * time.Duration(claim.Failures+1))
		givenUp, err := claim.Fail(life, failed, again, next)
		if givenUp {
			outcome = metrics.GivenUp
		}
		h.Log.Error("run failed", "slot", claim.String(), "error", failed, "given_up", givenUp)
		h.Metrics.Ran(claim.Schedule, outcome, begun, h.Now(), did)
		return true, err
	}
	h.Log.Info("run ended", "slot", claim.String(), "merged_away", did.MemoriesMerged, "archived", did.MemoriesArchived, "flagged", did.MemoriesFlagged)
	h.Metrics.Ran(claim.Schedule, outcome, begun, h.Now(), did)
	return true, PlanAll(life, h.DB, claim.Workspace, conf, begun)
}

// consolidate does what a schedule of a workspace asks for, as its settings say. Of schedules that no clock starts it tells when the next session
// will have rested for long enough.
func (h *Hub) consolidate(ctx context.Context, d *sqldisk.Disk, schedule string, conf *config.Settings) (run string, did oplog.Stats, rest time.Time, err error) {
	store := workspace.OpenOn(d)
	store.Derive = app.Deriver
	read, err := settings(store)
	if err != nil {
		return "", did, rest, err
	}
	*conf = read.Settings
	due, ok := clock(*conf, schedule)
	clocked := schedule != counts && schedule != rests
	if !ok && clocked { // it was taken out since
		return "", did, rest, nil
	}
	if err := index(ctx, d, h.Now()); err != nil {
		return "", did, rest, err
	}
	runner := &app.Runner{
		Store: store, Started: h.Now,
		Load: func() (*memory.Snapshot, error) {
			snap, err := store.Load(h.Now().UTC().Truncate(time.Second))
			if err == nil {
				if why := trigger.Held(*conf, len(snap.Memories())); why != "" {
					err = &heldError{why}
				}
			}
			return snap, err
		},
		Result: func(r *workspace.Result) { run = cmp.Or(r.RunID, run) }, Loaded: func(*memory.Snapshot) {},
	}
	if clocked {
		did, err = h.consolidateDue(ctx, runner, store, *conf, due)
	} else {
		did, rest, err = h.consolidateCounts(ctx, runner, store, *conf)
	}
	return run, did, rest, h.unheld(err)
}

// consolidateDue does what is due.
func (h *Hub) consolidateDue(ctx context.Context, runner *app.Runner, store *workspace.FileStore, conf config.Settings, due trigger.Due) (did oplog.Stats, err error) {
	request := rules.Request{Trigger: due.Trigger, Index: due.Index, Settings: conf}
	if request.Secrets, err = app.SecretRules(store, conf); err != nil {
		return did, err
	}
	if due.Trigger == rules.SessionEnd {
		return h.settle(ctx, runner, store, due.Session, request)
	}
	if request.Scope, err = due.Only(); err != nil {
		return did, err
	}
	if due.Task() == trigger.Enrich {
		return h.enrich(ctx, runner, store, request)
	}
	most := 1
	if due.All || due.Trigger == rules.Weekly || due.Trigger == rules.Threshold {
		most = app.MaxRuns
	}
	did, _, err = runner.UntilEmpty(ctx, request, most)
	return did, err
}

// enrich does what the schedule "enrich" asks for, by the rules: the settings of a workspace name servers and keys, and those of this
// machine are not theirs. For the same reason "deep" is a consolidation here.
func (h *Hub) enrich(ctx context.Context, runner *app.Runner, store *workspace.FileStore, request rules.Request) (did oplog.Stats, err error) {
	snap, err := runner.Load()
	if err != nil {
		return did, err
	}
	result, _, err := app.EnrichOnSchedule(ctx, store, store, nil, snap, request.Settings, request.Scope, h.Now())
	if err != nil || result == nil {
		return did, err
	}
	runner.Result(result)
	if result.Entry != nil {
		did = result.Entry.Stats
	}
	return did, nil
}

// unheld is an error, but nil where only the settings keep a run back.
func (h *Hub) unheld(err error) error {
	if held := (*heldError)(nil); errors.As(err, &held) {
		h.Log.Debug("no run", "because", held.why)
		return nil
	}
	return err
}

// heldError says why a workspace has no runs by itself: the slot passes.
type heldError struct{ why string }

func (e *heldError) Error() string { return e.why }

// key names a schedule in the database.
func key(d trigger.Due) string { return strings.TrimSpace(d.Key()) }

// clock finds a schedule by its key.
func clock(c config.Settings, name string) (trigger.Due, bool) {
	for _, d := range trigger.Clocks(c) {
		if key(d) == name {
			return d, true
		}
	}
	return trigger.Due{}, false
}

// later is the slot of a schedule that comes after a moment; none where the schedule is gone.
// Workspaces with the same schedule come one after the other, within a quarter of its period.
func later(ws, name string, c config.Settings, now time.Time) sqldisk.Next {
	due, ok := clock(c, name)
	zone, bad := c.Triggers.Zone(time.UTC)
	if !ok || bad != nil {
		return sqldisk.Next{}
	}
	times := due.Following(now, zone, 2)
	if len(times) < 2 {
		return sqldisk.Next{}
	}
	at := times[0].UTC()
	return sqldisk.Next{Slot: at.Format(time.RFC3339), At: at.Add(sqldisk.Spread(ws, name, min(spread, times[1].Sub(times[0])/4)))}
}

// PlanAll plans the first slot of every schedule of a workspace that has none.
func PlanAll(ctx context.Context, db *sqldisk.DB, ws string, c config.Settings, now time.Time) error {
	planned, err := db.Planned(ctx, ws)
	if err != nil {
		return err
	}
	have := map[string]bool{}
	for _, p := range planned {
		have[p.Schedule] = true
	}
	for _, d := range trigger.Clocks(c) {
		next := later(ws, key(d), c, now)
		if have[key(d)] || next.At.IsZero() {
			continue
		}
		if err := db.Plan(ctx, ws, key(d), next); err != nil {
			return fmt.Errorf("plan the runs of %s: %w", ws, err)
		}
	}
	return nil
}
