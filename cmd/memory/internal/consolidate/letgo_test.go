package consolidate

import (
	"context"
	"runtime"
	"testing"
	"time"
	"unsafe"
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

// TestRunsLetGo: while a run writes, the snapshots of earlier ones are in memory no more, nor is
// what was read with them, whether they were brought along or each was read from the cache.
func TestRunsLetGo(t *testing.T) {
	t.Run("brought along", func(t *testing.T) { testRunsLetGo(t, true) })
	t.Run("from the cache", func(t *testing.T) { testRunsLetGo(t, false) })
}

func testRunsLetGo(t *testing.T, along bool) {
	dir := t.TempDir()
	writeCopies(t, dir, 600, 60, 1)
	store, err := workspace.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	store.Reuse, store.Derive, store.Racy = along, Deriver, -time.Minute // what is cached is settled, and read from the cache
	at := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	var snaps []weak.Pointer[workspace.Snapshot]
	var texts []weak.Pointer[byte] // an id is a part of what was read with it
	mostSnaps, mostTexts, whenRead := 0, 0, 0
	runner := Runner{
		Store: looking{store, func() {
			runtime.GC()
			mostSnaps, mostTexts = max(mostSnaps, alive(snaps)), max(mostTexts, alive(texts))
		}},
		Started: time.Now, Result: func(*workspace.Result) {},
		Loaded: func(s *workspace.Snapshot) {
			snaps, texts = append(snaps, weak.Make(s)), append(texts, weak.Make(unsafe.StringData(s.ID(0))))
		},
		Load: func() (*workspace.Snapshot, error) {
			runtime.GC()
			whenRead = max(whenRead, alive(texts))
			return store.Load(at)
		},
	}
	if along {
		runner.Reload = func(from *workspace.Snapshot, written []string) *workspace.Snapshot {
			return store.Reload(at, from, written)
		}
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
	if len(snaps) < 5 || mostSnaps != 1 {
		t.Errorf("%d of %d snapshots are there at once", mostSnaps, len(snaps))
	}
	if !along && (mostTexts != 1 || whenRead != 0) {
		t.Errorf("what was read with %d snapshots is there at once while a run writes, with %d while the next reads", mostTexts, whenRead)
	}
}

func alive[T any](all []weak.Pointer[T]) (n int) {
	for _, p := range all {
		if p.Value() != nil {
			n++
		}
	}
	return n
}
