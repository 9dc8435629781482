package hub

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/memoryd/memoryd/internal/app"
	"github.com/memoryd/memoryd/internal/mcp"
	"github.com/memoryd/memoryd/pkg/briefing"
	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/recall"
	"github.com/memoryd/memoryd/pkg/workspace"
	"github.com/memoryd/memoryd/pkg/workspace/sqldisk"
)

// room is a workspace that is kept in memory.
type room struct {
	hub  *Hub
	disk *sqldisk.Disk
	turn chan struct{} // held by one request at a time
	used time.Time     // guarded by the lock of the hub

	whole *workspace.FileStore // sees everything; held with the turn

	counted atomic.Int64 // the revision that was looked at for runs that no clock starts

	mu     sync.Mutex
	guests map[string]*guest // by principal
	boards map[string]*board // by principal
}

// room checks a workspace out, or finds it checked out.
func (h *Hub) room(ctx context.Context, ws string) (*room, error) {
	h.mu.Lock()
	r := h.rooms[ws]
	if r != nil {
		r.used = h.Now()
	}
	h.mu.Unlock()
	if r != nil {
		return r, nil
	}
	ctx, cancel := outlasting(ctx)
	defer cancel()
	disk, err := h.DB.Disk(ctx, ws)
	if err != nil {
		return nil, err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if r = h.rooms[ws]; r == nil { // else another request was faster
		h.makeRoom()
		r = &room{hub: h, disk: disk, turn: make(chan struct{}, 1), whole: workspace.OpenOn(disk), guests: map[string]*guest{}, boards: map[string]*board{}}
		disk.AppendLater()
		h.rooms[ws] = r
	}
	r.used = h.Now()
	return r, nil
}

// checkoutTime bounds what goes on though nobody waits for it any more.
const checkoutTime = time.Minute

// outlasting is a context for bringing documents and indexes along: that goes on when the request ends. Who asks again soon, as hooks
// do, finds it done, and a workspace that takes longer than they wait is served all the same.
func outlasting(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), checkoutTime)
}

// makeRoom forgets the workspace that was used least recently, where there are too many. Requests
// that it serves go on.
func (h *Hub) makeRoom() {
	if len(h.rooms) < h.Resident {
		return
	}
	oldest := ""
	for ws, r := range h.rooms {
		if oldest == "" || r.used.Before(h.rooms[oldest].used) {
			oldest = ws
		}
	}
	if err := h.rooms[oldest].close(); err != nil {
		h.Log.Warn("closing a workspace", "workspace", oldest, "error", err)
	}
	delete(h.rooms, oldest)
}

// flush checks in what agents have read, and offers runs that no clock starts, as long as ctx isn't done.
func (h *Hub) flush(ctx context.Context) {
	tick := time.NewTicker(flushEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		h.mu.Lock()
		rooms := slices.Collect(maps.Values(h.rooms))
		h.mu.Unlock()
		for _, r := range rooms {
			if err := r.flush(ctx); err != nil && ctx.Err() == nil {
				h.Log.Warn("what was read is not noted yet", "workspace", r.disk.Workspace(), "error", err)
			}
			if err := h.offerRuns(ctx, r); err != nil && ctx.Err() == nil {
				h.Log.Warn("no run by count or for the end of a session", "workspace", r.disk.Workspace(), "error", err)
			}
		}
	}
}

// flush has its turn like a request.
func (r *room) flush(ctx context.Context) error {
	if !r.disk.Waiting() {
		return nil
	}
	select {
	case r.turn <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-r.turn }()
	return r.disk.Flush()
}

func (r *room) close() (err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, g := range r.guests {
		err = errors.Join(err, g.close())
	}
	r.guests = map[string]*guest{}
	r.endBoards()
	return errors.Join(err, r.disk.Flush())
}

// guest is a principal in a workspace. It is the [workspace.Access] of its store.
type guest struct {
	room    *room
	store   *workspace.FileStore
	handler http.Handler
	close   func() error
	who     atomic.Pointer[sqldisk.Principal] // with what is granted by now
	doing   sqldisk.Access                    // what a change counts as; it and the following are held with the turn
	words   *recall.Searcher                  // of what it may read; nil until it is needed
}

// guest serves a principal.
func (r *room) guest(who sqldisk.Principal) *guest {
	r.mu.Lock()
	defer r.mu.Unlock()
	g := r.guests[who.Name]
	if g != nil {
		g.who.Store(&who)
	} else {
		g = &guest{room: r}
		g.who.Store(&who)
		g.store = workspace.OpenOn(r.disk)
		g.store.Access, g.store.Actor, g.store.Reuse = g, who.Name, true
		g.handler, g.close = g.server(g.store).Handler(r.hub.life)
		r.guests[who.Name] = g
	}
	return g
}

