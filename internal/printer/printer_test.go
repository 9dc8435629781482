package printer

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"sync"
	"testing"
	"time"

	"github.com/memoryd/memoryd/pkg/memory"
)

func TestProgress(t *testing.T) {
	var w signalled
	w.wrote.Add(1)
	p := newProgress(&w, "first", 0)
	w.wrote.Wait() // the timer has fired
	p.Now("second")
	p.At("1 of 2")
	p.Now("third")
	p.End()
	p.End()
	p.Now("late")
	if want := clearLine + "first …" + clearLine + "second …" + clearLine + "second: 1 of 2 …" + clearLine + "third …" + clearLine; w.String() != want {
		t.Errorf("%q, want %q", w.String(), want)
	}
	var silent bytes.Buffer
	p = newProgress(&silent, "quick", time.Hour)
	p.Now("still quick")
	p.End()
	if silent.Len() > 0 {
		t.Errorf("a quick command said %q", silent.String())
	}
	var none *Progress
	none.Now("x")
	none.At("x")
	none.End()
}

// signalled tells when it was first written to.
type signalled struct {
	bytes.Buffer
	once  sync.Once
	wrote sync.WaitGroup
}

func (s *signalled) Write(p []byte) (int, error) {
	n, err := s.Buffer.Write(p)
	s.once.Do(s.wrote.Done)
	return n, err
}

// TestLeftAlone: a memory counts once for each reason, however many rules had it.
func TestLeftAlone(t *testing.T) {
	var out bytes.Buffer
	p := &Printer{Out: bufio.NewWriter(&out)}
	printSkips(p, []memory.Skip{
		{MemoryID: "mem_b", Rule: "merge", Reason: "critical"}, {MemoryID: "mem_a", Rule: "merge", Reason: "user"},
		{MemoryID: "mem_b", Rule: "archive", Reason: "critical"}, {MemoryID: "mem_a", Rule: "archive", Reason: "critical"},
	})
	if err := p.Out.Flush(); err != nil {
		t.Fatal(err)
	}
	if want := "\nLeft alone\n  critical  2  mem_b, mem_a\n  user      1  mem_a\n"; out.String() != want {
		t.Errorf("printed %q, want %q", out.String(), want)
	}
}

// BenchmarkLeftAlone prints what a plan leaves alone: each memory should take as long however
// many there are.
func BenchmarkLeftAlone(b *testing.B) {
	for _, n := range []int{1000, 100_000} {
		skips := make([]memory.Skip, n)
		for i := range skips {
			skips[i] = memory.Skip{MemoryID: fmt.Sprintf("mem_%06d", i), Rule: "merge", Reason: "too_young"}
		}
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			p := &Printer{Out: bufio.NewWriter(io.Discard)}
			for b.Loop() {
				printSkips(p, skips)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/memory")
		})
	}
}
