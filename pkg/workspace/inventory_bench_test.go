package workspace

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"
)

// BenchmarkUpdate edits one of 10,000 memories, in a hundred indexes or in one, and
// brings its index along.
func BenchmarkUpdate(b *testing.B) {
	for _, agents := range []int{100, 1} {
		b.Run(fmt.Sprintf("indexes=%d", agents), func(b *testing.B) {
			dir := b.TempDir()
			file := func(i int) string { return fmt.Sprintf("agents/A-%d/m%05d.json", i%agents, i) }
			save := func(i int, text string) {
				name := filepath.Join(dir, file(i))
				if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
					b.Fatal(err)
				}
				if err := os.WriteFile(name, []byte(record(fmt.Sprintf("m%05d", i), text)), 0o644); err != nil {
					b.Fatal(err)
				}
			}
			for i := range 10_000 {
				save(i, "a text")
			}
			store, err := Open(dir)
			if err != nil {
				b.Fatal(err)
			}
			defer store.Close()
			v, before := store.Inventory(), heap()
			if _, err := v.Compare(context.Background(), day); err != nil {
				b.Fatal(err)
			}
			kept := float64(heap()-before) / 10_000
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				b.StopTimer()
				save(i*7919%10_000, fmt.Sprintf("text %d", i))
				b.StartTimer()
				out, err := v.Update(context.Background(), day.Add(time.Duration(i)*time.Second), []string{file(i * 7919 % 10_000)})
				if err != nil || len(out.Written) != 1 {
					b.Fatalf("%v: %+v", err, out)
				}
			}
			b.ReportMetric(kept, "kept-B/memory")
		})
	}
}

// heap is what is in use.
func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
