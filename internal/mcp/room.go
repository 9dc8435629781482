package mcp

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/memoryd/memoryd/internal/app"
	"github.com/memoryd/memoryd/internal/document"
	"github.com/memoryd/memoryd/internal/live"
	"github.com/memoryd/memoryd/internal/op/commit"
	"github.com/memoryd/memoryd/internal/op/find"
	"github.com/memoryd/memoryd/internal/op/saving"
	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/workspace"
)

// room is the workspace as all requests share it.
type room struct {
	now      func() time.Time
	started  func() time.Time // when a run begins; zero where the clock stands still
	meanings *app.Embeddings
	settings func() (*config.Config, error)
	log      *slog.Logger
	agent    string // that the environment names
	project  string
	owned    bool   // the agent writes memories, whatever a call says
	life     string // names the life of the server: what is used counts for it where no session is known
	brief    Brief
	crossed  func(config.Settings, *memory.Snapshot, memory.Draft, document.Saved) error
	session  func(begin bool) (string, error)

	opening sync.Mutex
	store   *workspace.FileStore // nil until there is one; likewise live
	live    *live.Workspace

	words  live.Words    // for searching
	said   *saving.Index // what memories say, for saving; guarded by the lock of live
	saidBy config.Settings
}

// open makes sure that there is a store. Nothing else is called before.
func (r *room) open(open func() (*workspace.FileStore, error)) error {
	r.opening.Lock()
	defer r.opening.Unlock()
	if r.store != nil {
		return nil
	}
	store, err := open()
	if err != nil {
		return &failure{what: err.Error(), todo: `If the project has no memory folder yet, a person makes one with "memory init"; the next call finds it.`, cause: err}
	}
	r.store = store
	if r.words.Log = r.log; store.Dir() == "" { // it lies in memory, and may be one of several views of it
		r.live = live.New(store, r.now, live.Unheard{})
		return nil
	}
	r.live, r.words.Cache = live.New(store, r.now, live.Listen(store, r.log)), store.Cache()
	return nil
}

func (r *room) close() error {
	r.opening.Lock()
	defer r.opening.Unlock()
	if r.store == nil {
		return nil
	}
	return r.live.Close()
}

// view is the workspace as it is now: as it was last loaded, with what has changed
// since.
func (r *room) view(ctx context.Context) (*memory.Snapshot, error) {
	return r.live.View(ctx)
}

// viewOf is a view in which some memories can be read. A snapshot has the bytes of
// those that were asked for before; others may have changed since.
func (r *room) viewOf(ctx context.Context, ids ...string) (*memory.Snapshot, error) {
	snap, err := r.view(ctx)
	for try := 1; err == nil; try++ {
		err = readable(snap, ids...)
		if err == nil || try == 3 {
			return snap, err
		}
		snap, err = r.loaded(ctx)
	}
	return nil, err
}

// readable is the error that one of the memories has changed since it was loaded.
func readable(snap *memory.Snapshot, ids ...string) error {
	for _, id := range ids {
		for _, m := range snap.Find(id) {
			if err := find.Readable(m); err != nil {
				return err
			}
		}
	}
	return nil
}

// loaded is the workspace read as a whole: with what is below ops/, and with changes that were not reported.
func (r *room) loaded(ctx context.Context) (*memory.Snapshot, error) {
	return r.live.Load(ctx, r.now())
}

// commit makes actions true that were made from what read gives, one request after the
// other; plan may return none.
func (r *room) commit(ctx context.Context, read reader, plan func(*memory.Snapshot) ([]memory.Action, error)) (*workspace.Result, error) {
	return r.transact(ctx, read, func(snap *memory.Snapshot) (*workspace.Tx, error) {
		actions, err := plan(snap)
		if err != nil || len(actions) == 0 {
			return nil, err
		}
		return commit.Tx(snap, r.store.Log(), r.started(), writer(ctx), actions), nil
	})
}

// reader gives a workspace for writing: what it holds is compared again when that happens.
type reader func(context.Context) (*memory.Snapshot, error)

// transact reads and commits. With no transaction there is no result. It is an error if nothing came of it.
func (r *room) transact(ctx context.Context, read reader, make func(*memory.Snapshot) (*workspace.Tx, error)) (*workspace.Result, error) {
	result, err := r.live.Transact(ctx, read, make)
	if err == nil {
		err = commit.Nothing(result)
	}
	if err != nil {
		return nil, err
	}
	return result, nil
}

// config are the settings as they are now.
func (r *room) config() (config.Settings, error) {
	conf, err := r.settings()
	if err != nil {
		return config.Settings{}, fmt.Errorf("the settings of the workspace can't be read: %w", err)
	}
	return conf.Settings, nil
}
