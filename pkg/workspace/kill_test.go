//go:build unix

package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/memoryd/memoryd/pkg/internal/durable"
	"github.com/memoryd/memoryd/pkg/internal/durable/faultfs"
	"github.com/memoryd/memoryd/pkg/memory"
)

// The test binary is its own child: MEMORYD_CHILD says what to do in which
// directory.
func TestMain(m *testing.M) {
	if task := os.Getenv("MEMORYD_CHILD"); task != "" {
		if err := child(strings.Split(task, " ")); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(3)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// child runs "kill DIR STEP", the scenario with a kill before that step; "recover
// DIR STEP", recovery likewise; or "apply DIR SEED", changes without end.
func child(args []string) error {
	s, err := Open(args[1])
	if err != nil {
		return err
	}
	n, err := strconv.Atoi(args[2])
	if err != nil {
		return err
	}
	if args[0] == "apply" {
		return applyForever(s, rand.New(rand.NewPCG(uint64(n), 1)))
	}
	at := 0
	s.root = &faultfs.Hook{FS: s.root, Before: func(step faultfs.Step) error {
		if step.Writes {
			if at++; at == n {
				return errors.Join(syscall.Kill(os.Getpid(), syscall.SIGKILL), errors.New("killed"))
			}
		}
		return nil
	}}
	s.parallel = 1
	if args[0] == "recover" {
		release, err := s.lock(context.Background(), "recover")
		if err != nil {
			return err
		}
		return release()
	}
	return scenarios()[0].steps[0](s)
}

func spawn(task string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], "-test.run=^$")
	cmd.Env = append(os.Environ(), "MEMORYD_CHILD="+task)
	cmd.Stderr = os.Stderr
	return cmd
}

// killed reports whether a child died of SIGKILL; another failure is an error.
func killed(err error) (bool, error) {
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		if status, ok := exit.Sys().(syscall.WaitStatus); ok && status.Signaled() && status.Signal() == syscall.SIGKILL {
			return true, nil
		}
	}
	return false, err
}

// onDisk reads what people see below a directory.
func onDisk(dir string) (map[string]string, error) {
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(dir, name)
		if err != nil || strings.HasPrefix(rel, RunsDir+"/") || rel == memory.LockFile {
			return err
		}
		text, err := os.ReadFile(name)
		files[rel] = string(text)
		return err
	})
	return files, err
}

func onNewDisk(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		file := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestKilledAtEveryStep kills a process before each step that writes, on the real
// disk, then another one in the midst of recovery.
func TestKilledAtEveryStep(t *testing.T) {
	sc := scenarios()[0]
	stages := sc.stages(t)
	steps, kills := 0, 0
	for _, p := range sc.points(t, plain) {
		if p.step.Writes {
			steps++
		}
	}
	for at := 1; at <= steps+1; at += size(20, 4, 1) {
		dir := onNewDisk(t, sc.files)
		died, err := killed(spawn(fmt.Sprintf("kill %s %d", dir, at)).Run())
		if err != nil {
			t.Fatalf("step %d: %v", at, err)
		}
		if died {
			kills++
		}
		if _, err := killed(spawn(fmt.Sprintf("recover %s %d", dir, 1+at*7%40)).Run()); err != nil {
			t.Fatalf("step %d: recovery: %v", at, err)
		}
		s, err := Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		release, err := s.lock(context.Background(), "test")
		if err != nil {
			t.Fatalf("step %d: second recovery: %v", at, err)
		}
		if err := errors.Join(release(), s.Close()); err != nil {
			t.Fatal(err)
		}
		got, err := onDisk(dir)
		if err != nil {
			t.Fatal(err)
		}
		pre, post := sameTree(got, stages[0]), sameTree(got, stages[1])
		if !pre && !post || post != !pre || !died && !post {
			t.Errorf("step %d: before %v, after %v, killed %v", at, pre, post, died)
		}
	}
	t.Logf("%d kills", kills)
	if kills == 0 {
		t.Error("nothing was killed")
	}
}

func sameTree(a, b map[string]string) bool {
	for name, text := range a {
		if b[name] != text {
			return false
		}
	}
	return len(a) == len(b)
}

// applyForever changes, archives and restores memories until it is killed.
func applyForever(s *FileStore, r *rand.Rand) error {
	s.Wait = 30 * time.Second
	for n := 0; ; n++ {
		at := day.Add(time.Duration(r.IntN(1000)) * time.Second)
		snap, err := s.Load(at)
		if err != nil {
			return err
		}
		files, touched := snap.NewFiles(), map[string]bool{}
		var actions []memory.Action
		for range 1 + r.IntN(3) {
			if r.IntN(4) == 0 && len(snap.Archived()) > 0 {
				m := snap.Archived()[r.IntN(len(snap.Archived()))]
				to := "mem/" + memory.FileName(m.ID) + ".json"
				if !files.Taken(to) && !touched[to] {
					touched[to] = true
					actions = append(actions, memory.Action{Action: restoring(m.ID), Ops: []memory.Op{{Kind: memory.Move, ID: m.ID, Ref: m.Ref, Base: m.Digest(), To: memory.Ref{File: to}}}})
				}
				continue
			}
			if len(snap.Memories()) == 0 {
				continue
			}
			m := snap.Memories()[r.IntN(len(snap.Memories()))]
			if m.Locked != "" || touched[m.File] {
				continue
			}
			touched[m.File] = true
			if r.IntN(3) == 0 {
				actions = append(actions, archiveOf2(snap, m, files))
				continue
			}
			raw := strings.Replace(string(m.Raw()), `"type"`, fmt.Sprintf(`"n%d": 1, "type"`, n), 1)
			if len(raw) > 4000 {
				continue
			}
			actions = append(actions, memory.Action{Action: restoring(m.ID), Ops: []memory.Op{{Kind: memory.Put, ID: m.ID, Ref: m.Ref, Base: m.Digest(), Raw: []byte(raw)}}})
		}
		plan := &memory.Plan{At: at, Trigger: "stress", Actions: actions}
		plan.Seal(s.Log().Head() + strconv.Itoa(os.Getpid()) + strconv.Itoa(n))
		if _, err := s.Commit(context.Background(), &Tx{Plan: plan}); err != nil && !errors.Is(err, ErrLocked) && !errors.Is(err, durable.ErrLocked) {
			return fmt.Errorf("apply: %w", err)
		}
	}
}
