//go:build unix

package workspace

import (
	"errors"
	"syscall"
	"testing"

	"github.com/memoryd/memoryd/pkg/internal/durable/faultfs"
)

// A load that can't open a file because too many are open has not seen the workspace: it fails, whichever file it is,
// and the next one gives all. A file that alone can't be read is a problem of that file.
func TestLoadFailsWhenNoFileCanBeOpened(t *testing.T) {
	m, s := accessDisk(t, with(memories("agents/a", 3), AccessFile, readLog, "global/g.json", `{"id":"g","type":"x","content":"y"}`))
	steps := 0
	s.root = &faultfs.Hook{FS: m, Before: func(faultfs.Step) error { steps++; return nil }}
	want, err := s.Load(day)
	if err != nil {
		t.Fatal(err)
	}
	failed := 0
	for _, cause := range []error{syscall.EMFILE, syscall.ENFILE, syscall.ENOMEM} {
		for at := range steps {
			n, what := 0, faultfs.Step{}
			s.root = &faultfs.Hook{FS: m, Before: func(step faultfs.Step) error {
				if n++; n != at+1 {
					return nil
				}
				what = step
				return cause
			}}
			got, err := s.Load(day)
			switch {
			case errors.Is(err, cause):
				failed++
			case err != nil:
				t.Errorf("%v at %v: %v", cause, what, err)
			case len(got.Memories()) != len(want.Memories()) || len(got.Problems) != len(want.Problems) || len(got.Reads) != len(want.Reads):
				t.Errorf("%v at %v: %d memories, %d reads, problems %v", cause, what, len(got.Memories()), len(got.Reads), got.Problems)
			}
		}
	}
	if failed == 0 {
		t.Error("no load failed")
	}
	s.root = &faultfs.Hook{FS: m, Before: func(step faultfs.Step) error {
		if step.Op == "read" && step.Name == "global/g.json" {
			return syscall.EIO
		}
		return nil
	}}
	got, err := s.Load(day)
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Problems) != len(want.Problems)+1 || got.Live("g") != nil {
		t.Errorf("one file that can't be read: problems %v", got.Problems)
	}
}
