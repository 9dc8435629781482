package cli

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/rules"
	"github.com/memoryd/memoryd/pkg/workspace"
)

// What is made up is read as memories without a problem, is the same for a seed, and
// gives each rule something to do.
func TestMakeWorkspace(t *testing.T) {
	const n = 2000
	var plans []*workspace.Plan
	for _, seed := range []uint64{1, 1, 2} {
		dir := t.TempDir()
		_, size, err := makeWorkspace(context.Background(), dir, n, seed)
		if err != nil {
			t.Fatal(err)
		}
		if size < 800*n || size > 1600*n {
			t.Errorf("%d memories take %d bytes", n, size)
		}
		s, err := workspace.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		snap, err := s.Load(benchAt)
		if err != nil {
			t.Fatal(err)
		}
		if snap.Len() != n || len(snap.Problems) > 0 {
			t.Errorf("%d memories, problems %v", snap.Len(), snap.Problems)
		}
		settings := config.Default()
		settings.Run.Limit = n
		plan := rules.Plan(snap, rules.Request{Settings: settings})
		plans = append(plans, plan)
		stats := map[string]int{}
		for _, a := range plan.Actions {
			stats[a.Rule]++
		}
		for _, rule := range []string{workspace.RuleMerge, workspace.RuleSummarise, workspace.RulePromote, workspace.RuleArchive} {
			if stats[rule] == 0 {
				t.Errorf("seed %d: nothing for %s: %v", seed, rule, stats)
			}
		}
	}
	if plans[0].RunID != plans[1].RunID || plans[0].RunID == plans[2].RunID {
		t.Errorf("runs %s, %s of one seed, %s of another", plans[0].RunID, plans[1].RunID, plans[2].RunID)
	}
}

// Interrupted, the benchmark leaves no folder: while it makes the memories, and while it
// plans.
func TestBenchInterrupted(t *testing.T) {
	for _, begun := range []string{"*", "*/" + workspace.CacheFile} {
		in := t.TempDir()
		ctx, cancel := context.WithCancelCause(context.Background())
		go func() {
			for ctx.Err() == nil { // until it has begun
				if found, err := filepath.Glob(filepath.Join(in, begun)); err != nil || len(found) > 0 {
					cancel(context.Canceled)
				}
			}
		}()
		var out, errs bytes.Buffer
		code := Run(ctx, Process{
			Args: []string{"memory", "bench", "--memories", "5000", "--plans", "--rounds", "1000", "--in", in}, Dir: in,
			Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs,
		})
		left, err := os.ReadDir(in)
		if code != exitError || err != nil || len(left) > 0 || out.Len() > 0 {
			t.Errorf("exit code %d, %v left, %v, output %q, %q", code, left, err, &out, &errs)
		}
		cancel(nil)
	}
}

func TestMeasured(t *testing.T) {
	b := &bench{times: map[string][]time.Duration{
		opRead: {3 * time.Millisecond, time.Millisecond, 2 * time.Millisecond},
		opLoad: {9 * time.Millisecond, 5 * time.Millisecond},
	}}
	got := b.measured()
	want := []measured{
		{Name: opRead, Median: 2, Least: 1, Rounds: 3},
		{Name: opLoad, Median: 7, Least: 5, Rounds: 2, Floor: opRead, Ratio: 3.5},
	}
	if len(got) != 2 || got[0] != want[0] || got[1] != want[1] {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// The floor looks at each file once, and says what it could not read.
func TestWalkFloor(t *testing.T) {
	dir := t.TempDir()
	if _, _, err := makeWorkspace(context.Background(), dir, 50, 1); err != nil {
		t.Fatal(err)
	}
	for _, read := range []bool{false, true} {
		if err := walkFloor(dir, read); err != nil {
			t.Errorf("read %v: %v", read, err)
		}
	}
	if err := walkFloor(dir+"/absent", true); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("absent: %v", err)
	}
}
