package watch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
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

// journal collects the log.
type journal struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (j *journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.b.Write(p)
}

// lines are those that hold a text.
func (j *journal) lines(text string) (lines []string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for line := range strings.Lines(j.b.String()) {
		if strings.Contains(line, text) {
			lines = append(lines, line)
		}
	}
	return lines
}

// bench is a watcher in a bubble of synctest, whose clock begins on Saturday, 1
// January 2000. The files are real, the changes are told by the test.
type bench struct {
	*Watcher
	t       *testing.T
	dir     string
	log     *journal
	changes chan change
	ended   chan error
	stop    context.CancelFunc
}

func newBench(t *testing.T, prepare func(*bench)) *bench {
	dir := t.TempDir()
	store, err := workspace.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{t: t, dir: dir, log: &journal{}, changes: make(chan change), ended: make(chan error, 1)}
	b.Watcher = &Watcher{
		Store: store, Log: slog.New(slog.NewTextHandler(b.log, nil)), Zone: time.UTC, Debounce: Debounce, Full: 6 * time.Hour, Poll: Poll,
		Settings: func() (config.Settings, error) { return config.Default(), nil },
		follow: func(ctx context.Context, emit func(change)) {
			emit(change{all: true, note: "following the test"})
			for {
				select {
				case c := <-b.changes:
					emit(c)
				case <-ctx.Done():
					return
				}
			}
		},
	}
	if prepare != nil {
		prepare(b)
	}
	var ctx context.Context
	ctx, b.stop = context.WithCancel(t.Context())
	go func() { b.ended <- b.Run(ctx) }()
	return b
}

// end stops the watcher.
func (b *bench) end() {
	b.t.Helper()
	b.stop()
	if err := errors.Join(<-b.ended, b.Store.Close()); err != nil {
		b.t.Error(err)
	}
}

func (b *bench) write(name, text string) {
	b.t.Helper()
	full := filepath.Join(b.dir, filepath.FromSlash(name))
	if err := errors.Join(os.MkdirAll(filepath.Dir(full), 0o755), os.WriteFile(full, []byte(text), 0o644)); err != nil {
		b.t.Fatal(err)
	}
}

func (b *bench) read(name string) string {
	b.t.Helper()
	text, err := os.ReadFile(filepath.Join(b.dir, filepath.FromSlash(name)))
	if err != nil {
		b.t.Fatal(err)
	}
	return string(text)
}

// pass lets so much of the bubble's time go by.
func pass(d time.Duration) {
	<-time.After(d)
	synctest.Wait()
}

func memory(id, created string) string {
	return fmt.Sprintf(`{"id":%q,"type":"semantic","created_by":"DEV-001","created_at":%q,"access_count":0,"content":{"summary":"About %s."}}`, id, created, id)
}

func TestEditReachesTheIndex(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, nil)
		defer b.end()
		pass(time.Second)
		b.write("global/a.json", memory("a", "1999-12-31T00:00:00Z"))
		b.changes <- change{path: "global/a.json"}
		pass(Debounce + time.Millisecond)
		if !strings.Contains(b.read("global/_index.json"), `"a"`) {
			t.Error("an added memory is not in the index")
		}
		b.changes <- change{path: "global/_index.json"}
		b.changes <- change{path: "global/a.json"}
		before := len(b.log.lines("index updated"))
		pass(time.Minute)
		if n := len(b.log.lines("index updated")); n != before || n != 1 {
			t.Errorf("our own write and a touch led to %d updates", n)
		}
		report, err := ReadReport(b.Store)
		if err != nil || report == nil {
			t.Fatalf("no report: %v", err)
		}
		if want := "2000-01-01T00:00:01"; !strings.HasPrefix(report.Compared.Format(time.RFC3339), want) || report.LastEvent.Before(report.Compared) {
			t.Errorf("compared at %s, want %s: what is as it was needs no comparison", report.Compared, want)
		}
		if err := os.Remove(filepath.Join(b.dir, "global/a.json")); err != nil {
			t.Fatal(err)
		}
		b.changes <- change{path: "global/a.json"}
		pass(time.Second)
		if strings.Contains(b.read("global/_index.json"), `"a"`) {
			t.Error("a removed memory is in the index")
		}
	})
}

func TestChangesThatDoNotEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, nil)
		defer b.end()
		pass(time.Second)
		b.write("global/a.json", memory("a", "1999-12-31T00:00:00Z"))
		for range 30 { // one every 100 ms
			b.changes <- change{path: "global/a.json"}
			pass(Debounce / 2)
		}
		if len(b.log.lines("index updated")) != 1 {
			t.Error("changes without a pause were not looked at")
		}
	})
}

