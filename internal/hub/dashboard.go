package hub

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/memoryd/memoryd/internal/app"
	"github.com/memoryd/memoryd/internal/document"
	"github.com/memoryd/memoryd/internal/web"
	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/enrich"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/rules"
	"github.com/memoryd/memoryd/pkg/timestamp"
	"github.com/memoryd/memoryd/pkg/trigger"
	"github.com/memoryd/memoryd/pkg/workspace"
	"github.com/memoryd/memoryd/pkg/workspace/sqldisk"
)

// board is the dashboard of a workspace for a principal with certain grants. Other grants have another one: what a page has worked out or
// keeps was made of what might be read then. It is the [workspace.Access] of its store, and the [web.Guest] of its server.
type board struct {
	room   *room
	who    sqldisk.Principal
	doing  sqldisk.Access // what a change counts as; held with the turn
	store  *workspace.FileStore
	server *web.Server
}

// visit finds what a token lets in to.
func (h *Hub) visit(ctx context.Context, ws, token string) (*web.Visit, error) {
	identity, err := h.identify(ctx, ws, token)
	if errors.Is(err, sqldisk.ErrToken) {
		h.Metrics.Asked("", "unauthorized")
		return nil, fmt.Errorf("%w: %w", web.ErrSignedOut, err)
	}
	if err != nil {
		return nil, err
	}
	return &web.Visit{Workspace: ws, Until: identity.until, Server: func(ctx context.Context) (*web.Server, error) {
		who, err := identity.now(ctx)
		if errors.Is(err, sqldisk.ErrToken) {
			return nil, fmt.Errorf("%w: %w", web.ErrSignedOut, err)
		}
		if err != nil {
			return nil, err
		}
		room, err := h.room(ctx, ws)
		if err != nil {
			return nil, err
		}
		return room.board(who).server, nil
	}}, nil
}

// board finds the dashboard of a principal, or makes one.
func (r *room) board(who sqldisk.Principal) *board {
	r.mu.Lock()
	defer r.mu.Unlock()
	b := r.boards[who.Name]
	if b != nil && slices.Equal(b.who.Grants, who.Grants) {
		return b
	}
	if b != nil {
		b.server.End()
	}
	b = &board{room: r, who: who, store: workspace.OpenOn(r.disk)}
	h := r.hub
	b.store.Access, b.store.Actor, b.store.Derive = b, who.Name, app.Deriver
	b.store.Note = func(text string) { h.Log.Warn(text) }
	b.server = web.New(web.Options{
		Store: b.store, Name: r.disk.Workspace(), SignedIn: who.Name, Guest: b, Log: h.Log, Version: h.Version, Clock: h.Now, Started: h.Now,
		Now:      func() time.Time { return h.Now().UTC().Truncate(time.Second) },
		Settings: func() (*config.Config, error) { return settings(b.store) },
		Watched:  func() (*document.Watch, error) { return &document.Watch{Running: h.Workers > 0}, nil },
		Schedule: b.schedule, SetSetting: b.setSetting,
	}, h.boards)
	r.boards[who.Name] = b
	return b
}

// endBoards ends the dashboards of a workspace. The lock is held.
func (r *room) endBoards() {
	for _, b := range r.boards {
		b.server.End()
	}
	r.boards = map[string]*board{}
}

// endFeeds ends the connections that browsers keep open.
func (h *Hub) endFeeds() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, r := range h.rooms {
		r.mu.Lock()
		r.endBoards()
		r.mu.Unlock()
	}
}

// Name implements [workspace.Access].
func (b *board) Name() string { return b.who.Name }

// Read implements [workspace.Access].
func (b *board) Read(s memory.Scope) bool { return b.who.May(sqldisk.Read, s) }

// Write implements [workspace.Access].
func (b *board) Write(s memory.Scope) bool { return b.who.May(b.doing, s) }

// May implements [web.Guest].
func (b *board) May(n web.Need) bool {
	if n.Everywhere {
		return b.who.Everywhere(sqldisk.Access(n.Access))
	}
	return b.who.Somewhere(sqldisk.Access(n.Access))
}

// Begin implements [web.Guest]: a request that changes something has its turn, as one of an agent has. One that reads goes on
// beside others; what it reads is as the database has it when it begins, or newer.
func (b *board) Begin(ctx context.Context, n web.Need, writes bool) (end func(), err error) {
	release, err := b.room.take(ctx)
	if err != nil {
		b.room.hub.Metrics.Asked("dashboard", "failed")
		return nil, err
	}
	b.room.hub.Metrics.Asked("dashboard", "served")
	if !writes {
		release()
		return func() {}, nil
	}
	b.doing = sqldisk.Access(n.Access)
	return release, nil
}

