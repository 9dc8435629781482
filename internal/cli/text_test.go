package cli

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/memoryd/memoryd/pkg/memory"

	"github.com/memoryd/memoryd/internal/fail"
)

func TestWords(t *testing.T) {
	for got, want := range map[string]string{
		quantity(1, "memory"): "1 memory", quantity(0, "memory"): "0 memories", quantity(1234, "entry"): "1,234 entries",
		quantity(2, "index"): "2 indexes", quantity(2, "day"): "2 days", thousands(-1234567): "-1,234,567", thousands(999): "999",
		closest("lsit", []string{"edit", "init", "list"}): "list", closest("cons", []string{"config", "consolidate"}): "consolidate",
		closest("xyz", []string{"list"}): "", closest("", []string{"list"}): "",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// gone is the pipe of a reader that went away.
type gone struct{}

func (gone) Write([]byte) (int, error) { return 0, syscall.EPIPE }

// full is a stream that can't be written.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, syscall.ENOSPC }

func TestOutputThatCannotBeWritten(t *testing.T) {
	var errs bytes.Buffer
	p := Process{Args: []string{"memory", "schema", "memory"}, Dir: t.TempDir(), Stdout: gone{}, Stderr: &errs}
	if code := Run(context.Background(), p); code != fail.ExitDone || errs.Len() > 0 {
		t.Errorf("a closed pipe: exit code %d, %s", code, errs.String())
	}
	p.Stdout = full{}
	if code := Run(context.Background(), p); code != fail.ExitError || !strings.Contains(errs.String(), "no space left") {
		t.Errorf("a full disk: exit code %d, %s", code, errs.String())
	}
}

func TestInterruptedWhileReading(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var errs bytes.Buffer
	code := Run(ctx, Process{
		Args: []string{"memory", "add", "--type", "factual", "-"}, Dir: t.TempDir(),
		Stdin: endless{}, Stdout: &bytes.Buffer{}, Stderr: &errs,
	})
	if code != fail.ExitError || !strings.Contains(errs.String(), "hint: interrupted") {
		t.Errorf("exit code %d, %s", code, errs.String())
	}
}

// endless is an input at which nobody types.
type endless struct{}

func (endless) Read([]byte) (int, error) { select {} }

func TestProgress(t *testing.T) {
	var w signalled
	w.wrote.Add(1)
	p := newProgress(&w, "first", 0)
	w.wrote.Wait() // the timer has fired
	p.now("second")
	p.at("1 of 2")
	p.now("third")
	p.end()
	p.end()
	p.now("late")
	if want := clearLine + "first …" + clearLine + "second …" + clearLine + "second: 1 of 2 …" + clearLine + "third …" + clearLine; w.String() != want {
		t.Errorf("%q, want %q", w.String(), want)
	}
	var silent bytes.Buffer
	p = newProgress(&silent, "quick", time.Hour)
	p.now("still quick")
	p.end()
	if silent.Len() > 0 {
		t.Errorf("a quick command said %q", silent.String())
	}
	var none *progress
	none.now("x")
	none.at("x")
	none.end()
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
	p := &printer{out: bufio.NewWriter(&out)}
	printSkips(p, []memory.Skip{
		{MemoryID: "mem_b", Rule: "merge", Reason: "critical"}, {MemoryID: "mem_a", Rule: "merge", Reason: "user"},
		{MemoryID: "mem_b", Rule: "archive", Reason: "critical"}, {MemoryID: "mem_a", Rule: "archive", Reason: "critical"},
	})
	if err := p.out.Flush(); err != nil {
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
			p := &printer{out: bufio.NewWriter(io.Discard)}
			for b.Loop() {
				printSkips(p, skips)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/memory")
		})
	}
}
