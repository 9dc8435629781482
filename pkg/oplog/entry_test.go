package oplog

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func score(f float64) *float64 { return &f }
func count(n int) *int         { return &n }

// Each type of action has the members that the format names, in its order.
func TestActionMembers(t *testing.T) {
	for _, test := range []struct {
		action Action
		want   string
	}{
		{
			Action{Type: Merge, Rule: "merge", SourceIDs: []string{"mem_a", "mem_b"}, ResultID: "mem_c", TagOverlap: score(1), ContentSimilarity: score(0.9132)},
			`{"type":"merge","rule":"merge","source_ids":["mem_a","mem_b"],"result_id":"mem_c","tag_overlap":1,"content_similarity":0.9132}`,
		},
		{
			Action{Type: Merge, SourceIDs: []string{"mem_a"}, ResultID: "mem_c", TagOverlap: score(0), FactsKept: count(3), FactsArchived: count(0)},
			`{"type":"merge","source_ids":["mem_a"],"result_id":"mem_c","tag_overlap":0,"facts_kept":3,"facts_archived":0}`,
		},
		{
			Action{Type: Merge, SourceIDs: []string{"mem_a"}, ResultID: "mem_c", Places: map[string]string{"mem_a": "global/notes.json#/entries/2"}},
			`{"type":"merge","source_ids":["mem_a"],"result_id":"mem_c","places":{"mem_a":"global/notes.json#/entries/2"}}`,
		},
		{
			Action{Type: Summarize, MemoryID: "mem_a", CharsBefore: 6201, CharsAfter: 1480, Original: "archive/mem_a.original.json"},
			`{"type":"summarize","memory_id":"mem_a","chars_before":6201,"chars_after":1480,"original":"archive/mem_a.original.json"}`,
		},
		{
			Action{Type: Promote, MemoryID: "mem_a", ResultID: "mem_b", From: "agent:DEV-001", To: "team:development"},
			`{"type":"promote","memory_id":"mem_a","result_id":"mem_b","from":"agent:DEV-001","to":"team:development"}`,
		},
		{
			Action{Type: Archive, MemoryID: "mem_a", Reason: "stale", Digests: map[string]string{"mem_a": "5e88"}},
			`{"type":"archive","memory_id":"mem_a","reason":"stale","digests":{"mem_a":"5e88"}}`,
		},
		{
			Action{Type: Archive, MemoryID: "mem_a", From: "global/mem_a.json", To: "archive/mem_a.json", Reason: "stale"},
			`{"type":"archive","memory_id":"mem_a","from":"global/mem_a.json","to":"archive/mem_a.json","reason":"stale"}`,
		},
		{
			Action{Type: Skip, MemoryID: "mem_a", Reason: "changed_meanwhile", Detail: "edited < 1 min ago & kept"},
			`{"type":"skip","memory_id":"mem_a","reason":"changed_meanwhile","detail":"edited < 1 min ago & kept"}`,
		},
		{
			Action{Type: Review, MemoryIDs: []string{"mem_a", "mem_b"}, Reason: "distinct_facts", Differences: []string{"5432 -> 5433"}},
			`{"type":"review","memory_ids":["mem_a","mem_b"],"reason":"distinct_facts","differences":["5432 -> 5433"]}`,
		},
		{Action{Type: Decide, MemoryIDs: []string{"a", "b"}, Reason: "keep_both"}, `{"type":"decide","memory_ids":["a","b"],"reason":"keep_both"}`},
		{Action{Type: Edit, Rule: "manual", MemoryID: "mem_a"}, `{"type":"edit","rule":"manual","memory_id":"mem_a"}`},
	} {
		raw, err := marshal(&Entry{RunID: "r", Timestamp: time.Unix(0, 0).UTC(), Actions: []Action{test.action}})
		if err != nil {
			t.Fatal(err)
		}
		want := `{"run_id":"r","timestamp":"1970-01-01T00:00:00Z","trigger":"","scope":"","actions":[` + test.want + `],` +
			`"stats":{"memories_merged":0,"memories_summarized":0,"memories_promoted":0,"memories_archived":0,` +
			`"memories_skipped":0,"memories_deferred":0,"memories_flagged":0},"duration_ms":0,"status":"","prev_hash":"","hash":""}`
		if diff := cmp.Diff(want, string(raw)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.action.Type, diff)
		}
	}
}

func TestCount(t *testing.T) {
	got := Count([]Action{
		{Type: Merge, SourceIDs: []string{"a", "b"}, ResultID: "c"},
		{Type: Merge, SourceIDs: []string{"d"}, ResultID: "e"},
		{Type: Summarize, MemoryID: "f"},
		{Type: Promote, MemoryID: "g", ResultID: "h"},
		{Type: Promote, MemoryID: "i", ResultID: "j"},
		{Type: Archive, MemoryID: "k"},
		{Type: Skip, MemoryID: "l"},
		{Type: Skip, MemoryID: "m"},
		{Type: Skip, MemoryID: "n"},
		{Type: Restore, MemoryID: "o"},
		{Type: Edit, MemoryID: "p"},
		{Type: Edit, MemoryID: "q"},
		{Type: Decide, MemoryIDs: []string{"r", "s"}},
		{Type: Review, MemoryIDs: []string{"r", "s"}},
		{Type: Review, MemoryIDs: []string{"r", "t"}},
		{Type: Add, MemoryID: "x"},
		{Type: Add, MemoryID: "y", MemoryIDs: []string{"s", "y"}},
		{Type: "enrich", MemoryID: "u", SourceIDs: []string{"v"}, MemoryIDs: []string{"w"}},
	}, 7)
	want := Stats{
		MemoriesMerged: 3, MemoriesSummarized: 1, MemoriesPromoted: 2, MemoriesArchived: 1, MemoriesSkipped: 3,
		MemoriesDeferred: 7, MemoriesFlagged: 4, MemoriesAdded: 2, MemoriesRestored: 1, MemoriesEdited: 2, MemoriesDecided: 2,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := Count(nil, 0); got != (Stats{}) {
		t.Errorf("Count of nothing = %+v", got)
	}
}
