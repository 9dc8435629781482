package watch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/trigger"
	"github.com/memoryd/memoryd/pkg/workspace"
)

// TestWeekly lets eight days pass: a run at each of two Sundays, of the real rules.
func TestWeekly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, func(b *bench) {
			b.write("memory.toml", "")
			b.write("global/old.json", dated("old", "1999-01-04T00:00:00Z"))
		})
		defer b.end()
		pass(24*time.Hour + time.Minute)
		if _, err := os.Stat(filepath.Join(b.dir, "archive/old.json")); err != nil {
			t.Errorf("the weekly run did not archive: %v\n%s", err, &b.log.b)
		}
		pass(8 * 24 * time.Hour)
		if lines := b.log.lines("run ended"); len(lines) != 2 {
			t.Errorf("runs on two Sundays: %q", lines)
		}
	})
}

// TestImportedWhileWatching: old notes that are imported under a watcher are archived unasked by none of its runs, neither that of
// the index, which has too many entries now, nor the weekly one.
func TestImportedWhileWatching(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const notes = 120
		b := newBench(t, func(b *bench) { b.write("memory.toml", "") })
		defer b.end()
		var names []string
		for i := range notes {
			names = append(names, fmt.Sprintf("global/note-%03d.json", i))
			b.write(names[i], fmt.Sprintf(`{"id":"note-%03d","type":"semantic","created_by":"claude-code","created_at":"1999-03-01T09:00:00Z",`+
				`"tags":["note-%03d"],"content":"Note %d is about nothing that another one is about","origin":{"kind":"import","at":"2000-01-01T00:00:00Z"}}`, i, i, i))
		}
		for _, name := range names {
			b.changes <- change{path: name}
		}
		pass(24*time.Hour + time.Minute)
		if len(b.log.lines("trigger=weekly")) == 0 || len(b.log.lines("trigger=index_overflow")) == 0 {
			t.Errorf("runs: %q", b.log.lines("run begins"))
		}
		for _, name := range names {
			if !b.there(name) {
				t.Fatalf("%s was archived\n%s", name, &b.log.b)
			}
		}
	})
}

func TestMissedWhileDown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, func(b *bench) {
			b.write("ops/triggers.json", `{"version":"1.0.0","clock":{"weekly":{"schedule":"0 0 * * 0","slot":"1999-12-05T00:00","at":"1999-12-05T00:00:01Z"}}}`)
		})
		defer b.end()
		pass(time.Hour)
		if lines := b.log.lines("run ended"); len(lines) != 1 || len(b.log.lines("missed: 1999-12-26T00:00")) == 0 {
			t.Errorf("made up for: %q", lines)
		}
	})
}

// tally is when runs began.
type tally struct {
	mu sync.Mutex
	at []time.Duration
}

func (t *tally) add(at time.Duration) (n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.at = append(t.at, at)
	return len(t.at)
}

func (t *tally) runs() []time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.at)
}

// counting stands for the consolidations.
func counting(ran *tally, begun time.Time, outcomes ...error) func(context.Context, *loop, trigger.Due) (oplog.Stats, int, error) {
	return func(context.Context, *loop, trigger.Due) (oplog.Stats, int, error) {
		if n := ran.add(time.Since(begun).Round(time.Second)); n <= len(outcomes) {
			return oplog.Stats{}, 1, outcomes[n-1]
		}
		return oplog.Stats{}, 1, nil
	}
}

func overflowing(b *bench, n int) {
	for i := range n {
		b.write(fmt.Sprintf("global/m%d.json", i), dated(fmt.Sprintf("m%d", i), "1999-12-31T00:00:00Z"))
	}
}

func TestOverflowWaitsForQuiet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ran := &tally{}
		b := newBench(t, func(b *bench) {
			overflowing(b, 101)
			b.doRun = counting(ran, time.Now())
		})
		defer b.end()
		pass(20 * time.Second)
		b.changes <- change{path: "global/m0.json"}
		pass(29 * time.Second)
		if runs := ran.runs(); len(runs) != 0 {
			t.Errorf("ran after %s, in the middle of changes", runs)
		}
		pass(time.Hour)
		if runs := ran.runs(); len(runs) != 1 || runs[0] != 50*time.Second {
			t.Errorf("ran after %s, want once after 50s", runs)
		}
	})
}

