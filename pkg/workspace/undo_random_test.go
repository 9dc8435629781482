package workspace_test

import (
	"context"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/workspace"
	"github.com/memoryd/memoryd/pkg/workspace/storetest"
)

// On any workspace: archive some memories and tag others, undo that, and every
// byte outside ops/ is as it was; undo the undo, and it is as it was after.
func TestUndoOnRandomWorkspaces(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		dir, err := os.MkdirTemp(t.TempDir(), "")
		if err != nil {
			t.Fatal(err)
		}
		if err := storetest.Write(dir, storetest.Workspace(r)); err != nil {
			t.Fatal(err)
		}
		s, err := workspace.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		snap := load(t, s)
		promised := map[string]bool{}
		var actions []workspace.Action
		for _, m := range snap.Memories {
			if m.Locked != "" || len(snap.Find(m.ID)) > 1 {
				continue
			}
			switch rapid.IntRange(0, 2).Draw(r, "what") {
			case 1:
				actions = append(actions, workspace.Action{
					Action: oplog.Action{Type: oplog.Archive, Rule: workspace.RuleManual, MemoryID: m.ID, Reason: "test"},
					Ops:    []workspace.Op{snap.ArchiveOp(m, nil, promised)},
				})
			case 2:
				raw, changed, err := workspace.Retag(m, []string{"undo-me"}, nil, at)
				if err != nil {
					t.Fatal(err)
				}
				if changed {
					actions = append(actions, put(m, string(raw)))
				}
			}
		}
		before := filesOf(t, s, "ops/")
		res := commit(t, s, snap, actions...)
		if res.RunID == "" {
			return
		}
		if len(res.Skipped) > 0 {
			r.Fatalf("skipped: %v", res.Skipped)
		}
		after := filesOf(t, s, "ops/")
		run := res.RunID
		for _, want := range []tree{before, after, before} {
			res, err := s.Undo(context.Background(), run, nil, at)
			if err != nil || len(res.Skipped) > 0 {
				r.Fatalf("undo: %+v %v", res, err)
			}
			run = res.RunID
			if diff := cmp.Diff(want, filesOf(t, s, "ops/")); diff != "" {
				r.Fatal(diff)
			}
		}
	})
}
