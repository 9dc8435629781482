package web

import (
	"io"
	"net/url"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"
)

// BenchmarkPages makes pages of a workspace of many memories, which MEMORY_BENCH names; go run ./tools/bench -n 100000 -make DIR makes one.
// It tells the processor time of a page as well: that of a busy machine is the same.
func BenchmarkPages(b *testing.B) {
	dir := os.Getenv("MEMORY_BENCH")
	if dir == "" {
		b.Skip("MEMORY_BENCH names no workspace")
	}
	s := serverOf(b, dir, io.Discard)
	snap, err := s.live.View(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	id := snap.Memories()[len(snap.Memories())/2].ID
	handler := s.Handler()
	for _, target := range strings.Fields("/ /review /memories /memories?from=50000 /memories?type=factual&sort=score /memories?q=nightly+export /memories/" + id + " /runs /forecast /links?depth=3&id=" + id + " /trends /trends?days=3660 /receipts /schedules") {
		b.Run(strings.ReplaceAll(target, "/", "_"), func(b *testing.B) {
			u, err := url.Parse(target)
			if err != nil {
				b.Fatal(err)
			}
			ask := func() {
				if w := answerTo(s, handler, u); w.Code != 200 {
					b.Fatalf("%d\n%s", w.Code, w.Body)
				}
			}
			ask() // warm
			b.ResetTimer()
			before := processorTime(b)
			for b.Loop() {
				ask()
			}
			b.ReportMetric(float64(processorTime(b)-before)/float64(time.Millisecond)/float64(b.N), "processor-ms/op")
		})
	}
}

func processorTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