// TestUnreadableDirectory: what the disk doesn't give keeps the indexes that it
// concerns as they are, but no others, nor the runs from beginning. It is said once.
func TestUnreadableDirectory(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("SKIPPED: root may read everything")
	}
	synctest.Test(t, func(t *testing.T) {
		ran := &tally{}
		b := newBench(t, func(b *bench) {
			overflowing(b, 101)
			b.write("teams/closed/a.json", dated("a", "1999-12-31T00:00:00Z"))
			if _, err := b.Store.Reindex(t.Context(), time.Now()); err != nil {
				t.Fatal(err)
			}
			if err := os.Chmod(filepath.Join(b.dir, "teams/closed"), 0); err != nil {
				t.Fatal(err)
			}
			b.doRun = counting(ran, time.Now())
		})
		defer b.end()
		pass(time.Hour)
		if runs := ran.runs(); len(runs) != 1 {
			t.Errorf("runs: %s", runs)
		}
		if lines := b.log.lines("bringing indexes along failed"); len(lines) != 1 || len(b.log.lines("invalid file")) != 1 {
			t.Errorf("said, not once: %q", lines)
		}
		b.write("global/new.json", dated("new", "1999-12-31T00:00:00Z"))
		b.changes <- change{path: "global/new.json"}
		pass(time.Second)
		if !strings.Contains(b.read("global/_index.json"), `"new"`) {
			t.Error("an index that it doesn't concern stands still")
		}
		before := b.read("global/_index.json")
		if err := os.Chmod(filepath.Join(b.dir, "teams/closed"), 0o755); err != nil {
			t.Fatal(err)
		}
		pass(time.Minute)
		if len(b.log.lines("mended")) != 1 || b.read("global/_index.json") != before {
			t.Error("it was not noticed that it can be read again")
		}
	})
}

// TestRunsDoNotDisturbEachOther: what a run changes is not a reason for the next one to
// wait for quiet.
func TestRunsDoNotDisturbEachOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ran := &tally{}
		begun := time.Now()
		b := newBench(t, func(b *bench) {
			for i := range 303 {
				id := fmt.Sprintf("m%d", i)
				b.write(fmt.Sprintf("agents/A-%d/%s.json", i%3, id), dated(id, "1999-12-31T00:00:00Z"))
			}
			b.doRun = func(context.Context, *loop, trigger.Due) (oplog.Stats, int, error) {
				b.changes <- change{path: "agents"}
				ran.add(time.Since(begun).Round(time.Second))
				return oplog.Stats{}, 1, nil
			}
		})
		defer b.end()
		pass(time.Hour)
		if runs := ran.runs(); len(runs) != 3 || runs[2] > 35*time.Second {
			t.Errorf("three indexes overflow, runs after %s", runs)
		}
	})
}

func TestOverflowWaitsNoLonger(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ran := &tally{}
		b := newBench(t, func(b *bench) {
			overflowing(b, 101)
			b.doRun = counting(ran, time.Now())
		})
		defer b.end()
		for range 120 {
			pass(10 * time.Second)
			b.changes <- change{path: "global/m0.json"}
		}
		if runs := ran.runs(); len(runs) != 1 || runs[0].Round(time.Minute) != 15*time.Minute {
			t.Errorf("ran after %s, want once after 15m", runs)
		}
	})
}

func TestFailedRunsAreRetried(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		broken := errors.New("the disk is on fire")
		ran := &tally{}
		b := newBench(t, func(b *bench) {
			overflowing(b, 101)
			b.doRun = counting(ran, time.Now(), broken, broken, broken, broken)
		})
		defer b.end()
		pass(3 * time.Hour)
		runs := ran.runs()
		if len(runs) != 4 {
			t.Fatalf("attempts after %s, want 4\n%s", runs, &b.log.b)
		}
		for i := 2; i < len(runs); i++ {
			if runs[i]-runs[i-1] < 2*(runs[i-1]-runs[i-2]) {
				t.Errorf("the delays don't grow: %s", runs)
			}
		}
		if len(b.log.lines("given up")) != 1 {
			t.Error("that it was given up is not in the log")
		}
		pass(22 * time.Hour)
		// The weekly run of midnight, then the index that is still too large.
		if runs = ran.runs(); len(runs) != 6 || runs[5] != runs[3]+24*time.Hour {
			t.Errorf("after a day it is due again: %s", runs)
		}
	})
}

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
