package workspace_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/memoryd/memoryd/pkg/memory"
)

func reindex(t testing.TB, files tree) (after tree, changed map[string]int) {
	t.Helper()
	s := open(t, files)
	res, err := s.Reindex(context.Background(), at)
	if err != nil {
		t.Fatal(err)
	}
	changed = map[string]int{}
	for _, r := range res {
		changed[r.File] = len(r.Changes)
	}
	again, err := s.Reindex(context.Background(), at)
	if err != nil || len(again) != 0 {
		t.Errorf("a second reindex must change nothing: %v %v", again, err)
	}
	clean(t, s)
	return filesOf(t, s), changed
}

func TestReindexKeepsEachShape(t *testing.T) {
	mem := func(id string) string {
		return `{"id":"` + id + `","type":"semantic","tags":["T1","t2"],"priority":"high","created_at":"2026-01-02T03:04:05Z","updated_at":"2026-01-03T03:04:05Z","content":{"summary":"says ` + id + `"}}`
	}
	cases := []struct {
		name          string
		before, after string
	}{
		{"bare entries", `{"entries":[]}`, `{"entries":[{"id":"a","type":"semantic","tags":["T1","t2"],"summary":"says a","priority":"high","created_at":"2026-01-02T03:04:05Z","updated_at":"2026-01-03T03:04:05Z","file_path":"a.json"}]}`},
		{
			"memories, file, count, unknown keys",
			`{"owner": "x", "memory_count": 2, "memories": [{"id": "a", "file": "elsewhere.json", "mine": 1e2}, {"id": "gone", "file": "gone.json"}], "tail": [1]}`,
			`{"owner": "x", "memory_count": 1, "memories": [{"id": "a", "file": "a.json", "mine": 1e2}], "tail": [1]}`,
		},
		{
			"path leading out", `{"version":"1.0","entries":[{"id":"a","path":"../../etc/passwd"}]}`,
			`{"version":"1.0","entries":[{"id":"a","path":"a.json"}]}`,
		},
		{
			"summary by hand stays unless the memory states one", `{"entries":[{"id":"a","summary":"by hand","file_path":"a.json"}]}`,
			`{"entries":[{"id":"a","summary":"says a","file_path":"a.json"}]}`,
		},
		{
			"repeated entry", `{"entries":[{"id":"a","file_path":"a.json"},{"id":"a","file_path":"a.json"}]}`,
			`{"entries":[{"id":"a","file_path":"a.json"}]}`,
		},
		{
			"lookups", `{"last_updated":null,"entries":[{"id":"a","type":"x","tags":["old"],"file_path":"a.json"}],"tag_index":{"old":["a"]},"type_index":{"x":["a"]}}`,
			`{"last_updated":"2026-03-01T09:00:00Z","entries":[{"id":"a","type":"semantic","tags":["T1","t2"],"file_path":"a.json"}],"tag_index":{"t1":["a"],"t2":["a"]},"type_index":{"semantic":["a"]}}`,
		},
		{"agrees already", `{ "entries" : [ {"id":"a", "tags": ["t2","t1"], "file_path":"a.json"} ] }`, `{ "entries" : [ {"id":"a", "tags": ["t2","t1"], "file_path":"a.json"} ] }`},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			after, _ := reindex(t, tree{"global/a.json": mem("a"), "global/_index.json": c.before})
			if diff := cmp.Diff(c.after, after["global/_index.json"]); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestReindexCreatesMissingOnes(t *testing.T) {
	after, changed := reindex(t, tree{
		"teams/qa/a.json":          `{"id":"a",` + rec + `}`,
		"agents/A/list.json":       `{"entries":[{"id":"b",` + rec + `},{"id":"c",` + rec + `}]}`,
		"agents/A/sub/_index.json": `{"entries":[]}`,
		"agents/A/sub/d.json":      `{"id":"d",` + rec + `}`,
		"archive/old.json":         `{"id":"old",` + rec + `}`,
		"long-term/l.json":         `{"id":"l",` + rec + `}`,
		"projects/_index.json":     `{"projects":[]}`,
		"projects/p/e.json":        `{"id":"e",` + rec + `}`,
	})
	for name, n := range map[string]int{"teams/qa": 1, "agents/A": 2, "agents/A/sub": 1, "archive": 1, "projects/p": 1} {
		if changed[name+"/_index.json"] != n {
			t.Errorf("%s: want %d changes, got %v", name, n, changed)
		}
	}
	if after["projects/_index.json"] != `{"projects":[]}` || after["long-term/_index.json"] != "" {
		t.Error("an index of another kind, and a directory that is no scope, stay as they are")
	}
	if !strings.Contains(after["agents/A/_index.json"], `"json_path": "/entries/1"`) {
		t.Errorf("place in a collection: %s", after["agents/A/_index.json"])
	}
}

// An entry that holds content may be the only copy of it.
func TestReindexNeverDropsContent(t *testing.T) {
	index := `{"entries":[{"id":"only","content":"nowhere else"}]}`
	s := open(t, tree{"global/_index.json": index})
	if _, err := s.Reindex(context.Background(), at); err != nil {
		t.Fatal(err)
	}
	if got := filesOf(t, s)["global/_index.json"]; got != index {
		t.Errorf("changed to %s", got)
	}
}

func TestCommitBringsIndexesAlong(t *testing.T) {
	s := open(t, tree{
		"long-term/l.json":   `{"entries":[{"id":"a",` + rec + `},{"id":"b",` + rec + `},{"id":"c",` + rec + `}]}`,
		"_index.json":        `{"entries":[]}`,
		"global/x.json":      `{"id":"x",` + rec + `}`,
		"global/_index.json": `{"version":"1.0","entries":[]}`,
	})
	if _, err := s.Reindex(context.Background(), at); err != nil {
		t.Fatal(err)
	}
	snap := load(t, s)
	commit(t, s, snap, toArchive(snap, "a"), toArchive(snap, "x"))
	clean(t, s) // the places of b and c in the collection have moved
	snap = load(t, s)
	origin, ok := memory.OriginOf(snap.Find("a")[0], snap.Indexes)
	if !ok || origin.Ref.String() != "long-term/l.json#/entries/0" || origin.Reason != "test" {
		t.Errorf("origin: %+v", origin)
	}
}

func ranSince(s *memory.Snapshot, at time.Time) bool {
	return !s.LatestRun.Before(at.Truncate(time.Second))
}

// The latest run is told by the dates of the log, in whatever order they are; it is later than any time
// where the log can't be read.
func TestLatestRun(t *testing.T) {
	hour := func(n int) time.Time { return at.Add(time.Duration(n) * time.Hour) }
	s := open(t, tree{"global/x.json": `{"id":"x",` + rec + `}`, "global/y.json": `{"id":"y",` + rec + `}`})
	if ranSince(load(t, s), hour(-1000)) {
		t.Error("a run, and nothing has happened")
	}
	for i, id := range []string{"x", "y"} {
		snap, err := s.Load(hour(2 - i))
		if err != nil {
			t.Fatal(err)
		}
		commit(t, s, snap, toArchive(snap, id))
	}
	snap := load(t, s)
	for n, want := range map[int]bool{0: true, 1: true, 2: true, 3: false} {
		if got := ranSince(snap, hour(n).Add(time.Millisecond)); got != want {
			t.Errorf("since %d hours: %v", n, got)
		}
	}
	broken := filesOf(t, s)
	broken["ops/consolidation-log.json"] = "{"
	if !ranSince(load(t, open(t, broken)), hour(1000)) {
		t.Error("nobody can read the log")
	}
}

// The archive's index can be rebuilt from the log after it was lost.
func TestReindexRecoversOrigins(t *testing.T) {
	s := open(t, tree{"global/x.json": `{"id":"x",` + rec + `}`})
	snap := load(t, s)
	commit(t, s, snap, toArchive(snap, "x"))
	lost := filesOf(t, s)
	delete(lost, "archive/_index.json")
	s = open(t, lost)
	if _, err := s.Reindex(context.Background(), at); err != nil {
		t.Fatal(err)
	}
	snap = load(t, s)
	if origin, ok := memory.OriginOf(snap.Find("x")[0], snap.Indexes); !ok || origin.Ref.File != "global/x.json" {
		t.Errorf("origin: %+v %v", origin, ok)
	}
	clean(t, s)
}
