package cli

import (
	"errors"
	"io/fs"
	"strings"
	"time"

	"github.com/memoryd/memoryd/internal/app"
	"github.com/memoryd/memoryd/internal/document"
	"github.com/memoryd/memoryd/internal/fail"
	"github.com/memoryd/memoryd/internal/printer"
	"github.com/memoryd/memoryd/internal/watch"
	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/enrich"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/rules"
	"github.com/memoryd/memoryd/pkg/trigger"
	"github.com/memoryd/memoryd/pkg/workspace"
	"github.com/memoryd/memoryd/pkg/workspace/ops"
)

func scheduleCommand() *command {
	return &command{
		purpose: "list which runs start automatically, when, and what they would do",
		detail: `What a run would do is shown as of now. Times of day are in the time zone
triggers.timezone, or else in that of the machine. Runs start automatically
while "memory watch" is running. A run missed while the watcher was down runs when
it next starts.`,
		example: "memory schedule",
		needs:   needsSettings | needsSnapshot, run: runSchedule,
	}
}

func runSchedule(c *call) error {
	doc, zone, err := scheduleDocument(c, c.conf, c.snap, true, c.comparing)
	if err != nil {
		return err
	}
	if c.JSON {
		return c.PrintJSON(doc)
	}
	printer.Schedule(&c.Printer, c.at, doc, zone)
	return nil
}

// scheduleDocument lists the runs to come as of a snapshot, and the zone of their times.
func scheduleDocument(c *call, conf *config.Config, snap *memory.Snapshot, plan bool, progress func(done, total int) error) (*document.Schedule, *time.Location, error) {
	state, err := triggerState(c.store)
	if err != nil {
		return nil, nil, err
	}
	holder, err := c.store.Ops().Watched()
	if err != nil {
		return nil, nil, err
	}
	facts, err := watch.FactsOf(c.store, snap, conf.Triggers)
	if err != nil {
		return nil, nil, err
	}
	zone, err := conf.Triggers.Zone(time.Local)
	if err != nil {
		return nil, nil, err
	}
	next, err := trigger.Upcoming(conf.Settings, state, facts, snap.At, zone)
	if err != nil {
		return nil, nil, err
	}
	name, _ := snap.At.In(zone).Zone()
	if conf.Triggers.Timezone != config.LocalZone {
		name = zone.String()
	}
	doc := &document.Schedule{Zone: name, Watched: holder != "", Held: trigger.Held(conf.Settings, facts.Memories), Runs: []document.ScheduledRun{}}
	would := map[string]oplog.Stats{}
	for _, n := range next {
		what := strings.Join([]string{n.Trigger, string(n.Task()), n.Scope, n.Session}, "\x00")
		if _, ok := would[what]; !ok && plan {
			if would[what], err = wouldDo(c, snap, conf, facts, n.Due, progress); err != nil {
				return nil, nil, err
			}
		}
		s := document.ScheduledRun{Trigger: n.Trigger, Name: n.Name, Scope: n.Scope, On: n.On, Would: would[what]}
		if !n.At.IsZero() {
			s.At = &n.At
		}
		doc.Runs = append(doc.Runs, s)
	}
	return doc, zone, nil
}

// wouldDo is the fail.Outcome of a run that began now.
func wouldDo(c *call, snap *memory.Snapshot, conf *config.Config, facts trigger.Facts, d trigger.Due, progress func(done, total int) error) (oplog.Stats, error) {
	secret, err := secretRules(c)
	if err != nil {
		return oplog.Stats{}, err
	}
	request := rules.Request{Trigger: d.Trigger, Settings: conf.Settings, Secrets: secret, LogHead: c.store.Log().Head(), Progress: progress}
	switch {
	case d.Trigger == rules.SessionEnd && d.Session == "":
		return oplog.Stats{}, nil // of a session that goes on
	case d.Trigger == rules.SessionEnd:
		ending, ok := facts.Ending(conf.Triggers, d.Session, snap.At)
		if !ok {
			return oplog.Stats{}, nil
		}
		request.Ending = ending
	default:
		if request.Scope, err = d.Only(); err != nil {
			return oplog.Stats{}, err
		}
	}
	if d.Task() == trigger.Enrich { // no model is asked
		planned, err := app.PlanEnrichment(c.ctx, c.store, snap, enrich.Request{Settings: conf.Settings, Scope: request.Scope})
		if err != nil {
			return oplog.Stats{}, err
		}
		return planned.Plan.Stats(), nil
	}
	plan, err := app.MakePlan(c.store, snap, request)
	if err != nil {
		return oplog.Stats{}, err
	}
	return plan.Stats(), nil
}

// triggerState reads what the triggers are done with.
func triggerState(store *workspace.FileStore) (trigger.State, error) {
	doc, err := store.Read(ops.TriggersFile)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return trigger.State{}, err
	}
	state, err := trigger.ParseState(doc)
	if err != nil {
		return state, fail.WithHint(err, "remove "+ops.TriggersFile+": no trigger is owed anything from before then")
	}
	return state, nil
}

// watched asks the lock whether a process watches, and its report what it has seen.
func watched(store *workspace.FileStore) (*document.Watch, error) {
	holder, err := store.Ops().Watched()
	if err != nil {
		return nil, err
	}
	d := &document.Watch{Running: holder != "", Holder: holder}
	r, err := watch.ReadReport(store)
	if err != nil || r == nil {
		return d, err
	}
	known := func(t time.Time) *time.Time {
		if t.IsZero() {
			return nil
		}
		return &t
	}
	d.Stale = d.Running && r.Stale(clock())
	d.PID, d.Started, d.Following, d.LastRun = r.PID, known(r.Started), r.Following, r.LastRun
	d.LastEvent, d.Compared, d.Full = known(r.LastEvent), known(r.Compared), known(r.Full)
	return d, nil
}
