package workspace

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/workspace/ops"
)

// What was archived in one part of the log and taken back in the next isn't missed when a person
// removes it; what was archived again after it was taken back is.
func TestCheckFollowsTheParts(t *testing.T) {
	sc := scenario{name: "parts", files: memories("agents/a", 3)}
	m := sc.disk(t)
	s := sc.store(m, 0)
	month := func(n int) time.Time { return day.AddDate(0, n, 0) }
	archive := func(id string, at time.Time) string {
		t.Helper()
		snap, err := s.Load(at)
		if err != nil {
			t.Fatal(err)
		}
		plan := &memory.Plan{At: at, Trigger: "manual", Actions: []memory.Action{archiveOf(snap, id, snap.NewFiles())}}
		plan.Seal(s.Log().Head())
		result, err := s.Commit(t.Context(), &Tx{Plan: plan, Snapshot: snap})
		if err != nil {
			t.Fatal(err)
		}
		return result.RunID
	}
	undo := func(run string, at time.Time) {
		t.Helper()
		if _, err := s.Undo(t.Context(), run, nil, at); err != nil {
			t.Fatal(err)
		}
	}
	undo(archive("a-0", month(0)), month(1))
	undo(archive("a-1", month(1)), month(1))
	archive("a-1", month(2))
	for name := range m.Files() {
		if strings.HasSuffix(name, "/a-0.json") || strings.HasSuffix(name, "/a-1.json") {
			if err := m.Remove(name); err != nil {
				t.Fatal(err)
			}
		}
	}
	if parts, err := ops.LogParts(m, ops.AllParts); err != nil || len(parts) != 3 {
		t.Fatalf("%d parts, %v", len(parts), err)
	}
	snap, err := s.Load(month(2))
	if err != nil {
		t.Fatal(err)
	}
	problems, err := s.Check(snap.At)
	if err != nil {
		t.Fatal(err)
	}
	missed := func(id string) bool {
		return slices.ContainsFunc(problems, func(p memory.Problem) bool { return p.ID == id && strings.Contains(p.Message, "no longer there") })
	}
	if missed("a-0") || !missed("a-1") {
		t.Errorf("found are %v", problems)
	}
}