// Name implements [workspace.Access].
func (g *guest) Name() string { return g.who.Load().Name }

// Read implements [workspace.Access].
func (g *guest) Read(s memory.Scope) bool { return g.who.Load().May(sqldisk.Read, s) }

// Write implements [workspace.Access].
func (g *guest) Write(s memory.Scope) bool { return g.who.Load().May(g.doing, s) }

// server is what the principal is offered.
func (g *guest) server(store *workspace.FileStore) *mcp.Server {
	h := g.room.hub
	store.Note = func(text string) { h.Log.Warn(text) }
	return &mcp.Server{
		Open:     func() (*workspace.FileStore, error) { return store, nil },
		Settings: func() (*config.Config, error) { return settings(store) },
		Now:      func() time.Time { return h.Now().UTC().Truncate(time.Second) },
		Started:  h.Now, Log: slog.New(warnings{h.Log.Handler()}), Version: h.Version, Agent: g.who.Load().Name, Owned: true, Gate: g.gate,
		Brief: func(snap *memory.Snapshot, settings config.Settings, who mcp.Asker, request briefing.Request) (briefing.Block, error) {
			block, _, err := app.MakeBlock(snap, g.wordsOf, settings, app.Asker(who), request, nil)
			return block, err
		},
	}
}

// warnings keeps what a library tells of each request out of the log.
type warnings struct{ slog.Handler }

func (w warnings) Enabled(ctx context.Context, l slog.Level) bool {
	return l >= slog.LevelWarn && w.Handler.Enabled(ctx, l)
}

// settings are those of a workspace.
func settings(store *workspace.FileStore) (*config.Config, error) {
	text, err := readSettings(store)
	if err != nil {
		return nil, err
	}
	conf, err := config.Parse(memory.ConfigFile, text)
	if err == nil {
		conf.Promote.Via = config.ViaDirect // nobody would carry a proposal to a branch of git
	}
	return conf, err
}

// readSettings is the text of memory.toml; none where there is no such file.
func readSettings(store *workspace.FileStore) ([]byte, error) {
	text, err := store.Read(memory.ConfigFile)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read settings: %w", err)
	}
	return text, nil
}

// needs says what a tool asks of a principal: an access, in some scope or in all of them. What it
// does to memories of one scope is held against the grants of that scope besides.
var needs = map[string]struct {
	access sqldisk.Access
	all    bool // it shows or changes what no scope limits
}{
	"": {sqldisk.Read, false}, "search": {sqldisk.Read, false}, "get": {sqldisk.Read, false}, "context": {sqldisk.Read, false}, "plan": {sqldisk.Read, false},
	"reason": {sqldisk.Read, false}, "graph": {sqldisk.Read, false}, "clusters": {sqldisk.Read, false},
	"save": {sqldisk.Write, false}, "update": {sqldisk.Write, false}, "forget": {sqldisk.Write, false},
	"review": {sqldisk.Review, false}, "consolidate": {sqldisk.Run, false}, "enrich": {sqldisk.Run, false},
	"history": {sqldisk.Read, true}, "undo": {sqldisk.Run, true},
}

// gate lets a principal use a tool: one request at a time, from what the database holds by then.
func (g *guest) gate(ctx context.Context, tool string) (release func(), err error) {
	h, who := g.room.hub, g.who.Load()
	need, known := needs[tool]
	may := known && who.Somewhere(need.access) && (!need.all || who.Everywhere(need.access) && who.Everywhere(sqldisk.Read))
	if !may {
		h.Metrics.Asked(tool, "forbidden")
		where := "somewhere"
		if need.all {
			where = "everywhere"
		}
		return nil, fmt.Errorf("%s is %w to %s: it takes %s access %s", tool, workspace.ErrForbidden, who.Name, need.access, where)
	}
	release, err = g.room.take(ctx)
	if err != nil {
		h.Metrics.Asked(tool, "failed")
		return nil, err
	}
	g.doing = need.access
	h.Metrics.Asked(tool, "served")
	return release, nil
}

// take waits for the turn of a request, and brings along what others have written.
func (r *room) take(ctx context.Context) (release func(), err error) {
	select {
	case r.turn <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if err := r.refresh(ctx); err != nil {
		<-r.turn
		return nil, err
	}
	return func() { <-r.turn }, nil
}

// refresh brings what others have written along, and the indexes with it.
func (r *room) refresh(ctx context.Context) error {
	ctx, cancel := outlasting(ctx)
	defer cancel()
	if err := r.disk.Refresh(ctx); err != nil {
		return err
	}
	return index(ctx, r.disk, r.hub.Now())
}

// index makes the indexes agree with documents that have come along.
func index(ctx context.Context, d *sqldisk.Disk, now time.Time) error {
	return d.Locally(func() error {
		_, err := workspace.OpenOn(d).Reindex(ctx, now)
		return err
	})
}
