package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/memoryd/memoryd/fixtures"
)

// The tests from outside run in three sizes: -short, the default, and
// MEMORYD_HARNESS=full. With CI=true what can't be tested on a machine fails
// instead of being skipped.
var (
	full = os.Getenv("MEMORYD_HARNESS") == "full"
	inCI = os.Getenv("CI") == "true"
)

// size picks by the size of the harness.
func size(short, usual, all int) int {
	switch {
	case full:
		return all
	case testing.Short():
		return short
	}
	return usual
}

var built string // the directory of the built program, if it was built

// program builds the program that people get.
var program = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "memory-built")
	if err != nil {
		return "", err
	}
	built = dir
	exe := filepath.Join(dir, "memory")
	if out, err := exec.Command("go", "build", "-o", exe, ".").CombinedOutput(); err != nil {
		return "", fmt.Errorf("build: %w\n%s", err, out)
	}
	return exe, nil
})

// tests removes the built program when they are over.
type tests struct{ *testing.M }

func (t tests) Run() int {
	defer func() { os.RemoveAll(built) }()
	return t.M.Run()
}

// times: what prepares a workspace, the command under attack, and what comes
// after it each have their own hour.
var (
	before = []string{"MEMORY_AT=" + fixtures.At, "MEMORY_AGENT=DEV-001"}
	during = []string{"MEMORY_AT=2026-03-01T09:20:00Z", "MEMORY_AGENT=DEV-001"}
	after  = []string{"MEMORY_AT=2026-03-01T09:40:00Z", "MEMORY_AGENT=DEV-001"}
)

// call runs the program in a workspace; the error is that it could not be run.
func call(exe, dir string, env []string, args ...string) (stdout, stderr string, code int, err error) {
	cmd := exec.Command(exe, args...)
	var out, errs bytes.Buffer
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = dir, env, &out, &errs
	err = cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.Exited() {
		code, err = exit.ExitCode(), nil
	}
	return out.String(), errs.String(), code, err
}

// attack is a command to be interrupted.
type attack struct {
	name    string
	args    []string
	prepare func(t *testing.T, exe, dir string)
}

// done returns a preparation that runs a command.
func done(args ...string) func(t *testing.T, exe, dir string) {
	return func(t *testing.T, exe, dir string) {
		t.Helper()
		if _, stderr, code, err := call(exe, dir, before, args...); err != nil || code != 0 {
			t.Fatalf("memory %s: exit code %d, %v\n%s", strings.Join(args, " "), code, err, stderr)
		}
	}
}

func attacks() []attack {
	all := []attack{
		{"consolidate", []string{"consolidate", "--pause", "0s"}, nil},
		{"undo", []string{"undo", "run_20260301T09"}, done("consolidate", "--pause", "0s")},
		{"add", []string{"add", "--id", "mem_new", "--type", "semantic", "--tag", "x", "--text", "The build cache lives on the second disk."}, nil},
		{"edit", []string{"edit", "mem_glossary0001", "--set", "priority=high"}, nil},
		{"tag", []string{"tag", "mem_glossary0001", "words"}, nil},
		{"archive", []string{"archive", "mem_glossary0001", "mem_deploy000001", "--reason", "no use"}, nil},
		{"show", []string{"show", "mem_glossary0001"}, done("show", "mem_deploy000001")}, // counts reads
		{"restore", []string{"restore", "mem_glossary0001"}, done("archive", "mem_glossary0001", "--reason", "no use")},
		{"review --merge", []string{"review", "mem_sandbox00001", "--merge"}, done("consolidate", "--pause", "0s")},
		{"check --fix", []string{"check", "--fix"}, func(t *testing.T, _, dir string) {
			write(t, filepath.Join(dir, "global/_index.json"), `{"entries":[`)
			write(t, filepath.Join(dir, "ops/review.json"), `[]`)
		}},
		{"reindex", []string{"reindex"}, func(t *testing.T, _, dir string) {
			for _, name := range []string{"global/_index.json", "agents/DEV-001/_index.json"} {
				if err := os.Remove(filepath.Join(dir, name)); err != nil {
					t.Fatal(err)
				}
			}
		}},
	}
	return all
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(text), 0o644)); err != nil {
		t.Fatal(err)
	}
}

// repeats reports whether a command that was cut off is simply to be given again:
// it makes derived files anew and logs nothing.
func (a *attack) repeats() bool { return a.name == "check --fix" || a.name == "reindex" }

// next is the command that comes after a kill. It takes the lock, and changes
// nothing where all is in order.
func (a *attack) next() (args, env []string) {
	if a.repeats() {
		return a.args, during
	}
	return []string{"reindex"}, after
}

// workspaceFor makes the workspace that an attack begins with.
func (a *attack) workspaceFor(t *testing.T, exe, dir string) {
	t.Helper()
	if err := fixtures.CopyTo(dir, fixtures.Small); err != nil {
		t.Fatal(err)
	}
	done("reindex")(t, exe, dir)
	if a.prepare != nil {
		a.prepare(t, exe, dir)
	}
}

// tree is every file below a directory.
func tree(dir string) (map[string]string, error) {
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		rel, err := filepath.Rel(dir, name)
		if err != nil {
			return err
		}
		text, err := os.ReadFile(name)
		files[filepath.ToSlash(rel)] = string(text)
		return err
	})
	return files, err
}

// seen is what of a tree people see: all but the records of runs, who held the
// lock last, and the empty files with which "check" tries out the file system.
func seen(files map[string]string) map[string]string {
	files = maps.Clone(files)
	maps.DeleteFunc(files, func(name, text string) bool {
		return strings.HasPrefix(name, "ops/runs/") || name == "ops/.lock" || text == "" && strings.Contains(name, "/.mem-tmp-")
	})
	return files
}

