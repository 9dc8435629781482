package watch

import (
	"context"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/trigger"
)

// Of the machines that share a workspace the one that sync.runs names has all runs; the others have none that a clock or a count starts.
func TestRunsHere(t *testing.T) {
	set := config.Default()
	set.Schedules = map[string]config.Schedule{"nightly": {When: "daily 02:30"}}
	set.Triggers.Interval = "1h"
	for _, c := range []struct {
		runs, machine string
		all           bool
	}{{"", "", true}, {"", "anna", true}, {"anna", "anna", true}, {"anna", "ben", false}, {"anna", "", false}} {
		set.Sync.Runs = c.runs
		got := RunsHere(set, c.machine)
		if clocks := len(trigger.Clocks(got)); (clocks > 0) != c.all || got.Triggers.IndexOverflow == set.Triggers.IndexOverflow != c.all {
			t.Errorf("sync.runs %q on %q: %d clocks, overflow at %d", c.runs, c.machine, clocks, got.Triggers.IndexOverflow)
		}
	}
}

// A workspace is synced each interval, as the settings have it by then, and no more often than each minute.
func TestRepeat(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		var every atomic.Int64
		every.Store(int64(10 * time.Minute))
		ctx, cancel := context.WithCancel(t.Context())
		var at []time.Duration
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			Repeat(ctx, func() time.Duration { return time.Duration(every.Load()) }, func() { at = append(at, time.Since(begun)) })
		}()
		time.Sleep(25 * time.Minute)
		synctest.Wait()
		every.Store(0)
		time.Sleep(time.Hour)
		synctest.Wait()
		every.Store(int64(time.Second))
		time.Sleep(2*time.Minute + time.Second)
		synctest.Wait()
		cancel()
		<-ended
		want := []time.Duration{10 * time.Minute, 20 * time.Minute}
		if len(at) < 4 || len(at) > 5 || !slices.Equal(at[:2], want) || at[3]-at[2] != time.Minute {
			t.Errorf("synced at %v", at)
		}
	})
}
