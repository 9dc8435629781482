package memory_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/memoryd/memoryd/pkg/memory"
)

func TestGroupSkips(t *testing.T) {
	skips := []memory.Skip{
		{MemoryID: "b", Rule: "merge", Reason: "user"},
		{MemoryID: "a", Rule: "merge", Reason: "recent"},
		{MemoryID: "b", Rule: "expired", Reason: "user"},
		{MemoryID: "b", Rule: "expired", Reason: "recent"},
		{MemoryID: "c", Rule: "expired", Reason: "user"},
	}
	want := []memory.SkipGroup{{"user", []string{"b", "c"}}, {"recent", []string{"a", "b"}}}
	if diff := cmp.Diff(want, memory.GroupSkips(skips)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(map[string]int{"user": 2, "recent": 2}, memory.CountSkips(skips)); diff != "" {
		t.Error(diff)
	}
	if n := memory.CountSkips(nil); n == nil || len(n) > 0 {
		t.Errorf("no skips are counted as %v, want an empty map", n)
	}
}

// Groups hold each pair of memory and reason once, and no other.
func TestGroupSkipsHoldsEachOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.SampledFrom([]string{"", "a", "b", "c d", "c", "d"})
		skips := rapid.SliceOf(rapid.Custom(func(t *rapid.T) memory.Skip {
			return memory.Skip{MemoryID: word.Draw(t, "id"), Rule: word.Draw(t, "rule"), Reason: word.Draw(t, "reason")}
		})).Draw(t, "skips")
		want, n := map[[2]string]bool{}, 0
		for _, s := range skips {
			want[[2]string{s.MemoryID, s.Reason}] = true
		}
		for _, g := range memory.GroupSkips(skips) {
			for _, id := range g.IDs {
				if n++; !want[[2]string{id, g.Reason}] {
					t.Fatalf("%q is in the group %q, and was not skipped for that", id, g.Reason)
				}
			}
			if ids := slices.Compact(slices.Sorted(slices.Values(g.IDs))); len(ids) != len(g.IDs) {
				t.Fatalf("a memory is twice in the group %q: %q", g.Reason, g.IDs)
			}
		}
		if n != len(want) {
			t.Fatalf("%d memories in groups, want %d", n, len(want))
		}
	})
}
