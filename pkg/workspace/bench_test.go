package workspace

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/memoryd/memoryd/pkg/internal/durable"
	"github.com/memoryd/memoryd/pkg/memory"
)

// noFsync is the disk as it would be without durability.
type noFsync struct{ durable.FS }

func (f noFsync) Create(name string, data []byte, mode fs.FileMode) (durable.File, error) {
	file, err := f.FS.Create(name, data, mode)
	return unsynced{file}, err
}

func (noFsync) SyncDir(string) error { return nil }

// BenchmarkRun merges 25 pairs, 50 memories, in one run, by turns with every
// fsync and without any. It reports the median of each and their ratio, which is
// what durability costs.
func BenchmarkRun(b *testing.B) {
	seams := []func(durable.FS) durable.FS{plain, func(f durable.FS) durable.FS { return noFsync{f} }}
	took := make([][]time.Duration, len(seams))
	for b.Loop() {
		for i, seam := range seams {
			took[i] = append(took[i], timeRun(b, seam))
		}
	}
	median := func(d []time.Duration) float64 {
		slices.Sort(d)
		return float64(d[len(d)/2].Microseconds()) / 1000
	}
	durably, loosely := median(took[0]), median(took[1])
	b.ReportMetric(durably, "ms-durable")
	b.ReportMetric(loosely, "ms-without-fsync")
	b.ReportMetric(durably/loosely, "ratio")
	b.ReportMetric(0, "ns/op") // of both, with their preparation: says nothing
}

// timeRun prepares a workspace and times a run in it.
func timeRun(b *testing.B, seam func(durable.FS) durable.FS) time.Duration {
	s, err := Open(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	if _, err := durable.MkdirAll(s.root, "agents/a"); err != nil {
		b.Fatal(err)
	}
	var files []durable.Staging
	for name, text := range memories("agents/a", 50) {
		files = append(files, durable.Staging{Name: name, Data: []byte(text)})
	}
	// Durably, so that the run doesn't pay for them.
	if err := durable.ForEachParallel(len(files), 8, func(i int) error { return files[i].Write(s.root) }); err != nil {
		b.Fatal(err)
	}
	s.root = seam(s.root)
	start := time.Now()
	if err := merges("a", 25)(s); err != nil {
		b.Fatal(err)
	}
	return time.Since(start)
}

// oneCollection is a workspace of n memories in one file.
func oneCollection(b *testing.B, n int) (*FileStore, *memory.Snapshot) {
	s, err := Open(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { s.Close() })
	if err := s.root.Mkdir("global"); err != nil {
		b.Fatal(err)
	}
	var records []string
	for i := range n {
		records = append(records, record(fmt.Sprintf("m%d", i), strings.Repeat("Drain the queue before it is restarted. ", 20)))
	}
	list := durable.Staging{Name: "global/list.json", Data: []byte("[" + strings.Join(records, ",\n") + "]")}
	if err := list.Write(s.root); err != nil {
		b.Fatal(err)
	}
	snap, err := s.Load(time.Now())
	if err != nil || len(snap.Memories()) != n {
		b.Fatal(len(snap.Memories()), err)
	}
	return s, snap
}

// BenchmarkUndo archives fifty memories out of one collection of 10,000 (10 MB), and takes that
// back. It reports the ratio of the medians: neither should depend on the fifty.
func BenchmarkUndo(b *testing.B) {
	var runs, undos []time.Duration
	for b.Loop() {
		s, snap := oneCollection(b, 10_000)
		var actions []memory.Action
		files := snap.NewFiles()
		for i := range 50 {
			actions = append(actions, archiveOf(snap, fmt.Sprintf("m%d", i*100), files))
		}
		start := time.Now()
		res, err := s.Commit(b.Context(), &Tx{Plan: memory.Command(snap, "", actions...)})
		if err != nil || res.Applied != len(actions) {
			b.Fatal(res, err)
		}
		runs = append(runs, time.Since(start))
		start = time.Now()
		if res, err = s.Undo(b.Context(), res.RunID, nil, snap.At); err != nil || res.Applied != len(actions) {
			b.Fatal(res, err)
		}
		undos = append(undos, time.Since(start))
	}
	slices.Sort(runs)
	slices.Sort(undos)
	run, undo := runs[len(runs)/2], undos[len(undos)/2]
	b.ReportMetric(float64(run.Milliseconds()), "ms-run")
	b.ReportMetric(float64(undo.Milliseconds()), "ms-undo")
	b.ReportMetric(undo.Seconds()/run.Seconds(), "ratio")
	b.ReportMetric(0, "ns/op") // of both, with their preparation: says nothing
}
