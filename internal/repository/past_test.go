package repository

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// The history says of a path that is missing which commit removed it, and where it is now; of one that never was it says nothing.
func TestLost(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip(err)
	}
	dir := t.TempDir()
	git := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=a", "-c", "user.email=a@example.com"}, args...)...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	git("init", "-q")
	for name, text := range map[string]string{"a/moved.go": "package a\n\nfunc One() {}\n\nfunc Two() {}\n", "a/gone.go": "package gone\n", "old/x.txt": "x\n", ".gitignore": "/out/\n*.tmp\n!keep.tmp\n"} {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	git("add", "-A")
	git("commit", "-qm", "one")
	git("mv", "a/moved.go", "a/here.go")
	git("rm", "-q", "a/gone.go", "old/x.txt")
	git("commit", "-qm", "two")
	repo, err := Open(context.Background(), dir, "")
	if err != nil {
		t.Fatal(err)
	}
	lost, err := repo.Lost(context.Background(), []string{"a/moved.go", "a/gone.go", "old", "never.go"})
	if err != nil {
		t.Fatal(err)
	}
	if lost["a/moved.go"].Now != "a/here.go" || lost["a/gone.go"].Commit == "" || lost["a/gone.go"].Now != "" || lost["old"].Commit == "" || len(lost) != 3 {
		t.Errorf("%+v", lost)
	}
	ignored := repo.Ignores()
	for name, want := range map[string]bool{"out/a/b.js": true, "a/x.tmp": true, "keep.tmp": false, "a/here.go": false, "sub/out/x.js": false} {
		if ignored(name) != want {
			t.Errorf("%s: ignored is %v", name, !want)
		}
	}
}
