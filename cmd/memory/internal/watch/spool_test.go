package watch

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/workspace/ops"
)

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
