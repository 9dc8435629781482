package app

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/rules"
	"github.com/memoryd/memoryd/pkg/workspace"
)

// copiesAt is the moment as of which the copies are consolidated.
var copiesAt = time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)

// agentNote makes up what an agent notes down; numbers tell the notes apart.
func agentNote(r *rand.Rand, i int) (title, details string) {
	pick := func(words ...string) string { return words[r.IntN(len(words))] }
	area := pick("auth", "billing", "search", "import", "mailer", "scheduler", "gateway", "cache") + "-" + pick("api", "worker", "job", "client", "schema", "queue")
	title = fmt.Sprintf("%s: %s %d", area, pick("timeout", "retry rule", "test setup", "release step", "owner", "limit"), i)
	var b strings.Builder
	for range 2 + r.IntN(5) {
		fmt.Fprintf(&b, pick(
			"The %s needs %d seconds before it answers, so tests wait for its health check. ",
			"When %s fails with code %d, delete its lock file and start it again. ",
			"In %s the flag is read once at start; change %d and restart. ",
			"Ask the owner of %s before raising the limit above %d. ",
			"The fix for %s was to sort the rows before comparing, see change %d. ",
		), area, 100+i*7+r.IntN(7))
	}
	return title, strings.TrimSpace(b.String())
}

// writeCopies makes a store of n memories with texts different ones, the rest copies
// word for word: half of all in files of their own, half in one collection.
func writeCopies(tb testing.TB, dir string, n, texts int, seed uint64) {
	tb.Helper()
	r := rand.New(rand.NewPCG(seed, 4))
	type note struct{ title, details, kind, by, tag string }
	notes := make([]note, texts)
	for i := range notes {
		title, details := agentNote(r, i)
		notes[i] = note{title, details, []string{"factual", "procedural", "episodic"}[i%3], fmt.Sprintf("DEV-%03d", 1+i%4), fmt.Sprintf("topic-%d", i%50)}
	}
	var collection []json.RawMessage
	for k := range n {
		i := k
		if k >= texts {
			i = r.IntN(texts)
		}
		// Where a memory stands decides with which ones it can be merged: all in one scope.
		told := notes[i]
		made := copiesAt.Add(-time.Duration(10*24*60+r.IntN(100*24*60)) * time.Minute).Format(time.RFC3339)
		doc, err := json.MarshalIndent(map[string]any{
			"id": fmt.Sprintf("mem_%06d", k), "type": told.kind, "created_by": told.by, "scope": "project", "scope_id": "app",
			"created_at": made, "updated_at": made, "last_accessed": copiesAt.Add(-time.Hour).Format(time.RFC3339), "access_count": 1 + r.IntN(3),
			"tags": []string{told.tag, "note"}, "content": map[string]string{"title": told.title, "details": told.details},
		}, "", "  ")
		if err != nil {
			tb.Fatal(err)
		}
		if k%2 == 0 {
			collection = append(collection, doc)
			continue
		}
		write(tb, dir, fmt.Sprintf("projects/app/mem_%06d.json", k), doc)
	}
	doc, err := json.MarshalIndent(map[string]any{"entries": collection}, "", "  ")
	if err != nil {
		tb.Fatal(err)
	}
	write(tb, dir, "projects/app/notes.json", doc)
}

func write(tb testing.TB, dir, name string, doc []byte) {
	tb.Helper()
	name = filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		tb.Fatal(err)
	}
	if err := os.WriteFile(name, doc, 0o644); err != nil {
		tb.Fatal(err)
	}
}

// consolidateAll runs until a plan is empty, as the command with --until-done does, without
// pauses.
func consolidateAll(tb testing.TB, dir string) (runs int, stats oplog.Stats) {
	tb.Helper()
	store, err := workspace.Open(dir)
	if err != nil {
		tb.Fatal(err)
	}
	defer store.Close()
	store.Reuse, store.Derive = true, Deriver
	settings := config.Default()
	settings.Run.Pause = config.Duration{}
	runner := Runner{
		Store: store, Started: time.Now, Result: func(*workspace.Result) {}, Loaded: func(*memory.Snapshot) {},
		Load: func() (*memory.Snapshot, error) { return store.Load(copiesAt) },
		Reload: func(from *memory.Snapshot, written []string) *memory.Snapshot {
			return store.Reload(copiesAt, from, written)
		},
	}
	for {
		plan, _, err := runner.Once(tb.Context(), rules.Request{Settings: settings}, nil)
		if err != nil {
			tb.Fatal(err)
		}
		if plan.Empty() {
			return runs, stats
		}
		runs++
		stats.MemoriesMerged += plan.Stats().MemoriesMerged
		stats.MemoriesArchived += plan.Stats().MemoriesArchived
	}
}

// BenchmarkCopies consolidates a store that agents have filled with copies: 4,000
// memories, two thirds of them exact copies of others.
func BenchmarkCopies(b *testing.B) {
	const n, texts = 4000, 1300
	for range b.N {
		b.StopTimer()
		dir, err := os.MkdirTemp(b.TempDir(), "")
		if err != nil {
			b.Fatal(err)
		}
		writeCopies(b, dir, n, texts, 1)
		store, err := workspace.Open(dir)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := store.Reindex(b.Context(), copiesAt); err != nil {
			b.Fatal(err)
		}
		if err := store.Close(); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
		runs, stats := consolidateAll(b, dir)
		b.ReportMetric(float64(runs), "runs/op")
		b.ReportMetric(float64(stats.MemoriesMerged), "merged/op")
		if runs == 0 || stats.MemoriesMerged == 0 {
			b.Errorf("%+v", stats)
		}
	}
}
