package workspace

import (
	"io/fs"
	"slices"
	"testing"
	"time"

	"github.com/memoryd/memoryd/pkg/internal/durable"
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
	if err := durable.Stage(s.root, files, 8); err != nil {
		b.Fatal(err)
	}
	s.root = seam(s.root)
	start := time.Now()
	if err := merges("a", 25)(s); err != nil {
		b.Fatal(err)
	}
	return time.Since(start)
}
