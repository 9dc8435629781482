package main

import (
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
)

// TestKilledAtEveryCall kills the program, as people get it, before its every
// system call that changes something; now and then the next command, too, while
// it finishes what the first had begun. Nothing is lost, and the workspace is as
// before or as after.
func TestKilledAtEveryCall(t *testing.T) {
	exe := tracing(t)
	var kills, nested, posts atomic.Int64
	t.Run("each", func(t *testing.T) {
		for _, a := range attacks() {
			t.Run(a.name, func(t *testing.T) {
				t.Parallel()
				origin := filepath.Join(t.TempDir(), "origin")
				a.workspaceFor(t, exe, origin)
				want, all := a.undisturbed(t, exe, origin)
				stride := size(max(31, all/4), 1)
				for at := 1 + len(a.name)%stride; at <= all; at += stride {
					if t.Failed() {
						return
					}
					dir := copied(t, origin)
					tr := &tracer{dir: dir, at: at}
					killed, code, err := tr.run(append([]string{exe}, a.args...), during)
					if err != nil || !killed {
						t.Fatalf("step %d of %d: not killed: exit code %d, %v\n%s", at, all, code, err, &tr.stderr)
					}
					kills.Add(1)
					name := fmt.Sprintf("step %d, %s", at, tr.where)
					if again := at / stride; again%size(2, 4) == 0 {
						tr := &tracer{dir: dir, at: 1 + again*7%60}
						next, env := a.next()
						killed, code, err := tr.run(append([]string{exe}, next...), env)
						if err != nil || !killed && code != 0 {
							t.Fatalf("%s; in recovery: exit code %d, %v\n%s", name, code, err, &tr.stderr)
						}
						if killed {
							nested.Add(1)
							name += fmt.Sprintf("; in recovery step %d, %s", tr.at, tr.where)
						}
					}
					post, err := a.judge(exe, dir, want, tr.saysDone())
					if err != nil {
						t.Errorf("%s: %v", name, err)
					}
					if post {
						posts.Add(1)
					}
					if err := os.RemoveAll(dir); err != nil {
						t.Fatal(err)
					}
				}
			})
		}
	})
	t.Logf("%d kills, %d more in recovery; %d ended as after, the rest as before", kills.Load(), nested.Load(), posts.Load())
	if !t.Failed() && (kills.Load() == 0 || nested.Load() == 0 || posts.Load() == 0 || posts.Load() == kills.Load()) {
		t.Error("too little happened")
	}
}

// undisturbed lets the attacked command be: what it leaves, and its steps.
func (a *attack) undisturbed(t *testing.T, exe, origin string) (want outcomes, steps int) {
	t.Helper()
	dir := copied(t, origin)
	tr := &tracer{dir: dir}
	if killed, code, err := tr.run(append([]string{exe}, a.args...), during); err != nil || killed || code != 0 {
		t.Fatalf("traced: killed %v, exit code %d, %v\n%s", killed, code, err, &tr.stderr)
	}
	if len(tr.other) > 0 {
		t.Errorf("the program makes system calls %v, of which nobody knows whether they change anything", tr.other)
	}
	return a.outcomes(t, exe, origin), tr.n
}
