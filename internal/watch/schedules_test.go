package watch

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/trigger"
)

// TestRunsElsewhere: a machine on which another one consolidates has no run by the clock, and still settles sessions; once the settings
// name this one it runs.
func TestRunsElsewhere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var here atomic.Bool
		b := newBench(t, func(b *bench) {
			b.Settings = func() (config.Settings, error) {
				c := config.Default()
				c.Schedules = map[string]config.Schedule{"nightly": {When: "daily 02:30"}}
				if here.Load() {
					return c, nil
				}
				return c.SessionsOnly(), nil
			}
			b.write("memory.toml", "")
			b.write("sessions/current.json", `{"session_id":"s1","started_at":"1999-12-31T08:00:00Z","status":"active"}`)
			b.write("sessions/s1/drop.json", noted("drop", "low"))
			b.write("global/mem_old.json", dated("mem_old", "1998-01-01T00:00:00Z"))
		})
		defer b.end()
		pass(30 * time.Hour) // over a Sunday morning, the time of the weekly run
		if lines := b.log.lines("run begins"); len(lines) != 0 {
			t.Errorf("it ran by itself: %q", lines)
		}
		b.write("sessions/current.json", `{"session_id":"s1","status":"completed"}`)
		b.changes <- change{path: "sessions/current.json"}
		pass(time.Minute)
		if !b.there("archive/drop.json") || !b.there("global/mem_old.json") {
			t.Errorf("the session isn't settled, or more than that\n%s", &b.log.b)
		}
		here.Store(true)
		b.changes <- change{path: memory.ConfigFile}
		pass(24 * time.Hour)
		if !b.there("archive/mem_old.json") {
			t.Errorf("it doesn't run once it is to\n%s", &b.log.b)
		}
	})
}

// TestSchedulesInAZone: several schedules run at their times in the zone of the
// settings, to the second; when the zone is changed, at the times there.
func TestSchedulesInAZone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var ran []string
		var moved atomic.Bool
		b := newBench(t, func(b *bench) {
			b.Settings = func() (config.Settings, error) {
				c := config.Default()
				c.Triggers.Weekly, c.Triggers.Timezone = "", "Asia/Tokyo"
				c.Schedules = map[string]config.Schedule{"nightly": {When: "daily 02:30"}, "sunday": {When: "sun 02:30", Scope: "agent:A-1"}, "half": {When: "PT12H"}}
				if moved.Load() {
					c.Triggers.Timezone = "Europe/Berlin"
				}
				return c, nil
			}
			b.doRun = func(_ context.Context, _ *loop, d trigger.Due) (oplog.Stats, int, error) {
				mu.Lock()
				defer mu.Unlock()
				ran = append(ran, d.Name+d.Scope+time.Now().UTC().Format(" Mon 15:04:05"))
				return oplog.Stats{}, 1, nil
			}
		})
		defer b.end()
		pass(47 * time.Hour) // from Saturday, 00:00 UTC
		moved.Store(true)
		b.changes <- change{path: memory.ConfigFile}
		pass(27 * time.Hour)
		mu.Lock()
		defer mu.Unlock()
		var timed []string
		for _, r := range ran {
			if r[:4] != "half" {
				timed = append(timed, r)
			}
		}
		// Half past two is 17:30 UTC of the day before in Tokyo, 01:30 UTC in Berlin. That
		// of Monday has been had in Tokyo.
		want := []string{"nightly Sat 17:30:00", "sundayagent:A-1 Sat 17:30:00", "nightly Sun 17:30:00", "nightly Tue 01:30:00"}
		if !slices.Equal(timed, want) || len(ran)-len(timed) != 6 {
			t.Errorf("ran %q, want %q and six others", ran, want)
		}
	})
}
