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
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/workspace"
	"github.com/memoryd/memoryd/pkg/workspace/ops"
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

// TestSessionThatCannotBeSettled: what no rule may touch is not a reason to try again
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

// TestEndThatWasLeft: a hook has told of a session's end, and the process that was to
// settle it has died. It is settled here, once, though not at once; a session that has
// begun again since goes on, and what tells of no session goes.
func TestEndThatWasLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, func(b *bench) {
			b.write("sessions/s1/keep.json", noted("keep", "high"))
			b.write("sessions/s1/drop.json", noted("drop", "low"))
			b.write("sessions/s2/other.json", noted("other", "low"))
		})
		defer b.end()
		pass(time.Hour)
		for _, s := range []memory.Session{{ID: "s1", Agent: "DEV-001"}, {ID: "s2"}} {
			s.At = time.Now().Add(-time.Hour)
			if _, err := b.Store.Ops().BeginSession(s); err != nil {
				t.Fatal(err)
			}
			if s.At, s.Agent = time.Now(), ""; s.ID == "s2" {
				s.At = s.At.Add(-10 * time.Minute)
			}
			if err := b.Store.Ops().SpoolEnd(s); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := b.Store.Ops().BeginSession(memory.Session{ID: "s2", At: time.Now().Add(-time.Minute)}); err != nil {
			t.Fatal(err)
		}
		b.write("ops/spool/broken.json", "{")
		pass(orphaned - time.Second)
		if !b.there("sessions/s1/keep.json") {
			t.Error("what the hook's process may be about to settle is settled")
		}
		pass(time.Minute)
		if !b.there("archive/keep.json") || !b.there("archive/drop.json") || !b.there("sessions/s2/other.json") {
			t.Errorf("not settled, or too much\n%s", &b.log.b)
		}
		log, err := b.Store.Log().Read()
		if err != nil {
			t.Fatal(err)
		}
		if n := len(log.Entries); n != 1 || log.Entries[0].Trigger != "session_end" || log.Entries[0].Scope != "session:s1" || log.Entries[0].Stats.MemoriesPromoted != 1 {
			t.Errorf("the log: %+v", log.Entries)
		}
		if left, err := b.Store.Ops().Waiting(ops.SpoolDir); err != nil || left {
			t.Errorf("the spool is not worked off: %v, %v", left, err)
		}
		if begun, _, err := b.Store.Ops().Sessions(ops.SessionsDir); err != nil || len(begun) != 1 || begun[0].ID != "s2" {
			t.Errorf("sessions that go on: %+v, %v", begun, err)
		}
		pass(time.Hour)
		if lines := b.log.lines("whose end was left"); len(lines) != 2 { // the one that goes on is done with, too
			t.Errorf("told: %q", lines)
		}
	})
}

// TestEndThatCannotBeSettled: it stays in the spool, is tried ever more seldom, and
// settled when it can be.
func TestEndThatCannotBeSettled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, func(b *bench) {
			b.write("sessions/s1/keep.json", noted("keep", "high"))
			b.Settings = func() (config.Settings, error) {
				c := config.Default()
				c.Secrets.Rules = "rules.toml"
				return c, nil
			}
		})
		defer b.end()
		if err := b.Store.Ops().SpoolEnd(memory.Session{ID: "s1", At: time.Now().Add(-time.Hour)}); err != nil {
			t.Fatal(err)
		}
		pass(10 * time.Minute)
		if left, err := b.Store.Ops().Waiting(ops.SpoolDir); err != nil || !left || len(b.log.lines("settling the end of a session failed")) != 1 {
			t.Errorf("it waits: %v, %v\n%s", left, err, &b.log.b)
		}
		b.write("rules.toml", "")
		pass(time.Minute)
		if left, err := b.Store.Ops().Waiting(ops.SpoolDir); err != nil || left || !b.there("archive/keep.json") {
			t.Errorf("not settled: %v\n%s", err, &b.log.b)
		}
	})
}
