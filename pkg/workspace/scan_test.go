package workspace

import (
	"errors"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/memoryd/memoryd/pkg/internal/durable/faultfs"
	"github.com/memoryd/memoryd/pkg/memory"
)

// scattered is a disk with n memories in directories of every size.
func scattered(t *testing.T, n int) *faultfs.Mem {
	t.Helper()
	files := map[string]string{}
	for i := range n {
		id := fmt.Sprintf("m%04d", i)
		files[fmt.Sprintf("agents/a%d/%s.json", i%7*i%5, id)] = record(id, "text of "+id)
	}
	files["agents/a0/broken.json"] = "{"
	files["agents/a0/_memory.json"] = `{"agent_id": "a0", "team": "qa"}`
	files["archive/old.json"] = record("old", "text of old")
	sc := scenario{name: t.Name(), files: files}
	return sc.disk(t)
}

// What a snapshot holds doesn't depend on how many read.
func TestParallelReading(t *testing.T) {
	disk := scattered(t, 1000)
	var first *memory.Snapshot
	for _, parallel := range []int{1, 2, 8, 64} {
		s := newStore(disk, "mem")
		s.parallel = parallel
		last := 0
		s.Progress = func(done, total int) error {
			if last = done; total != 1003 || done > total {
				t.Errorf("%d of %d files", done, total)
			}
			return nil
		}
		snap, err := s.Load(day)
		if err != nil {
			t.Fatal(err)
		}
		if last != 1003 || len(snap.Memories()) != 1000 || len(snap.Archived()) != 1 || len(snap.Problems) != 1 || snap.Teams["a0"] != "qa" {
			t.Errorf("%d readers: %d files, %d and %d memories, problems %v, teams %v", parallel, last, len(snap.Memories()), len(snap.Archived()), snap.Problems, snap.Teams)
		}
		if first == nil {
			first = snap
		}
		var got, want []memory.Ref
		for i := range snap.Memories() {
			got, want = append(got, snap.Memories()[i].Ref), append(want, first.Memories()[i].Ref)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%d readers give another order:\n%s", parallel, diff)
		}
	}
}

// Reading ends soon after it is told to.
func TestReadingIsInterrupted(t *testing.T) {
	enough := errors.New("enough")
	var reads atomic.Int64
	s := newStore(&faultfs.Hook{FS: scattered(t, 2000), Before: func(step faultfs.Step) error {
		if step.Op == "read" {
			reads.Add(1)
		}
		return nil
	}}, "mem")
	s.Progress = func(done, _ int) error {
		if done > 300 {
			return enough
		}
		return nil
	}
	if _, err := s.Load(day); !errors.Is(err, enough) {
		t.Errorf("got %v", err)
	}
	if n := reads.Load(); n > 300+128*int64(s.parallel+1) {
		t.Errorf("%d files read", n)
	}
}
