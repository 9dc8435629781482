package workspace

import (
	"fmt"
	"maps"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/memoryd/memoryd/pkg/internal/durable/faultfs"
)

var errnos = []syscall.Errno{syscall.ENOSPC, syscall.EIO, syscall.EACCES, syscall.EROFS, syscall.EMFILE, syscall.EDQUOT}

// disturbed runs the scenario's commands and calls at before each step from the
// first lock on; what at returns is the step's outcome. It returns the number of
// steps and how many commands succeeded.
func (sc *scenario) disturbed(m *faultfs.Mem, at func(n int, s faultfs.Step) error) (steps, acked int) {
	locked := false
	hook := &faultfs.Hook{FS: m}
	hook.Before = func(s faultfs.Step) error {
		if locked = locked || s.Op == "lock"; !locked {
			return nil
		}
		steps++
		return at(steps, s)
	}
	for i, step := range sc.steps {
		locked = false // what a command reads before it takes the lock is its own business
		if err := step(sc.store(hook, i)); err != nil {
			return steps, acked
		}
		acked++
	}
	return steps, acked
}

// TestEveryStepFails lets each step fail, once or from then on, and lifts the
// fault: the workspace is then as it was, or as it should be, never in between.
func TestEveryStepFails(t *testing.T) {
	total := 0
	for _, sc := range scenarios() {
		t.Run(sc.name, func(t *testing.T) {
			stages := sc.stages(t)
			steps, _ := sc.disturbed(sc.disk(t), func(int, faultfs.Step) error { return nil })
			stride := size(11, 1, 1)
			if len(sc.files) > 20 {
				stride = size(61, 17, 3)
			}
			var bad []string
			for at := 1; at <= steps; at += stride {
				for k, errno := range errnos {
					for _, sticky := range []bool{false, true} {
						if harness != "full" && (k+at)%len(errnos) != 0 {
							continue
						}
						name := fmt.Sprintf("%s/%d/%d/%v", sc.name, at, int(errno), sticky)
						if *onlyCase != "" && *onlyCase != name {
							continue
						}
						total++
						if err := sc.fails(t, stages, at, errno, sticky); err != nil {
							bad = append(bad, fmt.Sprintf("-harness.case='%s': %v", name, err))
						}
					}
				}
			}
			report(t, bad)
		})
	}
	t.Logf("%d faults", total)
}

func (sc *scenario) fails(t *testing.T, stages []map[string]string, at int, errno syscall.Errno, sticky bool) error {
	m, where := sc.disk(t), faultfs.Step{}
	_, acked := sc.disturbed(m, func(n int, s faultfs.Step) error {
		if n == at || sticky && n > at {
			if n == at {
				where = s
			}
			return errno
		}
		return nil
	})
	if err := sc.judge(m, stages, min(acked, len(stages)-1)); err != nil {
		return fmt.Errorf("%s %s: %w", where.Op, where.Name, err)
	}
	return nil
}

// TestScenarios makes sure that the scenarios do what the matrices rely on.
func TestScenarios(t *testing.T) {
	for _, sc := range scenarios() {
		stages := sc.stages(t)
		if maps.Equal(stages[0], stages[len(stages)-1]) {
			t.Errorf("%s changes nothing", sc.name)
		}
		if again := sc.stages(t); !cmp.Equal(stages, again) {
			t.Errorf("%s gives different files when run again:\n%s", sc.name, cmp.Diff(stages, again))
		}
	}
}
