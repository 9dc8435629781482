//go:build unix

package workspace

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
	"time"
)

// BenchmarkUpdate edits one of 10,000 memories, in a hundred indexes or in one, and
// brings its index along: another title, another tag, or a memory that comes or goes.
func BenchmarkUpdate(b *testing.B) {
	for _, set := range []struct {
		agents int
		edit   string
	}{{100, "title"}, {1, "title"}, {1, "tag"}, {1, "file"}} {
		b.Run(fmt.Sprintf("indexes=%d/%s", set.agents, set.edit), func(b *testing.B) {
			dir := b.TempDir()
			file := func(i int) string { return fmt.Sprintf("agents/A-%d/m%05d.json", i%set.agents, i) }
			save := func(i, title, tag int) {
				name := filepath.Join(dir, file(i))
				if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
					b.Fatal(err)
				}
				text := fmt.Sprintf(`{"id":"m%05d","type":"semantic","created_at":"2026-01-01T00:00:00Z","tags":["billing-%d","timeout","prod"],"content":{"title":"Timeout %d","details":"The gateway gives up earlier."}}`, i, tag, title)
				if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
					b.Fatal(err)
				}
			}
			for i := range 10_000 {
				save(i, i, i%50)
			}
			store, err := Open(dir)
			if err != nil {
				b.Fatal(err)
			}
			defer store.Close()
			v, before := NewInventory(store), heap()
			if _, err := v.Compare(context.Background(), day); err != nil {
				b.Fatal(err)
			}
			kept := float64(heap()-before) / 10_000
			b.ReportAllocs()
			var took time.Duration
			for i := 0; b.Loop(); i++ {
				b.StopTimer()
				n := i * 7919 % 10_000
				switch {
				case set.edit == "title":
					save(n, 10_000+i, n%50)
				case set.edit == "tag":
					save(n, n, 50+i%50)
				case i%2 == 0:
					save(10_000, i, 0)
					n = 10_000
				default:
					if n = 10_000; os.Remove(filepath.Join(dir, file(n))) != nil {
						b.Fatal("it isn't there")
					}
				}
				b.StartTimer()
				begun := processorTime(b)
				out, err := v.Update(context.Background(), day.Add(time.Duration(i)*time.Second), []string{file(n)})
				if err != nil || len(out.Written) != 1 {
					b.Fatalf("%v: %+v", err, out)
				}
				took += processorTime(b) - begun
			}
			b.ReportMetric(float64(took.Microseconds())/1000/float64(b.N), "CPU-ms/op")
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

// processorTime is what the process has used, which a busy machine changes less
// than the time that passes.
func processorTime(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkCompare is the first look at 20,000 memories in one index that isn't there
// yet.
func BenchmarkCompare(b *testing.B) {
	dir := b.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "agents/A"), 0o755); err != nil {
		b.Fatal(err)
	}
	for i := range 20_000 {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("agents/A/m%05d.json", i)), []byte(record(fmt.Sprintf("m%05d", i), "a text")), 0o644); err != nil {
			b.Fatal(err)
		}
	}
	store, err := Open(dir)
	if err != nil {
		b.Fatal(err)
	}
	defer store.Close()
	b.ReportAllocs()
	var took time.Duration
	for b.Loop() {
		b.StopTimer()
		if err := os.RemoveAll(filepath.Join(dir, "agents/A/_index.json")); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
		begun := processorTime(b)
		if out, err := NewInventory(store).Compare(context.Background(), day); err != nil || len(out.Written) != 1 {
			b.Fatalf("%v: %+v", err, out)
		}
		took += processorTime(b) - begun
	}
	b.ReportMetric(float64(took.Microseconds())/1000/float64(b.N), "CPU-ms/op")
}
