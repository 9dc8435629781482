package watch

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/workspace"
)

func noted(id, priority string) string {
	return fmt.Sprintf(`{"id":%q,"type":"working","created_by":"DEV-001","created_at":"1999-12-31T08:00:00Z","priority":%q,"access_count":0,"content":"About %s."}`, id, priority, id)
}

// touched sets when a file was written, by the clock of the bubble.
func (b *bench) touched(name string, at time.Time) {
	b.t.Helper()
	if err := os.Chtimes(filepath.Join(b.dir, filepath.FromSlash(name)), at, at); err != nil {
		b.t.Fatal(err)
	}
}

func (b *bench) there(name string) bool {
	_, err := os.Stat(filepath.Join(b.dir, filepath.FromSlash(name)))
	return !errors.Is(err, os.ErrNotExist)
}

// TestSessionThatEnds: the file of a session says in the end that it has ended. Its
// memories are settled once, those of others stay.
func TestSessionThatEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, func(b *bench) {
			b.write("sessions/current.json", `{"session_id":"s1","started_at":"1999-12-31T08:00:00Z","status":"active"}`)
			b.write("sessions/s1/keep.json", noted("keep", "high"))
			b.write("sessions/s1/drop.json", noted("drop", "low"))
			b.write("sessions/s2/other.json", noted("other", "low"))
		})
		defer b.end()
		pass(time.Hour)
		if lines := b.log.lines("run begins"); len(lines) != 0 {
			t.Fatalf("a session that goes on is settled: %q", lines)
		}
		for _, text := range []string{`{"session_id":"s1","status":"comp`, `{"session_id":"s1","status":"completed"}`} { // in two halves
			if !b.there("sessions/s1/keep.json") {
				t.Fatal("settled by half a file")
			}
			b.write("sessions/current.json", text)
			b.changes <- change{path: "sessions/current.json"}
			pass(10 * time.Second)
		}
		if !b.there("archive/keep.json") || !b.there("archive/drop.json") || !b.there("sessions/s2/other.json") {
			t.Fatalf("not settled, or too much\n%s", &b.log.b)
		}
		log, err := b.Store.Log().Read()
		if err != nil {
			t.Fatal(err)
		}
		if n := len(log.Entries); n != 1 || log.Entries[0].Trigger != "session_end" || log.Entries[0].Scope != "session:s1" || log.Entries[0].Stats.MemoriesPromoted != 1 {
			t.Errorf("the log: %+v", log.Entries)
		}
		for range 5 {
			b.changes <- change{path: "sessions"}
			pass(time.Hour)
		}
		if lines := b.log.lines("run begins"); len(lines) != 1 {
			t.Errorf("settled more than once: %q", lines)
		}
	})
}

// TestSessionThatRests: nobody ends it, and nobody touches it.
func TestSessionThatRests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, func(b *bench) {
			b.Settings = func() (config.Settings, error) {
				c := config.Default()
				c.Triggers.Weekly = ""
				var err error
				c.Triggers.SessionIdle, err = config.ParseDuration("12h")
				return c, err
			}
			b.write("agents/DEV-001/working-memory.json", `{"agent_id":"DEV-001","working_memory":[`+noted("of-agent", "high")+`]}`)
			b.write("agents/DEV-002/working-memory.json", `{"entries":[`+noted("of-other", "low")+`]}`)
			b.touched("agents/DEV-001/working-memory.json", time.Now())
			b.touched("agents/DEV-002/working-memory.json", time.Now())
		})
		defer b.end()
		pass(11 * time.Hour)
		b.touched("agents/DEV-002/working-memory.json", time.Now())
		b.changes <- change{path: "agents/DEV-002/working-memory.json"}
		pass(2 * time.Hour)
		if !strings.Contains(b.read("agents/DEV-002/working-memory.json"), "of-other") {
			t.Error("one that was touched is settled")
		}
		if strings.Contains(b.read("agents/DEV-001/working-memory.json"), "of-agent") || !b.there("archive/of-agent.json") {
			t.Errorf("not settled after so long\n%s", &b.log.b)
		}
	})
}

// TestSessionThatCannotBeSettled: what no rule may touch is no reason to try again
// and again.
func TestSessionThatCannotBeSettled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, func(b *bench) {
			b.write("sessions/s1.json", `{"ended_at":"1999-12-31T09:00:00Z"}`)
			b.write("sessions/s1/held.json", noted("held", "critical"))
		})
		defer b.end()
		pass(5 * time.Hour)
		b.changes <- change{path: "sessions/s1"}
		pass(5 * time.Hour)
		if lines := b.log.lines("run begins"); len(lines) != 1 {
			t.Errorf("tried %d times", len(lines))
		}
		if log, err := b.Store.Log().Read(); err != nil && !errors.Is(err, os.ErrNotExist) || log != nil && len(log.Entries) != 0 {
			t.Errorf("a run that did nothing is in the log: %v", err)
		}
		if b.there(workspace.RunsDir) && !b.there("sessions/s1/held.json") {
			t.Error("a critical memory was settled")
		}
	})
}
