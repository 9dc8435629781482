//go:build unix

package autostart

import (
	"os"
	"strings"
	"testing"
	"time"
)

func TestRunNeverHangs(t *testing.T) {
	for _, script := range []string{"exec sleep 10", "sleep 10 & wait", "read answer; exec sleep 10"} {
		if _, err := run(t.Context(), os.Environ(), 50*time.Millisecond, []string{"sh", "-c", script}); err == nil || !strings.Contains(err.Error(), "no answer after 50ms") {
			t.Errorf("%s: %v", script, err)
		}
	}
	out, err := run(t.Context(), os.Environ(), time.Minute, []string{"sh", "-c", "echo out; echo why >&2; echo more >&2; exit 3"})
	if out != "out\n" || err == nil || err.Error() != "why" {
		t.Errorf("%q, %v", out, err)
	}
	if _, err := run(t.Context(), os.Environ(), time.Minute, []string{"sh", "-c", "exit 3"}); err == nil || err.Error() != "exit status 3" {
		t.Error(err)
	}
}
