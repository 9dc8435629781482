//go:build unix

package workspace

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// BenchmarkPoll looks for changes among 10,000 files in a hundred directories.
func BenchmarkPoll(b *testing.B) {
	dir := b.TempDir()
	for i := range 10_000 {
		name := filepath.Join(dir, fmt.Sprintf("agents/A-%03d/m%05d.json", i%100, i))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(record(fmt.Sprintf("m%05d", i), "a text")), 0o644); err != nil {
			b.Fatal(err)
		}
	}
	store, err := Open(dir)
	if err != nil {
		b.Fatal(err)
	}
	defer store.Close()
	store.Racy = 0
	p := NewPoll(store)
	p.Scan()
	b.ReportAllocs()
	begun, n := processorTime(b), 0
	for b.Loop() {
		n += len(p.Scan())
	}
	if n > 0 {
		b.Fatalf("%d changes that nobody made", n)
	}
	b.ReportMetric(float64((processorTime(b)-begun)/time.Microsecond)/1000/float64(b.N), "CPU-ms/op")
}
