package worktree

import (
	"encoding/binary"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"os"
)

// names are those that an index holds.
func names(data []byte) (all []string) {
	eachName(data, func(name string) bool { all = append(all, name); return true })
	return all
}

// What git writes is read, in each version of its index and with both kinds of hashes.
func TestIndexesOfGit(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("SKIPPED: needs git")
	}
	for _, hash := range []string{"sha1", "sha256"} {
		for version := 2; version <= 4; version++ {
			dir := t.TempDir()
			run := func(args ...string) {
				t.Helper()
				if out, err := exec.Command(git, append([]string{"-C", dir}, args...)...).CombinedOutput(); err != nil {
					t.Fatalf("git %v: %v: %s", args, err, out)
				}
			}
			want := []string{"a", "memory/agents/x/y.json", "memory/memory.toml", "memory/商店.json", "z"}
			for _, name := range want {
				name = filepath.Join(dir, name)
				if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(name, nil, 0o666); err != nil {
					t.Fatal(err)
				}
			}
			run("init", "-q", "--object-format="+hash)
			run("add", ".")
			run("add", "--intent-to-add", ".")
			run("update-index", "--index-version", strconv.Itoa(version))
			data, err := os.ReadFile(filepath.Join(dir, ".git", "index"))
			if err != nil {
				t.Fatal(err)
			}
			if got := names(data); !slices.Equal(got, want) {
				t.Errorf("%s, version %d (written as %d): %q, want %q", hash, version, binary.BigEndian.Uint32(data[4:]), got, want)
			}
		}
	}
}

// Nothing panics, and no name is longer than the data.
func FuzzIndex(f *testing.F) {
	f.Add([]byte("DIRC\x00\x00\x00\x04\x00\x00\x00\x01"))
	f.Add(append([]byte("DIRC\x00\x00\x00\x02\x00\x00\x00\x02"), make([]byte, 200)...))
	f.Add(append([]byte("DIRC\x00\x00\x00\x04\xff\xff\xff\xff"), make([]byte, 400)...))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, name := range names(data) {
			if len(name) > len(data)*len(data) {
				t.Fatalf("%d characters in %d bytes", len(name), len(data))
			}
		}
	})
}
