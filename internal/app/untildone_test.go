package app

import (
	"os"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/rules"
	"github.com/memoryd/memoryd/pkg/workspace"
	"github.com/memoryd/memoryd/pkg/workspace/storetest/random"
)

// Run after run ends where a plan made right after, or a second later, is empty and defers nothing, whatever the limit of a run.
func TestUntilDoneIsDone(t *testing.T) {
	ran := 0
	rapid.Check(t, func(t *rapid.T) {
		dir, err := os.MkdirTemp("", "done")
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(dir)
		files := random.Workspace(t)
		if err := random.Write(dir, files); err != nil {
			t.Fatal(err)
		}
		store, err := workspace.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer store.Close()
		conf, err := config.Parse("memory.toml", []byte(files["memory.toml"]))
		if err != nil {
			t.Fatal(err)
		}
		at := random.At.Add(17 * time.Minute) // between two ages at which a rule begins to hold
		settings := conf.Settings
		settings.Run.Pause = config.Duration{}
		settings.Run.Limit = rapid.IntRange(1, 12).Draw(t, "limit")
		settings.Layers.Enabled = rapid.Bool().Draw(t, "layers")
		settings.Exclude.ConsentUser = rapid.Bool().Draw(t, "consent")
		runner := Runner{
			Store: store, Started: func() time.Time { return time.Time{} }, Result: func(*workspace.Result) {}, Loaded: func(*memory.Snapshot) {},
			Load: func() (*memory.Snapshot, error) { return store.Load(at) },
		}
		request := rules.Request{Trigger: rules.Weekly, Settings: settings}
		last, err := runner.Runs(t.Context(), request, MaxRuns, func(*memory.Plan, *workspace.Result) error { ran++; return nil })
		if err != nil || last == nil || len(last.Deferred)+len(last.DeferredRules) > 0 {
			t.Fatalf("%+v, %v", last, err)
		}
		for _, at := range []time.Time{at, at.Add(time.Second)} {
			snap, err := store.Load(at)
			if err != nil {
				t.Fatal(err)
			}
			plan, err := MakePlan(store, snap, rules.Request{Trigger: rules.Manual, Settings: settings})
			if err != nil {
				t.Fatal(err)
			}
			if !plan.Empty() || len(plan.Deferred)+len(plan.DeferredRules) > 0 {
				t.Fatalf("right after, at %s: %+v, deferred %v %v", at, plan.LogActions(), plan.Deferred, plan.DeferredRules)
			}
		}
	})
	if ran == 0 {
		t.Fatal("nothing was done")
	}
}
