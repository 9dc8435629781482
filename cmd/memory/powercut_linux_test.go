package main

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// disks are the file systems that lose power; size in MiB.
var disks = []struct {
	name, mkfs, options string
	args                []string
	size                int64
}{
	{"ext4", "mkfs.ext4", "loop", []string{"-q", "-F"}, 24},
	{"ext4 writeback", "mkfs.ext4", "loop,data=writeback,noauto_da_alloc", []string{"-q", "-F"}, 24},
	{"xfs", "mkfs.xfs", "loop", []string{"-q", "-f"}, 320},
	{"btrfs", "mkfs.btrfs", "loop", []string{"-q", "-f"}, 128},
}

// TestPowerCut keeps the workspace on a disk image, kills the built program at a
// system call, and copies the image at that moment: the copy holds what a loss of
// power would have left. It is mounted, which replays the file system's journal,
// and the next command has to make the workspace as before or as after. What the
// program had said was done must be.
//
// Needs root, loop devices and mkfs; runs only with MEMORYD_HARNESS=full.
func TestPowerCut(t *testing.T) {
	if !full {
		t.Skip("SKIPPED: runs with MEMORYD_HARNESS=full, as root")
	}
	if os.Geteuid() != 0 {
		t.Skip("SKIPPED: no power is cut: mounting disk images needs root")
	}
	exe := tracing(t)
	for _, d := range disks {
		t.Run(d.name, func(t *testing.T) {
			if _, err := exec.LookPath(d.mkfs); err != nil {
				t.Skip("SKIPPED: no power is cut on this file system:", err)
			}
			r := &rig{t: t, exe: exe, options: d.options, dir: t.TempDir()}
			origin := filepath.Join(r.dir, "origin.img")
			if err := sparse(origin, d.size<<20); err != nil {
				t.Fatal(err)
			}
			if out, err := exec.Command(d.mkfs, append(d.args, origin)...).CombinedOutput(); err != nil {
				t.Fatalf("%s: %v\n%s", d.mkfs, err, out)
			}
			if err := r.mounted(origin, func(string) error { return nil }); err != nil {
				t.Skip("SKIPPED: no power is cut: disk images can't be mounted here:", err)
			}
			for _, a := range attacks() {
				if a.name != "consolidate" && a.name != "undo" {
					continue
				}
				t.Run(a.name, func(t *testing.T) {
					r.t = t
					steps, bad := r.cuts(&a, origin, 1, nil)
					for _, b := range bad {
						t.Error(b)
					}
					if steps < 100 {
						t.Errorf("only %d steps", steps)
					}
				})
			}
			// Cuts that never hurt prove nothing: without fsync they must.
			if d.name == "ext4" {
				t.Run("bugs", func(t *testing.T) {
					r.t = t
					tr := &tracer{dir: t.TempDir(), noSync: func(string) bool { return true }}
					if _, _, err := tr.run([]string{exe, "init"}, nil); err != nil {
						t.Skip("SKIPPED: calls can't be taken away:", err)
					}
					for name, skip := range map[string]func(string) bool{
						"the slots are not fsynced":  func(where string) bool { return strings.Contains(where, "/s/") },
						"the journal is not fsynced": func(where string) bool { return strings.HasSuffix(where, "/journal.tmp") },
						"nothing is fsynced":         func(string) bool { return true },
					} {
						cuts, bad := r.cuts(&attacks()[0], origin, 9, skip)
						t.Logf("%s: %d of %d cuts end badly", name, len(bad), cuts)
						if len(bad) == 0 {
							t.Errorf("%s, and no cut shows it", name)
						}
					}
				})
			}
		})
	}
}

// rig mounts disk images.
type rig struct {
	t            *testing.T
	exe, options string
	dir          string
}

// mounted calls f with the place at which an image is mounted.
func (r *rig) mounted(image string, f func(dir string) error) (err error) {
	dir, err := os.MkdirTemp(r.dir, "mnt")
	if err != nil {
		return err
	}
	if out, err := exec.Command("mount", "-o", r.options, image, dir).CombinedOutput(); err != nil {
		return fmt.Errorf("mount: %w: %s", err, out)
	}
	defer func() {
		uerr := unix.Unmount(dir, 0)
		if uerr != nil { // whatever happens, nothing stays mounted
			uerr = errors.Join(uerr, unix.Unmount(dir, unix.MNT_DETACH))
		}
		err = errors.Join(err, uerr)
	}()
	return f(dir)
}

// cuts cuts the power before each step of an attack, or every few, and returns how
// often, and what went wrong. Calls of fsync for which skip holds do nothing.
func (r *rig) cuts(a *attack, empty string, stride int, skip func(where string) bool) (n int, bad []string) {
	origin := filepath.Join(r.dir, "prepared.img")
	r.check(copyImage(empty, origin))
	var want outcomes
	steps := 0
	r.check(r.mounted(origin, func(dir string) error {
		ws := filepath.Join(dir, "ws")
		a.workspaceFor(r.t, r.exe, ws)
		want, steps = a.undisturbed(r.t, r.exe, ws)
		return nil
	}))
	posts, missing := 0, 0
	image, cut := filepath.Join(r.dir, "run.img"), filepath.Join(r.dir, "cut.img")
	for at := steps; at > 0; at -= stride { // the last: it says what it has done
		r.check(copyImage(origin, image))
		tr := &tracer{at: at, noSync: skip}
		var there map[string]string
		r.check(r.mounted(image, func(dir string) error {
			tr.dir = filepath.Join(dir, "ws")
			killed, code, err := tr.run(append([]string{r.exe}, a.args...), during)
			if err != nil || !killed {
				return fmt.Errorf("step %d: not killed: exit code %d, %w", at, code, err)
			}
			if err := copyImage(image, cut); err != nil {
				return err
			}
			there, err = tree(tr.dir)
			return err
		}))
		r.check(r.mounted(cut, func(dir string) error {
			ws := filepath.Join(dir, "ws")
			left, err := tree(ws)
			if err != nil {
				return err
			}
			delete(left, "ops/.lock")
			delete(there, "ops/.lock")
			if !maps.Equal(left, there) {
				missing++
			}
			post, err := a.judge(r.exe, ws, want, tr.saysDone())
			if err != nil {
				bad = append(bad, fmt.Sprintf("power cut at step %d, %s: %v", at, tr.where, err))
			}
			if post {
				posts++
			}
			return nil
		}))
		n++
	}
	r.t.Logf("%d cuts, after %d of which something was missing that the killed program had seen; %d ended as after", n, missing, posts)
	if missing == 0 || posts == n {
		r.t.Error("no cut took anything away: nothing is proved")
	}
	return n, bad
}

func (r *rig) check(err error) {
	r.t.Helper()
	if err != nil {
		r.t.Fatal(err)
	}
}

func sparse(name string, size int64) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	return errors.Join(f.Truncate(size), f.Close())
}

func copyImage(from, to string) error {
	out, err := exec.Command("cp", "--sparse=always", from, to).CombinedOutput()
	if err != nil {
		return fmt.Errorf("copy image: %w: %s", err, out)
	}
	return nil
}
