package sqldisk_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/memoryd/memoryd/fixtures"
	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/rules"
	"github.com/memoryd/memoryd/pkg/workspace"
	"github.com/memoryd/memoryd/pkg/workspace/disk"
	"github.com/memoryd/memoryd/pkg/workspace/memdisk"
	"github.com/memoryd/memoryd/pkg/workspace/ops"
	"github.com/memoryd/memoryd/pkg/workspace/sqldisk"
	"github.com/memoryd/memoryd/pkg/workspace/storetest"
	"github.com/memoryd/memoryd/pkg/workspace/storetest/random"
)

func record(id string) string {
	return fmt.Sprintf(`{"id": %q, "type": "semantic", "content": "text of %s", "n": 0.10}`, id, id)
}

// fill puts files on a disk and has the next writer check them in.
func fill(t testing.TB, d workspace.Disk, files map[string]string) *workspace.FileStore {
	t.Helper()
	for name, text := range files {
		if err := d.(interface{ Put(string, []byte) error }).Put(name, []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	return index(t, d)
}

func index(t testing.TB, d workspace.Disk) *workspace.FileStore {
	t.Helper()
	s := workspace.OpenOn(d)
	if _, err := s.Reindex(context.Background(), at); err != nil {
		t.Fatal(err)
	}
	return s
}

func load(t testing.TB, s *workspace.FileStore) *memory.Snapshot {
	t.Helper()
	snap, err := s.Load(at)
	if err != nil {
		t.Fatal(err)
	}
	return snap
}

// check fails the test where a workspace isn't sound.
func check(t testing.TB, s *workspace.FileStore) {
	t.Helper()
	problems, err := s.Check(at)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		t.Errorf("check: %s %s %s: %s", p.Severity, p.File, p.ID, p.Message)
	}
}

func documents(t testing.TB, db *sqldisk.DB, ws string) map[string]string {
	t.Helper()
	_, docs, err := db.Since(context.Background(), ws, 0)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, d := range docs {
		if !d.Removed() {
			all[d.Path] = string(d.Bytes)
		}
	}
	return all
}

// Two disks are two processes: each finds what the other has written, and a plan that was made
// before is held against it.
func TestTwoWriters(t *testing.T) {
	each(t, func(t *testing.T, db *sqldisk.DB) {
		one := fill(t, create(t, db, "acme"), map[string]string{"global/a.json": record("a"), "global/b.json": record("b")})
		second := checkout(t, db, "acme")
		other := index(t, second)
		late := storetest.Archive(other, load(t, other), "a", "b")
		if _, err := one.Commit(t.Context(), &workspace.Tx{Plan: storetest.Archive(one, load(t, one), "a")}); err != nil {
			t.Fatal(err)
		}
		result, err := other.Commit(t.Context(), &workspace.Tx{Plan: late})
		if err != nil || result.Applied != 1 || len(result.Skipped) != 1 || result.Skipped[0].Reason != workspace.ReasonChanged {
			t.Fatalf("%+v, %v", result, err)
		}
		runs := func() []disk.Entry {
			all, err := second.ReadDir(workspace.RunsDir)
			if err != nil {
				t.Fatal(err)
			}
			return all
		}
		had := len(runs())
		if err := second.Locally(func() error { _, err := other.Reindex(t.Context(), at); return err }); err != nil {
			t.Fatal(err)
		}
		if n := len(runs()); n != had {
			t.Errorf("what was made anew has left records: %d runs, %d before", n, had)
		}
		check(t, other)
		docs := documents(t, db, "acme")
		if docs["archive/a.json"] == "" || docs["archive/b.json"] == "" || docs["global/a.json"] != "" {
			t.Errorf("%v", docs)
		}
		for name := range docs {
			if !sqldisk.Stored(name) {
				t.Errorf("%s is stored", name)
			}
		}
		if broken, n, _, err := other.Log().Verify(); err != nil || len(broken) > 0 || n != 2 {
			t.Errorf("log: %v, %d entries, %v", broken, n, err)
		}
		if undone, err := other.Undo(t.Context(), late.RunID, nil, at); err != nil || undone.Applied != 1 {
			t.Errorf("%+v, %v", undone, err)
		}
	})
}

// A run is undone by whoever has the database.
func TestUndoElsewhere(t *testing.T) {
	each(t, func(t *testing.T, db *sqldisk.DB) {
		one := fill(t, create(t, db, "acme"), map[string]string{"global/a.json": record("a")})
		result, err := one.Commit(t.Context(), &workspace.Tx{Plan: storetest.Archive(one, load(t, one), "a")})
		if err != nil {
			t.Fatal(err)
		}
		other := index(t, checkout(t, db, "acme"))
		if undone, err := other.Undo(t.Context(), result.RunID, nil, at); err != nil || undone.Applied != 1 {
			t.Fatalf("%+v, %v", undone, err)
		}
		if docs := documents(t, db, "acme"); docs["global/a.json"] != record("a") || docs["archive/a.json"] != "" {
			t.Errorf("%v", docs)
		}
		check(t, other)
	})
}

// Lines that are appended by many at a time are all there.
func TestAppends(t *testing.T) {
	each(t, func(t *testing.T, db *sqldisk.DB) {
		create(t, db, "acme")
		var group sync.WaitGroup
		for w := range 4 {
			d := checkout(t, db, "acme")
			group.Go(func() {
				for i := range 10 {
					err := workspace.OpenOn(d).Ops().NoteRead(ops.Use{At: at, From: "test", N: 1}, fmt.Sprintf("m%d.%d", w, i))
					if err != nil {
						t.Error(err)
					}
				}
			})
		}
		group.Wait()
		if n := strings.Count(documents(t, db, "acme")[ops.AccessFile], `"m`); n != 40 {
			t.Errorf("%d lines", n)
		}
	})
}

// What somebody has written past the lock is kept where the database has got another text.
func TestBothWrote(t *testing.T) {
	each(t, func(t *testing.T, db *sqldisk.DB) {
		one := create(t, db, "acme")
		fill(t, one, map[string]string{"global/a.json": record("a")})
		other := checkout(t, db, "acme")
		fill(t, one, map[string]string{"global/a.json": record("theirs")})
		fill(t, other, map[string]string{"global/a.json": record("ours")})
		docs := documents(t, db, "acme")
		kept := 0
		for name, text := range docs {
			if strings.HasPrefix(name, workspace.ConflictsDir+"/") && text == record("ours") {
				kept++
			}
		}
		if docs["global/a.json"] != record("theirs") || kept != 1 {
			t.Errorf("%v", docs)
		}
	})
}

// A connection that is cut under a writer takes nothing with it but what he was writing.
func TestCutConnections(t *testing.T) {
	db, admin := postgres(t)
	d := create(t, db, "acme")
	s := fill(t, d, map[string]string{"global/a.json": record("a"), "global/b.json": record("b")})
	before := documents(t, db, "acme")
	unlock, err := d.TryLock(memory.LockFile, "test")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := admin.Exec("select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()"); err != nil {
		t.Fatal(err)
	}
	if err := d.Put("global/c.json", []byte(record("c"))); err != nil {
		t.Fatal(err)
	}
	if err := unlock(); err == nil {
		t.Error("the writer was told that all is well")
	}
	if after := documents(t, db, "acme"); !maps.Equal(before, after) {
		t.Error(cmp.Diff(before, after))
	}
	if _, err := s.Commit(t.Context(), &workspace.Tx{Plan: storetest.Archive(s, load(t, s), "a")}); err != nil {
		t.Fatal(err)
	}
	check(t, s)
	if docs := documents(t, db, "acme"); docs["archive/a.json"] == "" || docs["global/c.json"] != "" {
		t.Errorf("%v", docs)
	}
}

func TestAbsentWorkspace(t *testing.T) {
	each(t, func(t *testing.T, db *sqldisk.DB) {
		if _, err := db.Disk(t.Context(), "nobody"); !errors.Is(err, sqldisk.ErrNoWorkspace) {
			t.Error(err)
		}
		create(t, db, "acme")
		if err := db.Create(t.Context(), "acme", "", at); !errors.Is(err, sqldisk.ErrExists) {
			t.Error(err)
		}
		for _, name := range []string{"", "A", "../x", strings.Repeat("x", 65), "-x", "x y"} {
			if err := db.Create(t.Context(), name, "", at); err == nil {
				t.Errorf("%q was created", name)
			}
		}
		all, err := db.Workspaces(t.Context())
		if err != nil || len(all) != 1 || all[0].Name != "acme" || !all[0].Created.Equal(at) {
			t.Errorf("%v, %v", all, err)
		}
	})
}

// The same plans, logs, indexes and undo, whatever the workspace lies on.
func TestSameOnEveryDisk(t *testing.T) {
	stored, dir := map[string]string{}, t.TempDir()
	err := fs.WalkDir(fixtures.Small, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !sqldisk.Stored(name) { // its indexes are made again
			return err
		}
		text, err := fs.ReadFile(fixtures.Small, name)
		stored[name] = string(text)
		return err
	})
	if err == nil {
		err = random.Write(dir, stored)
	}
	files, openErr := workspace.Open(dir)
	if err := errors.Join(err, openErr); err != nil || len(stored) < 20 {
		t.Fatalf("%d files, %v", len(stored), err)
	}
	wanted := course(t, files)
	if err := files.Close(); err != nil {
		t.Error(err)
	}
	compare := func(name string, d workspace.Disk) {
		if diff := cmp.Diff(wanted, course(t, fill(t, d, stored))); diff != "" {
			t.Errorf("%s is not as files: %s", name, diff)
		}
	}
	compare("memory", memdisk.New())
	each(t, func(t *testing.T, db *sqldisk.DB) { compare(t.Name(), create(t, db, "acme")) })
}

