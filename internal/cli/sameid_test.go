package cli

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/memoryd/memoryd/fixtures"
	"github.com/memoryd/memoryd/internal/document"
	"github.com/memoryd/memoryd/internal/fail"
	"github.com/memoryd/memoryd/pkg/workspace/storetest/random"
)

// Whichever files have an id in common, or none at all, no command panics, "review" shows every pair, and each decision about one can be
// undone byte for byte.
func TestSameIDs(t *testing.T) {
	names := []string{
		"projects/p/x.json", "projects/p/x (conflicted copy 2026-01-03).json", "projects/p/x (conflicted copy 2026-01-03) 2.json", "projects/p/x 2.json",
		"projects/p/other.json", "projects/q/x.json", "archive/x.json", "archive/x (1).json", "global/notes.json", "global/notes-LAPTOP.json",
	}
	record := rapid.Custom(func(t *rapid.T) string {
		id := rapid.SampledFrom([]string{`"id":"x",`, `"id":"x",`, `"id":"y",`, `"id":"projects/p/x 2.json",`, `"id":"",`, ""}).Draw(t, "id")
		text := rapid.SampledFrom([]string{"The till is by the door.", "The till is in the back room.", "Lamps take bulbs of 40 W.", ""}).Draw(t, "text")
		more := rapid.SampledFrom([]string{
			"", `"updated_at":"2026-03-01T10:00:00Z",`, `"supersedes":"x",`, `"superseded_by":["x","y"],`, `"created_at":"2026-02-01T10:00:00Z",`, `"tags":["a"],"tags":["b"],`,
			`"merge_conflicts":[{"path":"/content","base":"\"a\"","kept":"\"b\"","other":"\"c\""}],`, `"merge_conflicts":[{"path":"","base":"1","kept":"2","other":""}],`,
		}).Draw(t, "more")
		return fmt.Sprintf(`{%s%s"type":"factual","created_by":"D","content":%q}`, id, more, text)
	})
	file := rapid.Custom(func(t *rapid.T) string {
		all := rapid.SliceOfN(record, 1, 3).Draw(t, "records")
		if len(all) == 1 {
			return all[0]
		}
		return `{"entries":[` + strings.Join(all, ",") + `]}`
	})
	edges := `{"version":"1.0.0","edges":[{"from":"projects/p/x 2.json","type":"RELATES_TO","to":"x","by":"USER"},{"from":"x@other","type":"RELATES_TO","to":"y","by":"USER"}]}`
	if checks := flag.Lookup("rapid.checks").Value; checks.String() == "100" { // unless somebody asks for another number
		if err := checks.Set("25"); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = checks.Set("100") })
	}
	rapid.Check(t, func(t *rapid.T) {
		dir, err := os.MkdirTemp("", "")
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(dir)
		files := rapid.MapOfN(rapid.SampledFrom(names), file, 2, 6).Draw(t, "files")
		files["memory.toml"], files["projects/p/_edges.json"] = "", edges
		if err := random.Write(dir, files); err != nil {
			t.Fatal(err)
		}
		run := func(args ...string) (int, string) {
			code, stdout, stderr := in(dir, append(args, "--workspace", dir, "--at", fixtures.At)...)
			if code < fail.ExitDone || code > fail.ExitNotFound {
				t.Fatalf("%v: exit code %d: %s%s", args, code, stdout, stderr)
			}
			return code, stdout + stderr
		}
		for _, args := range []string{
			"check", "plan", "review", "review --next", "status --json", "graph --json", "show x", "explain x", "archive x", "restore x", "recall till", "review x", "review x --merge",
		} {
			run(strings.Fields(args)...)
		}
		_, text := run("review", "--json")
		var doc document.Review
		if err := json.Unmarshal([]byte(text), &doc); err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		for _, p := range doc.Pairs {
			if code, said := run("review", p.ID); code != fail.ExitDone {
				t.Fatalf("a pair that waits can't be shown: %s", said)
			}
			before := memoryFiles(t, dir)
			code, said := run("review", p.ID, rapid.SampledFrom([]string{"--merge", "--supersede", "--keep-both", "--keep-newer", "--keep-older"}).Draw(t, "decision"))
			if code != fail.ExitDone {
				if said == "" {
					t.Fatal("a decision is refused without a word")
				}
				continue
			}
			if code, said := run("undo", "last"); code != fail.ExitDone {
				t.Fatalf("a decision can't be undone: %s", said)
			}
			for name, text := range before {
				if now := memoryFiles(t, dir)[name]; now != text {
					t.Fatalf("%s: %s\nwas %s", name, now, text)
				}
			}
		}
	})
}

// memoryFiles are the files below a directory that are not below ops/ and not an index, by their names.
func memoryFiles(t *rapid.T, dir string) map[string]string {
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(name string, e os.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir() && e.Name() == "ops":
			return filepath.SkipDir
		case e.IsDir() || e.Name() == "_index.json":
			return nil
		}
		text, err := os.ReadFile(name)
		all[name] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
