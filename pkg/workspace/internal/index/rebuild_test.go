package index_test

import (
	"strings"
	"testing"
	"time"

	"github.com/memoryd/memoryd/pkg/indexfile"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/workspace/internal/index"
)

var at = time.Date(2026, 3, 11, 14, 30, 0, 0, time.UTC)

func records(t *testing.T, file, doc string) []*memory.Memory {
	t.Helper()
	ms, err := memory.ParseRecords(file, []byte(doc))
	if err != nil {
		t.Fatal(err)
	}
	return ms
}

func lines(ms []*memory.Memory) (all []indexfile.Line, _ error) {
	for _, m := range ms {
		all = append(all, memory.Line(m))
	}
	return all, nil
}

// A scope directory with memories and no index gets one; the archive's says from the log where a memory was.
func TestRebuildMakesMissingIndexes(t *testing.T) {
	live := records(t, "agents/dev/pool.json", `{"id": "pool", "type": "semantic", "content": "The pool has twenty connections."}`)
	gone := records(t, "archive/flaky.json", `{"id": "flaky", "type": "episodic", "content": "The test was flaky."}`)
	log := &oplog.Log{Entries: []oplog.Entry{{RunID: "run-1", Timestamp: at, Actions: []oplog.Action{
		{Type: oplog.Archive, MemoryID: "flaky", From: "agents/dev/flaky.json", Reason: "stale"},
	}}}}
	rebuilt, err := index.Rebuild(memory.NewSnapshot(at, live, gone), lines, func() *oplog.Log { return log }, at)
	if err != nil {
		t.Fatal(err)
	}
	if len(rebuilt) != 2 || rebuilt[0].File != "agents/dev/_index.json" || rebuilt[1].File != "archive/_index.json" {
		t.Fatalf("rebuilt %+v", rebuilt)
	}
	for _, r := range rebuilt {
		if !r.Created || r.Was != nil {
			t.Errorf("%s: created %v, was %q", r.File, r.Created, r.Was)
		}
	}
	if doc := string(rebuilt[0].Doc); !strings.Contains(doc, `"pool"`) || strings.Contains(doc, "flaky") {
		t.Errorf("the agent's index is %s", doc)
	}
	for _, want := range []string{`"flaky"`, `"archived_from": "agents/dev/flaky.json"`, `"archive_reason": "stale"`, `"run_id": "run-1"`} {
		if doc := string(rebuilt[1].Doc); !strings.Contains(doc, want) {
			t.Errorf("the archive's index lacks %s: %s", want, doc)
		}
	}
}

func TestArchiveFields(t *testing.T) {
	listed, err := indexfile.Parse("archive/_index.json", []byte(`{"memories": [{"id": "a"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	log := &oplog.Log{Entries: []oplog.Entry{{RunID: "run-1", Timestamp: at, Actions: []oplog.Action{
		{Type: oplog.Archive, MemoryID: "a", From: "agents/dev/a.json", Reason: "stale"},
		{Type: oplog.Merge, ResultID: "d", SourceIDs: []string{"b"}, Places: map[string]string{"b": "agents/dev/b.json"}},
		{Type: oplog.Promote, ResultID: "e", Places: map[string]string{"c": "agents/dev/c.json"}},
	}}}}
	got := index.ArchiveFields(log, listed)
	if len(got) != 2 || got["a"] != nil {
		t.Fatalf("fields of %v, want those of b and c: a has an entry", got)
	}
	for id, reason := range map[string]string{"b": `"merged into d"`, "c": `"kept as e"`} {
		for _, f := range got[id] {
			if f.Key == "archive_reason" && f.Raw != reason {
				t.Errorf("%s: reason %s, want %s", id, f.Raw, reason)
			}
		}
	}
}
