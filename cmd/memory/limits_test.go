//go:build unix

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// noFileForGo is what Go's runtime says before it gives up because there is no file
// left for the ones that it opens itself, for its timers.
var noFileForGo = regexp.MustCompile(`fatal error: runtime: (e|netpollinit failed)`)

// TestLimits lets the built program run out of file size, so that a write comes
// short and the next one fails, and out of open files, at every point: it says so,
// and when the limit is gone the workspace is as before or as after.
func TestLimits(t *testing.T) {
	exe := program(t)
	for _, a := range attacks() {
		if a.name != "consolidate" && a.name != "archive" && a.name != "undo" {
			continue
		}
		t.Run(a.name, func(t *testing.T) {
			t.Parallel()
			origin := filepath.Join(t.TempDir(), "origin")
			a.workspaceFor(t, exe, origin)
			want := a.outcomes(t, exe, origin)
			failed, ended := 0, 0
			try := func(limit string) {
				dir := copied(t, origin)
				defer os.RemoveAll(dir)
				_, stderr, code, err := call("/bin/sh", dir, during, append([]string{"-c", "ulimit " + limit + ` && exec "$0" "$@"`, exe}, a.args...)...)
				switch {
				case err != nil:
					t.Fatal(err)
				case code == 0:
					ended++
				case noFileForGo.MatchString(stderr):
					failed++
				case strings.Contains(stderr, "goroutine ") || !strings.Contains(stderr, "memory: "):
					t.Errorf("ulimit %s: exit code %d and no message:\n%s", limit, code, stderr)
				default:
					failed++
				}
				if _, err := a.judge(exe, dir, want, code == 0); err != nil {
					t.Errorf("ulimit %s: %v\n%s", limit, err, stderr)
				}
			}
			for blocks := 0; blocks < 200; blocks += size(47, 1) {
				try(fmt.Sprintf("-f %d", blocks))
			}
			for files := 8; files < 24; files += size(3, 1) {
				try(fmt.Sprintf("-n %d", files))
			}
			t.Logf("%d failed, %d ended", failed, ended)
			if failed == 0 || ended == 0 {
				t.Error("the limits were never met, or always")
			}
		})
	}
}
