package main

import (
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// A generated workspace has no problems and gives each rule something to do.
func TestWorkspaceHasWorkForEachRule(t *testing.T) {
	const n = 2000
	program, err := buildProgram(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	w, err := makeWorkspace(dir, n, 1, 1, spread)
	if err != nil {
		t.Fatal(err)
	}
	if len(w.files) != n || w.bytes < 800*n || w.bytes > 1600*n {
		t.Errorf("%d memories take %d files of %d bytes", n, len(w.files), w.bytes)
	}
	for _, args := range [][]string{{"reindex"}, {"check"}} {
		if out, err := exec.Command(program, append(args, "--workspace", dir)...).CombinedOutput(); err != nil {
			t.Fatalf("memory %v: %v: %s", args, err, out)
		}
	}
	out, err := exec.Command(program, "plan", "--json", "--max", "2000", "--at", madeAt.Format("2006-01-02T15:04:05Z"), "--workspace", dir).Output()
	if err != nil {
		t.Fatal(err)
	}
	var plan struct{ Actions []struct{ Rule string } }
	if err := json.Unmarshal(out, &plan); err != nil {
		t.Fatal(err)
	}
	acts := map[string]int{}
	for _, a := range plan.Actions {
		acts[a.Rule]++
	}
	for _, rule := range []string{"merge", "summarise", "promote", "archive"} {
		if acts[rule] == 0 {
			t.Errorf("nothing for %s: %v", rule, acts)
		}
	}
}

// The same seed makes the same bytes, and another seed others.
func TestWorkspaceOfASeed(t *testing.T) {
	for _, perFile := range []int{1, 7} {
		first, again, other := generated(t, 300, perFile, 1), generated(t, 300, perFile, 1), generated(t, 300, perFile, 2)
		if !maps.Equal(first, again) || maps.Equal(first, other) {
			t.Errorf("%d to a file: equal %v, other seed equal %v", perFile, maps.Equal(first, again), maps.Equal(first, other))
		}
	}
}

// Collections hold the same memories in the same directories as single files do, in as few
// files as possible.
func TestCollections(t *testing.T) {
	const n, perFile = 500, 7
	single, collected := map[string]string{}, map[string]string{} // directory by id
	for name := range generated(t, n, 1, 1) {
		single[filepath.Base(name[:len(name)-len(".json")])] = filepath.Dir(name)
	}
	files, of := map[string]int{}, map[string]int{}
	for name, doc := range generated(t, n, perFile, 1) {
		var c struct{ Memories []record }
		if err := json.Unmarshal([]byte(doc), &c); err != nil {
			t.Fatal(err)
		}
		if len(c.Memories) == 0 || len(c.Memories) > perFile {
			t.Errorf("%s has %d memories", name, len(c.Memories))
		}
		files[filepath.Dir(name)]++
		of[filepath.Dir(name)] += len(c.Memories)
		for _, m := range c.Memories {
			collected[m.ID] = filepath.Dir(name)
		}
	}
	if len(collected) != n || !maps.Equal(single, collected) {
		t.Errorf("%d memories in collections, not the %d of single files", len(collected), len(single))
	}
	for dir, memories := range of {
		if want := (memories + perFile - 1) / perFile; files[dir] != want {
			t.Errorf("%s: %d files, want %d", dir, files[dir], want)
		}
	}
}

// generated returns the files of a generated workspace by their relative names.
func generated(t *testing.T, n, perFile int, seed uint64) map[string]string {
	t.Helper()
	dir := t.TempDir()
	w, err := makeWorkspace(dir, n, perFile, seed, spread)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, name := range w.files {
		doc, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		rel, err := filepath.Rel(dir, name)
		if err != nil {
			t.Fatal(err)
		}
		files[filepath.ToSlash(rel)] = string(doc)
	}
	return files
}
