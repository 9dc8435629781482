package watch

import (
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/trigger"
	"github.com/memoryd/memoryd/pkg/workspace"
)

// A schedule of the name enrich writes summaries; when it comes again there is nothing to do.
func TestEnrichOnSchedule(t *testing.T) {
	set := config.Default()
	set.Run.Pause = config.Duration{}
	dir := t.TempDir()
	for i, text := range []string{"The deploy of the shop runs the migrations first.", "The deploy of the shop asks two people for approval.", "A deploy of the shop that fails is rolled back by the migrations."} {
		record(t, dir, fmt.Sprint("d", i), fmt.Sprintf(`"created_at":"2026-01-01T00:00:00Z","tags":["deploy"],"content":%q`, text))
	}
	l := loopOn(t, dir)
	due := trigger.Named(set, "enrich", config.Schedule{When: "24h", Scope: "global"})
	if _, runs, err := l.consolidate(t.Context(), due, set); err != nil || runs != 1 {
		t.Fatalf("%d runs, %v", runs, err)
	}
	names, err := filepath.Glob(filepath.Join(dir, "global/mem_*.json"))
	if err != nil || len(names) != 1 {
		t.Fatalf("summaries: %q, %v", names, err)
	}
	if text, err := os.ReadFile(names[0]); err != nil || !strings.Contains(string(text), `"cluster_summary"`) {
		t.Errorf("%s, %v", text, err)
	}
	if _, runs, err := l.consolidate(t.Context(), due, set); err != nil || runs != 0 {
		t.Errorf("again: %d runs, %v", runs, err)
	}
}

// record writes a memory.
func record(t *testing.T, dir, name, members string) {
	t.Helper()
	err := os.MkdirAll(filepath.Join(dir, "global"), 0o755)
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "global", name+".json"), fmt.Appendf(nil, `{"id":"mem_%s","type":"factual","created_by":"D",%s}`, name, members), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestDeepOnSchedule lets a schedule ask a model about a pair: the verdict is logged and a person is asked. Where nobody gives keys, no
// model is asked.
func TestDeepOnSchedule(t *testing.T) {
	var asked atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		_, code, _ := strings.Cut(string(body), "code: ")
		said := fmt.Sprintf(`{\"code\":\"%s\",\"decisions\":[{\"pair\":1,\"action\":\"MERGE\",\"stays\":\"\",\"sentences\":[2],\"quotes\":[],\"reason\":\"one backup\",\"confidence\":0.9}]}`, code[:8])
		fmt.Fprintf(w, `{"choices":[{"message":{"content":"%s"},"finish_reason":"stop"}],"usage":{"prompt_tokens":100,"completion_tokens":20}}`, said)
	}))
	defer server.Close()
	set := config.Default()
	set.Run.Pause, set.Archive.Enabled = config.Duration{}, false
	set.Model.Enabled, set.Model.Chain = true, []string{"mine"}
	set.Model.Servers = map[string]config.ModelServer{"mine": {BaseURL: server.URL, Model: "small"}}
	dir := t.TempDir()
	record(t, dir, "a", `"created_at":"2026-01-01T00:00:00Z","content":"The nightly backup copies the billing database. Operators check it in the morning."`)
	record(t, dir, "b", `"created_at":"2026-02-01T00:00:00Z","content":"The nightly backup copies the billing database."`)
	l := loopOn(t, dir)
	due := trigger.Named(set, "deep", config.Schedule{When: "24h"})
	if _, _, err := l.consolidate(t.Context(), due, set); err != nil || asked.Load() != 0 {
		t.Fatalf("asked without an environment: %v, %v", asked.Load(), err)
	}
	l.Env = func(string) string { return "" }
	did, runs, err := l.consolidate(t.Context(), due, set)
	if err != nil || runs != 1 || did.MemoriesFlagged == 0 || asked.Load() != 1 {
		t.Fatalf("%+v in %d runs, asked %d: %v", did, runs, asked.Load(), err)
	}
	log, err := l.Store.Log().Read()
	if err != nil {
		t.Fatal(err)
	}
	last := log.Entries[len(log.Entries)-1]
	if last.Trigger != "interval" || last.Model == nil || last.Model.Requests != 1 || last.Actions[0].Type != oplog.Judge {
		t.Errorf("logged: %+v", last)
	}
	if did, _, err := l.consolidate(t.Context(), due, set); err != nil || did.MemoriesFlagged != 0 || asked.Load() != 1 {
		t.Errorf("asked again: %+v, %v", did, err)
	}
}

// loopOn is the loop of a watcher that isn't started.
func loopOn(t *testing.T, dir string) *loop {
	store, err := workspace.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	return &loop{Watcher: &Watcher{Store: store, Log: slog.New(slog.DiscardHandler)}, writing: &atomic.Bool{}}
}