func TestHalfWrittenAndInvalid(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, func(b *bench) { b.write("global/a.json", memory("a", "1999-12-31T00:00:00Z")) })
		defer b.end()
		pass(time.Second)
		whole := memory("a", "1999-12-31T00:00:00Z")
		b.write("global/a.json", whole[:40])
		b.changes <- change{path: "global/a.json"}
		pass(time.Second)
		if !strings.Contains(b.read("global/_index.json"), `"a"`) || len(b.log.lines("invalid")) > 0 {
			t.Error("a half-written file was not waited for")
		}
		pass(3 * time.Second)
		for range 3 {
			b.changes <- change{path: "global"}
			pass(time.Second)
		}
		if lines := b.log.lines("invalid file"); len(lines) != 1 || !strings.Contains(lines[0], "line 1, column") {
			t.Errorf("reported, not once with its place: %q", lines)
		}
		pass(time.Minute)
		if report, err := ReadReport(b.Store); err != nil || len(report.Invalid) != 1 || report.Invalid[0].File != "global/a.json" {
			t.Errorf("report: %+v, %v", report, err)
		}
		b.write("global/a.json", whole)
		b.changes <- change{path: "global/a.json"}
		pass(time.Minute)
		if report, err := ReadReport(b.Store); err != nil || len(report.Invalid) != 0 || len(b.log.lines("mended")) != 1 {
			t.Errorf("mended, but the report says: %+v, %v", report, err)
		}
		if !strings.Contains(b.read("global/_index.json"), `"a"`) {
			t.Error("a mended memory is not in the index")
		}
	})
}

func TestFullComparisonHeals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, func(b *bench) { b.Full = time.Minute })
		defer b.end()
		pass(time.Second)
		b.write("global/a.json", memory("a", "1999-12-31T00:00:00Z")) // and nobody tells
		pass(time.Minute)
		if !strings.Contains(b.read("global/_index.json"), `"a"`) || len(b.log.lines("no event had told")) != 1 {
			t.Error("what no event told was not found")
		}
	})
}

// TestWeekly lets eight days pass: a run at each of two Sundays, of the real rules.
func TestWeekly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, func(b *bench) { b.write("global/old.json", memory("old", "1999-01-04T00:00:00Z")) })
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
		b.write(fmt.Sprintf("global/m%d.json", i), memory(fmt.Sprintf("m%d", i), "1999-12-31T00:00:00Z"))
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

// TestUnreadableDirectory: what the disk doesn't give leaves the indexes as they
// are, but not the runs from beginning. It is said once.
func TestUnreadableDirectory(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("root may read everything")
	}
	synctest.Test(t, func(t *testing.T) {
		ran := &tally{}
		b := newBench(t, func(b *bench) {
			overflowing(b, 101)
			b.write("teams/closed/a.json", memory("a", "1999-12-31T00:00:00Z"))
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
		if lines := b.log.lines("comparison failed"); len(lines) != 1 {
			t.Errorf("said, not once: %q", lines)
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

// TestRunsDoNotDisturbEachOther: what a run changes is no reason for the next one to
// wait for quiet.
func TestRunsDoNotDisturbEachOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ran := &tally{}
		begun := time.Now()
		b := newBench(t, func(b *bench) {
			for i := range 303 {
				id := fmt.Sprintf("m%d", i)
				b.write(fmt.Sprintf("agents/A-%d/%s.json", i%3, id), memory(id, "1999-12-31T00:00:00Z"))
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

// TestStop: planning is given up at once, a transaction is waited for.
func TestStop(t *testing.T) {
	for _, writing := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			release := make(chan struct{})
			b := newBench(t, func(b *bench) {
				overflowing(b, 101)
				b.doRun = func(_ context.Context, l *loop, _ trigger.Due) (oplog.Stats, int, error) {
					l.writing.Store(writing)
					<-release
					l.writing.Store(false)
					return oplog.Stats{}, 1, nil
				}
			})
			pass(time.Minute)
			b.stop()
			pass(time.Second)
			select {
			case err := <-b.ended:
				if writing || err != nil {
					t.Errorf("ended, writing %v: %v", writing, err)
				}
				b.ended <- nil
			default:
				if !writing {
					t.Error("it did not end within a second")
				}
			}
			close(release)
			synctest.Wait()
			b.end()
		})
	}
}

func TestOneWatcher(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, nil)
		defer b.end()
		pass(time.Second)
		store, err := workspace.Open(b.dir)
		if err != nil {
			t.Fatal(err)
		}
		other := *b.Watcher
		other.Store = store
		if err := other.Run(t.Context()); !errors.Is(err, workspace.ErrWatched) || !strings.Contains(err.Error(), fmt.Sprintf("pid %d", os.Getpid())) {
			t.Errorf("a second watcher: %v", err)
		}
		if holder, err := store.Watched(); err != nil || !strings.Contains(holder, fmt.Sprint(os.Getpid())) {
			t.Errorf("watched by %q, %v", holder, err)
		}
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
}

func TestBrokenSettings(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ran := &tally{}
		var broken atomic.Bool
		broken.Store(true)
		b := newBench(t, func(b *bench) {
			overflowing(b, 101)
			b.doRun = counting(ran, time.Now())
			b.Settings = func() (config.Settings, error) {
				if broken.Load() {
					return config.Settings{}, errors.New("memory.toml:3: unknown key")
				}
				return config.Default(), nil
			}
		})
		defer b.end()
		pass(time.Hour)
		if runs := ran.runs(); len(runs) != 0 || len(b.log.lines("memory.toml:3")) != 1 {
			t.Errorf("runs %s, complaints %q", runs, b.log.lines("memory.toml:3"))
		}
		broken.Store(false)
		b.changes <- change{path: workspace.ConfigFile}
		pass(time.Minute)
		if runs := ran.runs(); len(runs) != 1 {
			t.Errorf("runs after it was mended: %s", runs)
		}
	})
}
