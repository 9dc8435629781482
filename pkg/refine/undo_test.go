package refine

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/provider"
	"github.com/memoryd/memoryd/pkg/rules"
	"github.com/memoryd/memoryd/pkg/workspace"
	"github.com/memoryd/memoryd/pkg/workspace/memdisk"
)

// Whatever a model says and a run does with it, undo gives every byte back. "make harness" tries it 20,000 times.
func TestUndoAfterRandomAnswers(t *testing.T) {
	tried, undone := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		tried++
		d := memdisk.New()
		for i, record := range randomRecords(t) {
			if err := d.Put(fmt.Sprintf("global/m%d.json", i), []byte(record)); err != nil {
				t.Fatal(err)
			}
		}
		store := workspace.OpenOn(d)
		if _, err := store.Reindex(context.Background(), at); err != nil {
			t.Fatal(err)
		}
		before := memories(d)
		snap, err := store.Load(at)
		if err != nil {
			t.Fatal(err)
		}
		f := refiner(func(r provider.Request) (string, error) { return randomAnswer(t, r), nil }, "guarded")
		f.Request.LogHead = store.Log().Head()
		plan, _, err := f.Refine(context.Background(), snap, &memory.Plan{At: at, Trigger: rules.Manual})
		if err != nil {
			t.Fatal(err)
		}
		plan.Seal(store.Log().Head())
		result, err := store.Commit(context.Background(), &workspace.Tx{Plan: plan, Snapshot: snap})
		if err != nil {
			t.Fatal(err)
		}
		if result.Entry != nil {
			undone++
			if result, err := store.Undo(context.Background(), plan.RunID, nil, at.AddDate(0, 0, 1)); err != nil || len(result.Skipped) > 0 {
				t.Fatalf("undo: %+v %v", result, err)
			}
		}
		if diff := cmp.Diff(before, memories(d)); diff != "" {
			t.Fatalf("undo left:\n%s", diff)
		}
		if problems, err := store.Check(at); err != nil || len(problems) > 0 {
			t.Fatalf("check: %+v %v", problems, err)
		}
	})
	if undone == 0 {
		t.Error("nothing was undone: that proves nothing")
	}
	t.Logf("%d of %d runs undone", undone, tried)
}

// memories are the files of a disk that hold memories and their indexes, and the review queue.
func memories(d *memdisk.Disk) map[string]string {
	files := maps.Clone(d.Files())
	maps.DeleteFunc(files, func(name, _ string) bool {
		return strings.HasPrefix(name, "ops/") && name != memory.ReviewFile
	})
	return files
}
