package workspace

import (
	"fmt"
	"maps"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/memoryd/memoryd/pkg/internal/durable/faultfs"
	"github.com/memoryd/memoryd/pkg/memory"
)

// fault is how a step fails.
type fault struct {
	errno  syscall.Errno
	made   string // "": not at all; "half": a file was written to the half; "whole": only the report is wrong
	sticky bool   // all later steps fail, too
	cut    bool   // then the power is cut: what was not synced is gone
}

func (f fault) String() string {
	return fmt.Sprintf("%d-%s-%v-%v", int(f.errno), f.made, f.sticky, f.cut)
}

// outcome is what a step that fails gives. A lock that isn't given isn't held.
func (f fault) outcome(s faultfs.Step) error {
	if f.made == "" || s.Op == "lock" {
		return f.errno
	}
	return &faultfs.HalfDone{Err: f.errno, Half: f.made == "half"}
}

// faults are those that a step can have.
func faults(s faultfs.Step) (all []fault) {
	for _, sticky := range []bool{false, true} {
		for _, errno := range []syscall.Errno{
			syscall.ENOSPC, syscall.EIO, syscall.EACCES, syscall.EROFS, syscall.EMFILE, syscall.EDQUOT, syscall.EINTR,
		} {
			all = append(all, fault{errno: errno, sticky: sticky})
		}
		if !s.Writes {
			continue
		}
		all = append(all, fault{errno: syscall.EIO, sticky: sticky, cut: true}) // fsync, above all
		for _, errno := range []syscall.Errno{syscall.EIO, syscall.EINTR} {
			all = append(all, fault{errno: errno, made: "whole", sticky: sticky})
		}
		if s.Op == "create" {
			for _, errno := range []syscall.Errno{syscall.ENOSPC, syscall.EDQUOT, syscall.EINTR} {
				all = append(all, fault{errno: errno, made: "half", sticky: sticky})
			}
		}
	}
	return all
}

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

// TestEveryStepFails lets each step fail, in each way, once or from then on, and
// lifts the fault: the workspace is then as it was, or as it should be, never in
// between.
func TestEveryStepFails(t *testing.T) {
	total := 0
	for _, sc := range scenarios() {
		t.Run(sc.name, func(t *testing.T) {
			stages := sc.stages(t)
			var all []faultfs.Step
			sc.disturbed(sc.disk(t), func(_ int, s faultfs.Step) error {
				all = append(all, s)
				return nil
			})
			stride := size(11, 2, 1)
			if len(sc.files) > 20 {
				stride = size(61, 17, 3)
			}
			var bad []string
			for at := 1; at <= len(all); at += stride {
				ways := faults(all[at-1])
				for k, f := range ways {
					if harness != "full" && (k+at)%len(ways) != 0 {
						continue
					}
					name := fmt.Sprintf("%s/%d/%s", sc.name, at, f)
					if *onlyCase != "" && *onlyCase != name {
						continue
					}
					total++
					if err := sc.fails(t, stages, at, f); err != nil {
						bad = append(bad, fmt.Sprintf("-harness.case='%s': %v", name, err))
					}
				}
			}
			report(t, bad)
		})
	}
	t.Logf("%d faults", total)
}

func (sc *scenario) fails(t *testing.T, stages []map[string]string, at int, f fault) error {
	m, where := sc.disk(t), faultfs.Step{}
	_, acked := sc.disturbed(m, func(n int, s faultfs.Step) error {
		if n == at {
			where = s
		}
		if n == at || f.sticky && n > at {
			return f.outcome(s)
		}
		return nil
	})
	if f.cut {
		m = m.Crash(faultfs.Weak, faultfs.Everything, 0)
	}
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
		if log := stages[len(stages)-1][memory.LogFile]; sc.notes && strings.Contains(log, `"skip"`) {
			t.Errorf("%s skips something:\n%s", sc.name, log)
		}
		if again := sc.stages(t); !cmp.Equal(stages, again) {
			t.Errorf("%s gives different files when run again:\n%s", sc.name, cmp.Diff(stages, again))
		}
	}
}