// lost lists the files of was whose bytes nothing in is holds any more: no file,
// no slot, no journal.
func lost(was, is map[string]string) (names []string) {
	there := map[[32]byte]bool{}
	for name, text := range is {
		there[sha256.Sum256([]byte(text))] = true
		if strings.HasPrefix(name, "ops/runs/") && filepath.Base(name) == "journal.json" {
			_, body, _ := strings.Cut(text, "\n")
			var j struct{ Files []struct{ Before []byte } }
			if json.Unmarshal([]byte(body), &j) == nil {
				for _, f := range j.Files {
					there[sha256.Sum256(f.Before)] = true
				}
			}
		}
	}
	for name, text := range was {
		if !there[sha256.Sum256([]byte(text))] && !strings.HasPrefix(is[name], text) { // it may have been appended to
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// open lists the runs of a tree that were committed and not finished.
func open(files map[string]string) (runs []string) {
	for name := range files {
		if run, ok := strings.CutSuffix(name, "/journal.json"); ok && strings.HasPrefix(name, "ops/runs/") {
			if _, done := files[run+"/done.json"]; !done {
				runs = append(runs, filepath.Base(run))
			}
		}
	}
	return runs
}

// outcomes are the trees before an attack, and after one that was let be.
type outcomes struct{ pre, post map[string]string }

// judge looks at a workspace after a kill. The next command has to finish what
// was committed, and to say so; then all is as before or as after.
func (a *attack) judge(exe, dir string, want outcomes, ended bool) (post bool, err error) {
	now, err := tree(dir)
	if err != nil {
		return false, err
	}
	if gone := lost(seen(want.pre), now); len(gone) > 0 {
		return false, fmt.Errorf("lost at the kill: %v", gone)
	}
	for name, text := range seen(now) { // a reader at that moment; what was broken before may still be
		if strings.HasSuffix(name, ".json") && !json.Valid([]byte(strings.TrimPrefix(text, "\ufeff"))) && want.pre[name] != text && !strings.HasPrefix(name, "ops/conflicts/") {
			return false, fmt.Errorf("%s is broken at the kill", name)
		}
	}
	unfinished := open(now)
	if len(unfinished) > 0 {
		stdout, _, code, err := call(exe, dir, after, "check")
		if err != nil || code != 3 || !strings.Contains(stdout, "interrupted") {
			return false, fmt.Errorf("check doesn't report %v: exit code %d, %w\n%s", unfinished, code, err, stdout)
		}
	}
	next, env := a.next()
	_, stderr, code, err := call(exe, dir, env, next...)
	if err != nil || code != 0 {
		return false, fmt.Errorf("the next command: exit code %d, %w\n%s", code, err, stderr)
	}
	for _, run := range unfinished {
		if !strings.Contains(stderr, "finished the run "+run) {
			return false, fmt.Errorf("the next command doesn't say that it has finished %s:\n%s", run, stderr)
		}
	}
	if now, err = tree(dir); err != nil {
		return false, err
	}
	if gone := lost(seen(want.pre), now); len(gone) > 0 {
		return false, fmt.Errorf("lost after recovery: %v", gone)
	}
	pre := maps.Equal(seen(now), want.pre) && !a.repeats()
	post = maps.Equal(seen(now), want.post)
	switch {
	case !pre && !post:
		return false, fmt.Errorf("neither as before nor as after: %s", differs(want.post, seen(now)))
	case ended && !post:
		return false, errors.New("the command had ended, and all is as before")
	case len(unfinished) > 0 && !post:
		return false, errors.New("the run was committed, and all is as before")
	case len(open(now)) > 0:
		return false, fmt.Errorf("still unfinished: %v", open(now))
	}
	for _, args := range [][]string{{"check"}, {"log", "--verify"}} {
		if stdout, stderr, code, err := call(exe, dir, after, args...); err != nil || code != 0 {
			return false, fmt.Errorf("memory %s: exit code %d, %w\n%s%s", strings.Join(args, " "), code, err, stdout, stderr)
		}
	}
	return post, nil
}

// differs names what differs between two trees.
func differs(want, got map[string]string) string {
	var lines []string
	for name, text := range want {
		if is, ok := got[name]; !ok {
			lines = append(lines, "no "+name)
		} else if is != text {
			lines = append(lines, "other "+name+":\n"+cmp.Diff(text, is))
		}
	}
	for name := range got {
		if _, ok := want[name]; !ok {
			lines = append(lines, "a new "+name)
		}
	}
	slices.Sort(lines)
	return strings.Join(lines, ", ")
}

// outcomes lets the command be: what was there before, and what it leaves.
func (a *attack) outcomes(t *testing.T, exe, origin string) (want outcomes) {
	t.Helper()
	dir := copied(t, origin)
	pre, err := tree(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, stderr, code, err := call(exe, dir, during, a.args...); err != nil || code != 0 {
		t.Fatalf("undisturbed: exit code %d, %v\n%s", code, err, stderr)
	}
	post, err := tree(dir)
	if err != nil {
		t.Fatal(err)
	}
	want = outcomes{seen(pre), seen(post)}
	if _, err := a.judge(exe, dir, want, true); err != nil {
		t.Fatalf("undisturbed: %v", err)
	}
	return want
}

// copied copies a workspace.
func copied(t *testing.T, origin string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	dir = filepath.Join(dir, "ws")
	if err := os.CopyFS(dir, os.DirFS(origin)); err != nil {
		t.Fatal(err)
	}
	return dir
}
