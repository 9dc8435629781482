package scripts_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/sys/unix"
)

// TestDisks runs ../testdata/disk/*.txtar: what the program says and leaves on a disk
// that is full, can't be written, or is closed to it. It needs root, to mount.
// Besides the commands of [TestScripts], a script has:
//
//	disk DIR SIZE     mount an empty disk of that size, 64k say
//	remount DIR ro|rw make it read-only, or writable again
//	fill DIR          leave no free block on it
//	free DIR          take back what fill did
func TestDisks(t *testing.T) {
	probe := t.TempDir()
	if err := unix.Mount("tmpfs", probe, "tmpfs", 0, "size=64k"); err != nil {
		t.Skip("SKIPPED: only root can mount disks to test with:", err)
	}
	if err := unix.Unmount(probe, 0); err != nil {
		t.Fatal(err)
	}
	params := scripts("../testdata/disk")
	params.Cmds["disk"] = func(ts *testscript.TestScript, neg bool, args []string) {
		if neg || len(args) != 2 {
			ts.Fatalf("usage: disk DIR SIZE")
		}
		dir := ts.MkAbs(args[0])
		ts.Check(os.MkdirAll(dir, 0o755))
		ts.Check(unix.Mount("tmpfs", dir, "tmpfs", 0, "mode=0755,size="+args[1]))
		ts.Defer(func() { ts.Check(unix.Unmount(dir, unix.MNT_DETACH)) })
	}
	params.Cmds["remount"] = func(ts *testscript.TestScript, neg bool, args []string) {
		if neg || len(args) != 2 {
			ts.Fatalf("usage: remount DIR ro|rw")
		}
		flags := map[string]uintptr{"ro": unix.MS_REMOUNT | unix.MS_RDONLY, "rw": unix.MS_REMOUNT}[args[1]]
		ts.Check(unix.Mount("tmpfs", ts.MkAbs(args[0]), "tmpfs", flags, ""))
	}
	params.Cmds["fill"] = func(ts *testscript.TestScript, neg bool, args []string) {
		if neg || len(args) != 1 {
			ts.Fatalf("usage: fill DIR")
		}
		ts.Check(fill(filepath.Join(ts.MkAbs(args[0]), "filler")))
	}
	params.Cmds["free"] = func(ts *testscript.TestScript, neg bool, args []string) {
		if neg || len(args) != 1 {
			ts.Fatalf("usage: free DIR")
		}
		ts.Check(os.Remove(filepath.Join(ts.MkAbs(args[0]), "filler")))
	}
	testscript.Run(t, params)
}

// fill writes a file until the disk is full.
func fill(name string) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	for err == nil {
		_, err = f.Write(make([]byte, 4096))
	}
	if !errors.Is(err, syscall.ENOSPC) {
		return fmt.Errorf("fill %s: %w", name, err)
	}
	return f.Close()
}
