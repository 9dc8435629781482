package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
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
		snap, _, size := madeUp(t, n, 1, seed)
		if size < 800*n || size > 1600*n {
			t.Errorf("%d memories take %d bytes", n, size)
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

// In collections stand the memories that else have files of their own, for the same
// scopes; a directory has as few files as can be.
func TestMakeCollections(t *testing.T) {
	const n, perFile = 2000, 7
	said := func(snap *workspace.Snapshot) map[string]string {
		out := map[string]string{}
		for _, m := range snap.Memories() {
			var text bytes.Buffer
			if err := json.Compact(&text, m.Raw()); err != nil {
				t.Fatal(err)
			}
			out[m.ID] = m.Scope.String() + text.String()
		}
		return out
	}
	alone, files, _ := madeUp(t, n, 1, 1)
	if len(files) != n {
		t.Errorf("%d memories in %d files", n, len(files))
	}
	collected, files, _ := madeUp(t, n, perFile, 1)
	if !maps.Equal(said(alone), said(collected)) {
		t.Error("in collections they say something else")
	}
	of, in := map[string]int{}, map[string]int{}
	for _, m := range collected.Memories() {
		of[path.Dir(m.File)]++
		if in[m.File]++; m.Whole() {
			t.Errorf("%s is all of %s", m.ID, m.File)
		}
	}
	want := 0
	for _, memories := range of {
		want += (memories + perFile - 1) / perFile
	}
	if len(files) != want || len(in) != want || slices.Max(slices.Collect(maps.Values(in))) != perFile {
		t.Errorf("%d files, %d of them with memories, want %d: %v", len(files), len(in), want, in)
	}
	again, _, _ := madeUp(t, n, perFile, 1)
	for _, m := range again.Memories() {
		if was := collected.Live(m.ID); was == nil || was.File != m.File || was.Index != m.Index || was.Digest() != m.Digest() {
			t.Fatalf("%s stands elsewhere, or is another, with the same seed", m.ID)
		}
	}
}

// madeUp makes memories and reads them. It returns their files and how many bytes these
// have.
func madeUp(t *testing.T, n, perFile int, seed uint64) (*workspace.Snapshot, []string, int64) {
	t.Helper()
	dir := t.TempDir()
	files, size, err := makeWorkspace(context.Background(), dir, n, perFile, seed)
	if err != nil {
		t.Fatal(err)
	}
	s, err := workspace.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	snap, err := s.Load(benchAt)
	if err != nil {
		t.Fatal(err)
	}
	if snap.Len() != n || len(snap.Problems) > 0 {
		t.Errorf("%d memories, problems %v", snap.Len(), snap.Problems)
	}
	var read int64
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		read += int64(len(data))
	}
	if read != size {
		t.Errorf("the files have %d bytes, not %d", read, size)
	}
	return snap, files, size
}

// A hundred memories are edited, or a tenth of few, in as many files, or in nearly all if these are fewer,
// and in others the next time.
func TestBenchEdit(t *testing.T) {
	for _, c := range []struct{ memories, perFile, want int }{{1500, 1, 100}, {1500, 5, 100}, {1500, 1000, 100}, {200, 3, 20}, {9, 1, 0}} {
		dir := t.TempDir()
		files, _, err := makeWorkspace(context.Background(), dir, c.memories, c.perFile, 1)
		if err != nil {
			t.Fatal(err)
		}
		b := newBench(context.Background(), dir, files, c.memories)
		var touched [2][]string
		for round := range touched {
			was := map[string]string{}
			for _, name := range files {
				was[name] = readText(t, name)
			}
			if err := b.edit(); err != nil {
				t.Fatal(err)
			}
			edited := 0
			for _, name := range files {
				const mark = "By the way: "
				now := readText(t, name)
				if n := strings.Count(now, mark) - strings.Count(was[name], mark); n > 0 {
					edited += n
					touched[round] = append(touched[round], name)
				}
			}
			if n := len(touched[round]); n != c.want && n < len(files)*4/5 {
				t.Errorf("%+v: in %d files of %d", c, n, len(files))
			}
			if edited != c.want {
				t.Errorf("%+v: %d edited", c, edited)
			}
		}
		if c.want > 0 && len(files) > 2*c.want && slices.Equal(touched[0], touched[1]) {
			t.Errorf("%+v: the same files again: %v", c, touched[0])
		}
	}
}

func readText(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
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
	for _, perFile := range []int{1, 20} {
		dir := t.TempDir()
		files, _, err := makeWorkspace(context.Background(), dir, 50, perFile, 1)
		if err != nil {
			t.Fatal(err)
		}
		if err := walkFloor(dir, nil); err != nil {
			t.Errorf("%d to a file, described: %v", perFile, err)
		}
		for name, look := range map[string]func([]byte) int{opRead: lookOnce, opExtract: extract} {
			var values atomic.Int64
			if err := walkFloor(dir, func(doc []byte) int { values.Add(int64(look(doc))); return 0 }); err != nil {
				t.Errorf("%d to a file, %s: %v", perFile, name, err)
			}
			want := 50 * reflect.TypeFor[record]().NumField()
			if name == opExtract && perFile > 1 {
				want += len(files) // the arrays
			}
			if values.Load() != int64(want) {
				t.Errorf("%d to a file, %s: %d values were looked at, not %d", perFile, name, values.Load(), want)
			}
		}
	}
	if err := walkFloor(filepath.Join(t.TempDir(), "absent"), lookOnce); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("absent: %v", err)
	}
}
