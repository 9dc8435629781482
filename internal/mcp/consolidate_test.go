package mcp

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/memoryd/memoryd/pkg/rules"
	"github.com/memoryd/memoryd/pkg/workspace"
)

// A plan leaves behind what the next one can use, and that is the same plan.
func TestPlansAreKept(t *testing.T) {
	dir := sample(t)
	r := roomOf(t, dir, false)
	first, _, err := r.consolidate(t.Context(), consolidateArgs{})
	if err != nil || first.PlanID == "" {
		t.Fatalf("%+v, %v", first, err)
	}
	if _, err := os.Stat(filepath.Join(dir, workspace.CacheFile)); err != nil {
		t.Error(err)
	}
	second, _, err := r.consolidate(t.Context(), consolidateArgs{})
	if err != nil || second.PlanID != first.PlanID {
		t.Errorf("%+v, then %+v, %v", first, second, err)
	}
	if snap, err := r.loaded(t.Context()); err != nil {
		t.Error(err)
	} else if request, err := r.request(""); err != nil || planID(rules.Plan(snap, request)) != first.PlanID {
		t.Errorf("a plan that knows nothing is another one: %v", err)
	}
	done, _, err := r.consolidate(t.Context(), consolidateArgs{Apply: first.PlanID})
	if err != nil || done.Applied == nil || done.Total != first.Total {
		t.Errorf("%+v, %v", done, err)
	}
}
