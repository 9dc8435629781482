package watch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/memory"
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
	err := errors.Join(os.MkdirAll(filepath.Dir(full), 0o755), os.WriteFile(full, []byte(text), 0o644))
	if err = errors.Join(err, os.Chtimes(full, time.Now(), time.Now())); err != nil { // the bubble's time
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

func dated(id, created string) string {
	return fmt.Sprintf(`{"id":%q,"type":"semantic","created_by":"DEV-001","created_at":%q,"access_count":0,"content":{"summary":"About %s."}}`, id, created, id)
}

func TestEditReachesTheIndex(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, nil)
		defer b.end()
		pass(time.Second)
		b.write("global/a.json", dated("a", "1999-12-31T00:00:00Z"))
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
		if late := report.Compared.Sub(report.LastEvent); late < 0 || late > time.Second || !report.Full.Before(report.LastEvent) {
			t.Errorf("the last event was at %s, compared at %s, as a whole at %s", report.LastEvent, report.Compared, report.Full)
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
		b.write("global/a.json", dated("a", "1999-12-31T00:00:00Z"))
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
		b := newBench(t, func(b *bench) { b.write("global/a.json", dated("a", "1999-12-31T00:00:00Z")) })
		defer b.end()
		pass(time.Second)
		whole := dated("a", "1999-12-31T00:00:00Z")
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

// TestTooFewWatches: the system gives so many watches and no more, from the start or
// for a directory that is made later. It is said aloud, and what changes from then on
// is in the indexes within five seconds, as a full reindex would have it.
func TestTooFewWatches(t *testing.T) {
	for watches := range 4 { // two directories, and those made later
		synctest.Test(t, func(t *testing.T) {
			events := make(chan fsnotify.Event)
			b := newBench(t, func(b *bench) {
				b.write("global/a.json", dated("a", "1999-12-31T00:00:00Z"))
				b.Watcher.follow = func(ctx context.Context, emit func(change)) {
					f := &follower{store: b.Store, dir: b.dir, poll: Poll, rewalk: b.Full, emit: emit, open: func() (source, error) {
						return source{&limited{watches, map[string]bool{}}, events, nil, func() error { return nil }}, nil
					}}
					f.follow(ctx)
				}
			})
			defer b.end()
			pass(time.Second)
			b.write("agents/A/deep/b.json", dated("b", "1999-12-31T00:00:00Z"))
			if watches >= 2 { // it follows until now
				events <- fsnotify.Event{Name: filepath.Join(b.dir, "agents"), Op: fsnotify.Create}
			}
			pass(5 * time.Second)
			if lines := b.log.lines("looking at the files every 1s: watch "); len(lines) != 1 || !strings.Contains(lines[0], "no space left") {
				t.Errorf("with %d watches it is said: %q", watches, lines)
			}
			b.write("agents/A/deep/b.json", dated("b", "1999-12-30T00:00:00Z"))
			b.write("teams/t/c.json", dated("c", "1999-12-31T00:00:00Z"))
			if err := os.Rename(filepath.Join(b.dir, "global/a.json"), filepath.Join(b.dir, "global/d.json")); err != nil {
				t.Fatal(err)
			}
			pass(5 * time.Second)
			for file, want := range map[string]string{"agents/A/_index.json": "1999-12-30", "teams/t/_index.json": `"c"`, "global/_index.json": "d.json"} {
				if !strings.Contains(b.read(file), want) {
					t.Errorf("with %d watches, %s does not tell of %s", watches, file, want)
				}
			}
			if written, err := b.Store.Reindex(t.Context(), time.Now()); err != nil || len(written) > 0 {
				t.Errorf("a full reindex finds %+v, %v", written, err)
			}
		})
	}
}

func TestFullComparisonHeals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, func(b *bench) { b.Full = time.Minute })
		defer b.end()
		pass(time.Second)
		b.write("global/a.json", dated("a", "1999-12-31T00:00:00Z")) // and nobody tells
		pass(time.Minute)
		if !strings.Contains(b.read("global/_index.json"), `"a"`) || len(b.log.lines("no event had told")) != 1 {
			t.Error("what no event told was not found")
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
		if holder, err := store.Ops().Watched(); err != nil || !strings.Contains(holder, fmt.Sprint(os.Getpid())) {
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
		b.changes <- change{path: memory.ConfigFile}
		pass(time.Minute)
		if runs := ran.runs(); len(runs) != 1 {
			t.Errorf("runs after it was mended: %s", runs)
		}
	})
}
