package repository_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/memoryd/memoryd/internal/repository"
)

// repo writes files and, with git, commits them in steps. A text "" removes a file; "<-NAME" moves it from there.
type repo struct {
	t   *testing.T
	dir string
	git bool
}

func (r *repo) step(files map[string]string) (hash string) {
	r.t.Helper()
	for name, text := range files {
		full := filepath.Join(r.dir, filepath.FromSlash(name))
		err := os.MkdirAll(filepath.Dir(full), 0o755)
		if from, ok := strings.CutPrefix(text, "<-"); ok && err == nil {
			err = os.Rename(filepath.Join(r.dir, filepath.FromSlash(from)), full)
		} else if text == "" && err == nil {
			err = os.Remove(full)
		} else if err == nil {
			err = os.WriteFile(full, []byte(text), 0o644)
		}
		if err != nil {
			r.t.Fatal(err)
		}
	}
	if !r.git {
		return ""
	}
	r.run("add", "-A")
	r.run("-c", "user.name=x", "-c", "user.email=x@example.org", "commit", "-q", "-m", "step")
	return r.run("rev-parse", "--short", "HEAD")
}

func (r *repo) run(args ...string) string {
	r.t.Helper()
	out, err := exec.Command("git", append([]string{"-C", r.dir}, args...)...).CombinedOutput()
	if err != nil {
		r.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func newRepo(t *testing.T, git bool) *repo {
	r := &repo{t, t.TempDir(), git}
	if git {
		if _, err := exec.LookPath("git"); err != nil {
			t.Skip("SKIPPED: git is not installed")
		}
		r.run("init", "-q")
	}
	return r
}

var first = map[string]string{
	"pkg/rules/merge.go":  "package rules\n\nfunc mergeAll() { parseRow(); keepOne() }\nfunc (s *Store) SaveAll() {}\n",
	"pkg/rules/old.go":    "package rules\n\nfunc droppedRule() {}\n// a text that is long enough to be known again by git when the file is moved\n",
	"pkg/config/parse.go": "package config\n\nfunc ParseFile() {}\n",
	"docs/guide.md":       "mergeAll, droppedRule and legacyThing\n",
	"memory/global/a.json": `{"content":"droppedRule, neverThere in pkg/rules/gone.go"}
`,
}

const note = "The rule is in pkg/rules/merge.go and `rules/old.go`, once in pkg/rules/gone.go; `mergeAll` calls `parseRow()`, `droppedRule` is `config.ParseFile`, " +
	"`config.LoadFile()`, `json.MarshalIndent`, `neverThere`; other/repo/x.go; `guide.md`, `lost.go`; pkg/plan/next.go"

func check(t *testing.T, r *repo, text string) (said []string) {
	t.Helper()
	found, err := repository.Open(t.Context(), r.dir, filepath.Join(r.dir, "memory"))
	if err != nil {
		t.Fatal(err)
	}
	gone, unasked, err := found.Check(t.Context(), []repository.Note{{ID: "m", Text: text}})
	if err != nil || unasked > 0 {
		t.Fatalf("%d not asked, %v", unasked, err)
	}
	for _, g := range gone {
		said = append(said, string(g.Kind)+" "+g.String())
	}
	return said
}

func TestWithGit(t *testing.T) {
	r := newRepo(t, true)
	r.step(first)
	r.step(map[string]string{"pkg/rules/gone.go": "package rules\n", "cmd/lost.go": "package main\n"})
	if got := check(t, r, note); got != nil {
		t.Errorf("nothing is gone, but: %v", got)
	}
	lost := r.step(map[string]string{"pkg/rules/gone.go": "", "cmd/lost.go": ""})
	r.step(map[string]string{"pkg/rules/older.go": "<-pkg/rules/old.go"})
	r.step(map[string]string{"pkg/kept/old.go": "<-pkg/rules/older.go"})
	dropped := r.step(map[string]string{"pkg/kept/old.go": "package kept\n"})
	loaded := r.step(map[string]string{"pkg/config/parse.go": "package config\n\nfunc ParseFile() { LoadFile() }\n"})
	unloaded := r.step(map[string]string{"pkg/config/parse.go": "package config\n\nfunc ParseFile() {}\n"})
	want := []string{
		"path rules/old.go, now pkg/kept/old.go", "path pkg/rules/gone.go, gone since " + lost, "symbol droppedRule, gone since " + dropped,
		"symbol config.LoadFile, gone since " + unloaded, "path lost.go, gone since " + lost,
	}
	if diff := cmp.Diff(want, check(t, r, note)); diff != "" {
		t.Error(diff)
	}
	// A commit that is there, one that isn't.
	if diff := cmp.Diff([]string{"commit 0badc0de1, gone"}, check(t, r, "Fixed in commit "+loaded+", reverted commit 0badc0de1.")); diff != "" {
		t.Error(diff)
	}
	// What a file that git ignores holds is there.
	r.step(map[string]string{".gitignore": "cmd/\n"})
	if err := os.WriteFile(filepath.Join(r.dir, "cmd", "lost.go"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if got := check(t, r, "See cmd/lost.go."); got != nil {
		t.Errorf("%v", got)
	}
	// Part of a repository: its paths are those below it, or of all of it.
	part := &repo{t, filepath.Join(r.dir, "pkg"), true}
	if diff := cmp.Diff([]string{"path rules/gone.go, gone since " + lost}, check(t, part, "See rules/gone.go and rules/merge.go.")); diff != "" {
		t.Error(diff)
	}
}

// Without git, and where the history is cut off, only what is surely of this repository is told.
func TestWithoutHistory(t *testing.T) {
	plain := newRepo(t, false)
	plain.step(first)
	want := []string{"path pkg/rules/gone.go, gone", "path pkg/plan/next.go, gone", "symbol config.LoadFile, gone"}
	if diff := cmp.Diff(want, check(t, plain, note)); diff != "" {
		t.Error(diff)
	}
	full := newRepo(t, true)
	full.step(first)
	full.step(map[string]string{"a.txt": "more\n"})
	shallow := &repo{t, filepath.Join(t.TempDir(), "clone"), true}
	full.run("clone", "-q", "--depth", "1", "file://"+full.dir, shallow.dir)
	if diff := cmp.Diff(want, check(t, shallow, note+" commit 0badc0de1")); diff != "" {
		t.Error(diff)
	}
}

func TestOpenFails(t *testing.T) {
	dir := t.TempDir()
	if _, err := repository.Open(t.Context(), filepath.Join(dir, "no"), ""); err == nil {
		t.Error("a directory that isn't there")
	}
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := repository.Open(t.Context(), file, ""); err == nil || !strings.Contains(err.Error(), "not a directory") {
		t.Errorf("a file: %v", err)
	}
	empty := newRepo(t, true) // without a commit
	if got := check(t, empty, note); got != nil {
		t.Errorf("%v", got)
	}
}
