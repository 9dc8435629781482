package consolidate

import (
	"context"
	"runtime"
	"testing"
	"time"
	"weak"

	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/rules"
	"github.com/memoryd/memoryd/pkg/workspace"
)

// looking calls look before it commits.
type looking struct {
	*workspace.FileStore
	look func()
}

func (l looking) Commit(ctx context.Context, tx *workspace.Tx) (*workspace.Result, error) {
	l.look()
	return l.FileStore.Commit(ctx, tx)
}

// TestRunsLetGo: while a run writes, the snapshots of earlier ones are in memory no more.
func TestRunsLetGo(t *testing.T) {
	dir := t.TempDir()
	writeCopies(t, dir, 600, 60, 1)
	store, err := workspace.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	store.Reuse, store.Derive = true, Deriver
	at := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	var snaps []weak.Pointer[workspace.Snapshot]
	most := 0
	runner := Runner{
		Store: looking{store, func() {
			runtime.GC()
			there := 0
			for _, s := range snaps {
				if s.Value() != nil {
					there++
				}
			}
			most = max(most, there)
		}},
		Started: time.Now, Result: func(*workspace.Result) {},
		Loaded: func(s *workspace.Snapshot) { snaps = append(snaps, weak.Make(s)) },
		Load:   func() (*workspace.Snapshot, error) { return store.Load(at) },
		Reload: func(from *workspace.Snapshot, written []string) *workspace.Snapshot {
			return store.Reload(at, from, written)
		},
	}
	settings := config.Default()
	settings.Run.Pause = config.Duration{}
	for range 1000 {
		plan, _, err := runner.Once(t.Context(), rules.Request{Settings: settings}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if plan.Empty() {
			break
		}
	}
	if len(snaps) < 5 || most != 1 {
		t.Errorf("%d of %d snapshots are there at once", most, len(snaps))
	}
}