// outcome is what a run and its undo make of a workspace.
type outcome struct {
	Plan, Head      string
	Undone          int
	After, Restored map[string]string
}

// course plans, applies and takes back one run.
func course(t *testing.T, s *workspace.FileStore) (o outcome) {
	t.Helper()
	if _, err := s.Reindex(t.Context(), at); err != nil {
		t.Fatal(err)
	}
	snap := load(t, s)
	plan := rules.Plan(snap, rules.Request{Settings: config.Default(), LogHead: s.Log().Head()})
	text, err := plan.MarshalJSON()
	if err != nil || plan.Empty() {
		t.Fatalf("%d actions, %v", len(plan.Actions), err)
	}
	o.Plan = string(text)
	result, err := s.Commit(t.Context(), &workspace.Tx{Plan: plan, Snapshot: snap})
	if err != nil {
		t.Fatal(err)
	}
	o.Head, o.After = s.Log().Head(), texts(t, s)
	undone, err := s.Undo(t.Context(), result.RunID, nil, at)
	if err != nil {
		t.Fatal(err)
	}
	o.Undone, o.Restored = undone.Applied, texts(t, s)
	return o
}

// texts are all files of memories and indexes.
func texts(t *testing.T, s *workspace.FileStore) map[string]string {
	t.Helper()
	all := map[string]string{}
	snap := load(t, s)
	for _, name := range snap.Files {
		text, err := s.Read(name)
		if err != nil {
			t.Fatal(err)
		}
		all[name] = string(text)
	}
	for _, x := range snap.Indexes {
		text, err := s.Read(x.File)
		if err != nil {
			t.Fatal(err)
		}
		all[x.File] = string(text)
	}
	return all
}