// Refresh implements [web.Guest].
func (b *board) Refresh(ctx context.Context) error {
	release, err := b.room.take(ctx)
	if err == nil {
		release()
	}
	return err
}

// schedule lists the slots to come, as the database has them.
func (b *board) schedule(ctx context.Context, snap *memory.Snapshot, would bool) (*document.Schedule, error) {
	h, ws := b.room.hub, b.room.disk.Workspace()
	conf, err := settings(b.store)
	if err != nil {
		return nil, err
	}
	zone, err := conf.Triggers.Zone(time.UTC)
	if err != nil {
		return nil, err
	}
	all, err := h.DB.Planned(ctx, ws)
	if err != nil {
		return nil, err
	}
	failures, err := h.DB.Failures(ctx, ws)
	if err != nil {
		return nil, err
	}
	failed := map[string]sqldisk.Failure{}
	for _, f := range slices.Backward(failures) {
		failed[f.Schedule] = f
	}
	planned := map[string]sqldisk.Planned{}
	for _, p := range all {
		planned[p.Schedule] = p
	}
	doc := &document.Schedule{Zone: zone.String(), Watched: h.Workers > 0, Held: trigger.Held(conf.Settings, len(snap.Memories())), Runs: []document.ScheduledRun{}}
	for _, d := range trigger.Clocks(conf.Settings) {
		p, ok := planned[key(d)]
		if !ok {
			p.At = later(ws, key(d), conf.Settings, snap.At).At
		}
		if p.At.IsZero() {
			continue
		}
		run := document.ScheduledRun{Trigger: d.Trigger, Name: d.Name, Scope: d.Scope, At: &p.At, On: d.Schedule}
		if f, ok := failed[key(d)]; p.Error != "" {
			run.On += "; failed last: " + p.Error
		} else if ok {
			run.On += fmt.Sprintf("; failed %s, done since: %s", timestamp.Format(f.At), f.Error)
		}
		if would {
			if run.Would, err = b.wouldDo(ctx, snap, conf.Settings, d); err != nil {
				return nil, err
			}
		}
		doc.Runs = append(doc.Runs, run)
	}
	slices.SortStableFunc(doc.Runs, func(a, b document.ScheduledRun) int { return a.At.Compare(*b.At) })
	return doc, nil
}

// wouldDo is the outcome of a run that began now, on what the principal may read.
func (b *board) wouldDo(ctx context.Context, snap *memory.Snapshot, conf config.Settings, d trigger.Due) (did oplog.Stats, err error) {
	request := rules.Request{Trigger: d.Trigger, Settings: conf, LogHead: b.store.Log().Head(), Progress: func(int, int) error { return ctx.Err() }}
	if request.Secrets, err = app.SecretRules(b.store, conf); err != nil {
		return did, err
	}
	if request.Scope, err = d.Only(); err != nil {
		return did, err
	}
	if d.Task() == trigger.Enrich {
		planned, err := app.PlanEnrichment(ctx, b.store, snap, enrich.Request{Settings: conf, Scope: request.Scope})
		if err != nil {
			return did, err
		}
		return planned.Plan.Stats(), nil
	}
	plan, err := app.MakePlan(b.store, snap, request)
	if err != nil {
		return did, err
	}
	return plan.Stats(), nil
}

// setSetting changes memory.toml, with the turn held, and plans the slots that follow from it.
func (b *board) setSetting(name, value string, write bool) (before, after []byte, err error) {
	before, err = readSettings(b.store)
	if err != nil {
		return nil, nil, err
	}
	after, err = b.room.hub.SetSetting(before, name, value)
	if err != nil || !write || bytes.Equal(before, after) {
		return before, after, err
	}
	release, err := b.room.disk.TryLock(memory.LockFile, "change "+name)
	if err != nil {
		return nil, nil, err
	}
	if now, err := readSettings(b.store); err != nil || !bytes.Equal(now, before) {
		return nil, nil, errors.Join(err, release(), errors.New("memory.toml was changed by somebody else just now: look at the change again"))
	}
	if err := errors.Join(b.room.disk.Put(memory.ConfigFile, after), release()); err != nil {
		return nil, nil, err
	}
	return before, after, b.replan(name)
}

// replan plans the schedule of a setting again.
func (b *board) replan(setting string) error {
	h, ws := b.room.hub, b.room.disk.Workspace()
	conf, err := settings(b.store)
	if err != nil {
		return err
	}
	for _, d := range trigger.Clocks(conf.Settings) {
		if setting == "triggers.weekly" && d.Trigger == rules.Weekly || setting == "schedules."+d.Name {
			if next := later(ws, key(d), conf.Settings, h.Now()); !next.At.IsZero() {
				err = errors.Join(err, h.DB.Plan(h.life, ws, key(d), next))
			}
		}
	}
	return err
}
