package worktree

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// A directory of a repository may have the name of each directory up to the top; elsewhere only its own counts.
func TestNames(t *testing.T) {
	top := t.TempDir()
	for _, dir := range []string{"shop/.git/worktrees/feature", "shop/cmd/till", "feature/cmd", "plain/below"} {
		if err := os.MkdirAll(filepath.Join(top, filepath.FromSlash(dir)), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range map[string]string{"feature/.git": "gitdir: ../shop/.git/worktrees/feature\n", "shop/.git/worktrees/feature/commondir": "../..\n"} {
		if err := os.WriteFile(filepath.Join(top, filepath.FromSlash(name)), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for dir, want := range map[string][]string{
		"shop": {"shop"}, "shop/cmd/till": {"till", "cmd", "shop"}, "feature/cmd": {"cmd", "shop", "feature"}, "feature": {"shop", "feature"}, "plain/below": {"below"},
	} {
		if got := Names(filepath.Join(top, filepath.FromSlash(dir))); !slices.Equal(got, want) {
			t.Errorf("%s: %q, not %q", dir, got, want)
		}
	}
}