// postgres is a database there, and a connection that may do anything.
func postgres(t *testing.T) (*sqldisk.DB, *sql.DB) {
	t.Helper()
	address := engines["postgres"](t)
	db := open(t, address, sqldisk.MigrateOptions{})
	admin, err := sql.Open("pgx", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = admin.Close() })
	return db, admin
}

// Lines that wait are written once each, whatever others write meanwhile, and none is set aside.
func TestAppendLater(t *testing.T) {
	each(t, func(t *testing.T, db *sqldisk.DB) {
		one := create(t, db, "acme")
		fill(t, one, map[string]string{"global/mem_a.json": record("mem_a")})
		two := checkout(t, db, "acme")
		const name = "ops/access.jsonl"
		add := func(d *sqldisk.Disk, line string) {
			t.Helper()
			if err := d.Append(name, []byte(line+"\n")); err != nil {
				t.Fatal(err)
			}
		}
		one.AppendLater()
		two.AppendLater()
		for _, line := range []string{"a", "b"} {
			add(one, "one "+line)
			add(two, "two "+line)
		}
		if text := documents(t, db, "acme")[name]; text != "" || !one.Waiting() {
			t.Errorf("written at once: %q", text)
		}
		for _, d := range []*sqldisk.Disk{one, two, one} {
			if err := d.Flush(); err != nil || d.Waiting() {
				t.Fatal(err)
			}
		}
		if text := documents(t, db, "acme")[name]; text != "one a\none b\ntwo a\ntwo b\n" {
			t.Errorf("%q", text)
		}
		// A run folds the file in, while another hub has read again.
		add(one, "one c")
		three := checkout(t, db, "acme")
		release, err := three.TryLock(memory.LockFile, "test")
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(three.Remove(name), release()); err != nil {
			t.Fatal(err)
		}
		if err := one.Flush(); err != nil {
			t.Fatal(err)
		}
		all := documents(t, db, "acme")
		if all[name] != "one c\n" {
			t.Errorf("%q", all[name])
		}
		for path := range all {
			if strings.HasPrefix(path, "ops/conflicts/") {
				t.Errorf("%s was set aside", path)
			}
		}
	})
}
