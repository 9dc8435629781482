package hub

import (
	"errors"
	"fmt"
	"io/fs"
	"testing"
	"time"

	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/rules"
	"github.com/memoryd/memoryd/pkg/workspace"
	"github.com/memoryd/memoryd/pkg/workspace/sqldisk"
	"github.com/memoryd/memoryd/pkg/workspace/sqldisk/pgtest"
)

// put writes documents to a workspace, in one check-in, over whatever is there.
func put(t *testing.T, db *sqldisk.DB, ws string, files map[string]string) {
	t.Helper()
	d, err := db.Disk(t.Context(), ws)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Mkdir(memory.OpsDir); err != nil && !errors.Is(err, fs.ErrExist) {
		t.Fatal(err)
	}
	release, err := d.TryLock(memory.LockFile, "put")
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		if err := d.Put(name, []byte(text)); err != nil {
			t.Error(err)
		}
	}
	if err := release(); err != nil {
		t.Fatal(err)
	}
}

// A session that ends, by what its file says or by its rest, is settled once, whichever hub sees it first, and what goes on is left alone.
func TestSessionsEnd(t *testing.T) {
	for name, address := range map[string]func(testing.TB) string{"sqlite": sqlite, "postgres": pgtest.New} {
		t.Run(name, func(t *testing.T) {
			db := database(t, address(t))
			now := at
			h, _ := startWith(t, Options{DB: db, Now: func() time.Time { return now }})
			other, _ := startWith(t, Options{DB: db, Now: func() time.Time { return now }})
			if err := db.Create(t.Context(), "talk", "", at); err != nil {
				t.Fatal(err)
			}
			noted := func(id, priority string) string {
				return fmt.Sprintf(`{"id": %q, "type": "working", "created_at": "2026-03-01T08:00:00Z", "content": "About %s.", "priority": %q}`, id, id, priority)
			}
			put(t, db, "talk", map[string]string{
				"memory.toml":      "[consolidate]\nmin_memories = 1\n[triggers]\nsession_idle = \"2d\"\n",
				"sessions/s1.json": `{"session_id": "s1", "status": "active"}`, "sessions/s1/keep.json": noted("keep", "high"), "sessions/s1/drop.json": noted("drop", "low"),
				"sessions/s2.json": `{"session_id": "s2", "last_active": "2026-03-01T08:30:00Z"}`, "sessions/s2/quiet.json": noted("quiet", "low"),
			})
			// ran lets each hub look, and then does what is due: it returns how many slots, and the entries of the log about sessions so far.
			ran := func() (slots int, entries []oplog.Entry) {
				for _, hub := range []*Hub{h, other, h} {
					room, err := hub.room(t.Context(), "talk")
					if err == nil {
						err = room.disk.Refresh(t.Context())
					}
					if err == nil {
						err = hub.offerRuns(t.Context(), room)
					}
					if err != nil {
						t.Fatal(err)
					}
				}
				for found := true; found; slots++ {
					var err error
					if found, err = other.once(t.Context(), t.Context()); err != nil {
						t.Fatal(err)
					} else if !found {
						break
					}
				}
				d, err := db.Disk(t.Context(), "talk")
				if err == nil {
					err = index(t.Context(), d, now)
				}
				if err != nil {
					t.Fatal(err)
				}
				s := workspace.OpenOn(d)
				if problems, err := s.Check(now); err != nil || len(problems) > 0 {
					t.Errorf("%v, %v", problems, err)
				}
				log, err := s.Log().Read()
				if err != nil {
					t.Fatal(err)
				}
				for _, e := range log.Entries {
					if e.Trigger == rules.SessionEnd {
						entries = append(entries, e)
					}
				}
				return slots, entries
			}
			if slots, entries := ran(); slots != 0 || len(entries) != 0 {
				t.Fatalf("%d slots while both go on: %+v", slots, entries)
			}
			put(t, db, "talk", map[string]string{"sessions/s1.json": `{"session_id": "s1", "status": "completed", "ended_at": "2026-03-01T08:59:00Z"}`})
			slots, entries := ran()
			if slots != 1 || len(entries) != 1 || entries[0].Stats.MemoriesArchived == 0 {
				t.Fatalf("%d slots at the end: %+v", slots, entries)
			}
			if slots, entries = ran(); slots != 0 || len(entries) != 1 {
				t.Fatalf("%d slots for what is settled: %+v", slots, entries)
			}
			now = at.Add(24 * time.Hour)
			put(t, db, "talk", map[string]string{"sessions/s2.json": `{"session_id": "s2", "last_active": "2026-03-02T09:00:00Z"}`})
			now = at.Add(48 * time.Hour)
			if slots, entries = ran(); slots != 1 || len(entries) != 1 {
				t.Fatalf("%d slots for a session that somebody has touched: %+v", slots, entries)
			}
			now = at.Add(73 * time.Hour)
			if slots, entries = ran(); slots != 1 || len(entries) != 2 {
				t.Fatalf("%d slots once it has rested: %+v", slots, entries)
			}
			if slots, entries = ran(); slots != 0 || len(entries) != 2 {
				t.Fatalf("%d slots for what has rested: %+v", slots, entries)
			}
		})
	}
}
