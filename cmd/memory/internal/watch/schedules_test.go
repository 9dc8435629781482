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
