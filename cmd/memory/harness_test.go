package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/memoryd/memoryd/fixtures"
)

var update = flag.Bool("update", false, "rewrite the golden outputs")

// The tests of the built program run in two sizes, the default and
// MEMORYD_HARNESS=full, and not with -short.
var full = os.Getenv("MEMORYD_HARNESS") == "full"

// size picks by the size of the harness.
func size(usual, all int) int {
	if full {
		return all
	}
	return usual
}

// put writes a file of a test.
func put(t testing.TB, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

var built string // the directory of the built program, if it was built

var build = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "memory-built")
	if err != nil {
		return "", err
	}
	built = dir
	exe := filepath.Join(dir, "memory")
	cmd := exec.Command("go", "build", "-o", exe, ".")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0") // as it is released: without a C library
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build: %w\n%s", err, out)
	}
	return exe, nil
})

// program is the program that people get, built once.
func program(t testing.TB) string {
	t.Helper()
	if testing.Short() {
		t.Skip("SKIPPED with -short: takes some seconds, in another process")
	}
	exe, err := build()
	if err != nil {
		t.Fatal(err)
	}
	return exe
}

func TestMain(m *testing.M) {
	code := m.Run()
	os.RemoveAll(built) // an empty name removes nothing
	os.Exit(code)
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
		{"session end", []string{"session", "end", "--session", "sess-20260228"}, nil},
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

func write(t testing.TB, name, text string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(text), 0o644)); err != nil {
		t.Fatal(err)
	}
}

// repeats reports whether a command that was cut off is simply to be given again:
// it makes derived files again and logs nothing.
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
