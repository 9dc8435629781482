package hub

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memoryd/memoryd/pkg/workspace"
	"github.com/memoryd/memoryd/pkg/workspace/ops"
	"github.com/memoryd/memoryd/pkg/workspace/sqldisk/pgtest"
	"github.com/memoryd/memoryd/pkg/workspace/storetest"
)

// A folder that was restored from a backup has continued the log and the reads of its machine apart from what the hub has of them: it has
// both then, and so has everybody.
func TestRestoredFolder(t *testing.T) {
	for name, address := range map[string]func(testing.TB) string{"sqlite": sqlite, "postgres": pgtest.New} {
		t.Run(name, func(t *testing.T) {
			db := database(t, address(t))
			_, server := start(t, db)
			secret := token(t, db, "ada", "admin *")
			one, two := folderOf(t, server, "acme", secret, "one"), folderOf(t, server, "acme", secret, "two")
			log := "ops/logs/one.json"
			archived := func(text string) {
				t.Helper()
				id := "mem_" + text
				one.write(t, "global/"+id+".json", note(id, "About "+text+".", 1))
				if err := one.Store.Ops().NoteRead(ops.Use{At: at, From: "test", N: 1}, "read"+text); err != nil {
					t.Fatal(err)
				}
				snap, err := one.Store.Load(at)
				if err != nil {
					t.Fatal(err)
				}
				if _, err := one.Store.Commit(t.Context(), &workspace.Tx{Plan: storetest.Archive(one.Store, snap, id), Snapshot: snap}); err != nil {
					t.Fatal(err)
				}
				one.sync(t)
			}
			archived("lamp")
			backup := t.TempDir()
			if err := os.CopyFS(backup, os.DirFS(one.dir)); err != nil {
				t.Fatal(err)
			}
			archived("stove")
			one = folderIn(t, backup, server, "acme", secret, "one")
			archived("clock")
			one.sync(t)
			two.sync(t)
			one.check(t)
			two.check(t)
			beside, err := filepath.Glob(filepath.Join(two.dir, "ops/logs", "one+*.json"))
			if err != nil || len(beside) != 1 {
				t.Fatalf("%v, %v", beside, err)
			}
			both := two.read(log) + two.read(strings.TrimPrefix(filepath.ToSlash(beside[0]), filepath.ToSlash(two.dir)+"/"))
			reads := two.read("ops/access/one.jsonl")
			for _, text := range []string{"lamp", "stove", "clock"} {
				if !strings.Contains(both, "mem_"+text) || strings.Count(reads, "read"+text) != 1 {
					t.Errorf("%s is lost: %s\n%s", text, both, reads)
				}
			}
			if out := one.sync(t); len(out.Received)+len(out.Sent)+len(out.Replaced) > 0 {
				t.Errorf("%+v", out)
			}
		})
	}
}
