package workspace

import (
	"context"
	"errors"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/memoryd/memoryd/pkg/internal/durable/faultfs"
	"github.com/memoryd/memoryd/pkg/memory"
)

// TestContextEnds: a run whose context ends before it is committed changes nothing and
// leaves nothing; one that is committed is finished, and pauses no more.
func TestContextEnds(t *testing.T) {
	sc := scenario{files: with(memories("agents/a", 3), "agents/b/b-0.json", record("b-0", "text of b-0"))}
	sc.files = indexed(sc.files, "agents/b")
	done := sc.disk(t)
	if err := archives("a-0", "b-0")(sc.store(done, 0)); err != nil {
		t.Fatal(err)
	}
	before, after := visible(sc.disk(t)), visible(done)
	stopped, finished := 0, 0
	for at := 1; ; at++ {
		m, n := sc.disk(t), 0
		ctx, cancel := context.WithCancel(context.Background())
		s := sc.store(&faultfs.Hook{FS: m, Before: func(step faultfs.Step) error {
			if step.Writes {
				if n++; n == at {
					cancel()
				}
			}
			return nil
		}}, 0)
		snap, err := s.Load(day)
		if err != nil {
			t.Fatal(err)
		}
		files := snap.NewFiles()
		plan := &memory.Plan{At: day, Trigger: "manual", Actions: []memory.Action{archiveOf(snap, "a-0", files), archiveOf(snap, "b-0", files)}}
		plan.Seal(s.Log().Head())
		begun := time.Now()
		_, err = s.Commit(ctx, &Tx{Plan: plan, Snapshot: snap, Pause: time.Hour})
		got := visible(m)
		switch {
		case ctx.Err() == nil:
			t.Fatalf("it was not ended: %v", err)
		case errors.Is(err, context.Canceled) && maps.Equal(got, before):
			stopped++
			for name := range m.Files() {
				if strings.HasPrefix(name, RunsDir+"/") && !strings.HasPrefix(name, displacedDir) {
					t.Errorf("ended at step %d, it leaves %s", at, name)
				}
			}
			if finished > 0 {
				t.Errorf("ended at step %d, nothing is done, though there was less to do than before", at)
			}
		case err == nil && maps.Equal(got, after):
			finished++
		default:
			t.Fatalf("ended at step %d: %v, and neither nothing is done nor all", at, err)
		}
		cancel()
		if took := time.Since(begun); took > time.Minute {
			t.Fatalf("ended at step %d, it went on for %s", at, took)
		}
		if finished == 10 {
			break
		}
	}
	if stopped < 10 {
		t.Errorf("only %d steps before it is committed", stopped)
	}
}
