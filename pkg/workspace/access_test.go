package workspace

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/memoryd/memoryd/pkg/internal/durable/faultfs"
	"github.com/memoryd/memoryd/pkg/memory"
)

func accessDisk(t *testing.T, files map[string]string) (*faultfs.Mem, *FileStore) {
	t.Helper()
	sc := scenario{name: t.Name(), files: files}
	m := sc.disk(t)
	return m, sc.store(m, 0)
}

func TestFoldReads(t *testing.T) {
	m, s := accessDisk(t, with(memories("agents/a", 3), AccessFile, readLog))
	snap, err := s.Load(day)
	if err != nil {
		t.Fatal(err)
	}
	if a := snap.Live("a-0"); a.AccessCount != 4 || a.Unfolded != 4 || !a.LastAccessed.Equal(time.Date(2026, 2, 2, 0, 0, 0, 0, time.UTC)) {
		t.Errorf("a-0 was read %d times (%d unfolded), last %v", a.AccessCount, a.Unfolded, a.LastAccessed)
	}
	if err := foldReads(s); err != nil {
		t.Fatal(err)
	}
	files := m.Files()
	if got := files["agents/a/a-0.json"]; !strings.Contains(got, `"access_count": 4`) || !strings.Contains(got, `"last_accessed": "2026-02-02T00:00:00Z"`) {
		t.Errorf("a-0 is now %s", got)
	}
	if got := files[AccessFile]; got != `{"id":"gone","at":"2026-02-01T00:00:00Z","n":1}`+"\n" {
		t.Errorf("the access log keeps %q", got)
	}
	if snap, err = s.Load(day); err != nil {
		t.Fatal(err)
	}
	if a := snap.Live("a-0"); a.AccessCount != 4 || a.Unfolded != 0 {
		t.Errorf("a-0 was read %d times (%d unfolded)", a.AccessCount, a.Unfolded)
	}
	if plan := memory.Fold(snap, "", func(*memory.Memory) bool { return false }); !plan.Empty() {
		t.Errorf("again: %+v", plan.Actions)
	}
}

// Reads of a memory that was merged away count for its successor; a chain that runs
// in circles, and one that forks, has none.
func TestReadsFollowMerges(t *testing.T) {
	superseded := func(id, by string) string {
		return strings.Replace(record(id, "text of "+id), `"type"`, `"superseded_by": `+by+`, "type"`, 1)
	}
	_, s := accessDisk(t, map[string]string{
		"global/new.json":    record("new", "text of new"),
		"archive/old.json":   superseded("old", `"new"`),
		"archive/older.json": superseded("older", `["old"]`),
		"archive/x.json":     superseded("x", `["y"]`),
		"archive/y.json":     superseded("y", `["x"]`),
		"archive/fork.json":  superseded("fork", `["new", "x"]`),
		AccessFile: `{"id":"older","at":"2026-02-01T00:00:00Z"}
{"id":"new","at":"2026-02-05T00:00:00Z","n":2}
{"id":"old","at":"2026-02-01T00:00:00Z"}
{"id":"x","at":"2026-02-01T00:00:00Z"}
{"id":"fork","at":"2026-02-01T00:00:00Z"}
`,
	})
	snap, err := s.Load(day)
	if err != nil {
		t.Fatal(err)
	}
	plan := memory.Fold(snap, "", func(*memory.Memory) bool { return false })
	if len(plan.Actions) != 1 || plan.Actions[0].MemoryID != "new" || plan.Actions[0].Detail != "read 4 more" {
		t.Errorf("planned %+v", plan.Actions)
	}
}

// What is appended while reads are folded is counted later: before the swap, in it,
// and by a writer who still has the old file open afterwards.
func TestReadsAppendedMeanwhile(t *testing.T) {
	late := `{"id":"a-1","at":"2026-02-09T00:00:00Z"}` + "\n"
	base := with(memories("agents/a", 3), AccessFile, readLog)
	steps := 0
	count := &faultfs.Hook{FS: faultfs.New(), Before: func(faultfs.Step) error { steps++; return nil }}
	m, s := accessDisk(t, base)
	if _, err := m.Open(AccessFile); err != nil {
		t.Fatal(err)
	}
	count.FS, s.root = m, count
	if err := foldReads(s); err != nil {
		t.Fatal(err)
	}
	for at := 1; at <= steps; at++ {
		m, s := accessDisk(t, base)
		write, err := m.Open(AccessFile)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		s.root = &faultfs.Hook{FS: m, Before: func(faultfs.Step) error {
			if n++; n == at {
				write([]byte(readLog + late)) // in the file as it was opened, wherever it is now
			}
			return nil
		}}
		if err := foldReads(s); err != nil {
			t.Fatalf("step %d: %v", at, err)
		}
		s.Now = func() time.Time { return day.Add(2 * keepPatched) }
		s.root = m
		release, err := s.lock(context.Background(), "test") // sweeps what was displaced
		if err != nil {
			t.Fatalf("step %d: %v", at, err)
		}
		if err := release(); err != nil {
			t.Fatal(err)
		}
		snap, err := s.Load(day)
		if err != nil {
			t.Fatal(err)
		}
		for id, want := range map[string]int64{"a-0": 4, "a-1": 1, "a-2": 1} {
			if got := snap.Live(id).AccessCount; got != want {
				t.Errorf("step %d: %s was read %d times, want %d", at, id, got, want)
			}
		}
		for name := range m.Files() {
			if strings.HasPrefix(name, ConflictsDir) {
				t.Errorf("step %d: left %s", at, name)
			}
		}
	}
}

// An action that meets another hand keeps its reads in the access log.
func TestReadsOfAChangedMemoryStay(t *testing.T) {
	m, s := accessDisk(t, with(memories("agents/a", 3), AccessFile, readLog))
	edited := false
	s.root = &faultfs.Hook{FS: m, Before: func(step faultfs.Step) error {
		if step.Op == "exchange" && step.To == "agents/a/a-0.json" && !edited {
			edited = true
			return m.Put("agents/a/a-0.json", []byte(record("a-0", "by hand")))
		}
		return nil
	}}
	if err := foldReads(s); err != nil {
		t.Fatal(err)
	}
	snap, err := s.Load(day)
	if err != nil {
		t.Fatal(err)
	}
	if a := snap.Live("a-0"); !edited || !strings.Contains(string(a.Raw()), "by hand") || a.AccessCount != 4 || a.Unfolded != 4 {
		t.Errorf("a-0 was read %d times (%d unfolded): %s", a.AccessCount, a.Unfolded, a.Raw())
	}
	if c := snap.Live("a-2"); c.AccessCount != 1 || c.Unfolded != 0 {
		t.Errorf("a-2 was read %d times (%d unfolded)", c.AccessCount, c.Unfolded)
	}
}
