package watch

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/trigger"
)

// TestWeekly lets eight days pass: a run at each of two Sundays, of the real rules.
func TestWeekly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, func(b *bench) { b.write("global/old.json", dated("old", "1999-01-04T00:00:00Z")) })
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

// TestRunsDoNotDisturbEachOther: what a run changes is no reason for the next one to
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
