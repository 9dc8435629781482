//go:build unix

package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// populate writes n memories of about 1 KB into agents' directories, and lets a full
// reindex list them.
func populate(t testing.TB, exe, dir string, n, agents int) {
	t.Helper()
	for i := range n {
		text := fmt.Sprintf("Memory %d. %s", i, strings.Repeat("The timeout of the billing queue is 30 s, because the gateway gives up earlier. ", 9))
		doc := fmt.Sprintf("{\n  \"id\": \"m%06d\",\n  \"type\": \"semantic\",\n  \"created_at\": \"2026-01-01T00:00:00Z\",\n  \"tags\": [\"billing-%d\", \"timeout\", \"prod\"],\n  \"content\": {\"title\": \"Timeout %d\", \"details\": %q}\n}\n", i, i%50, i, text)
		write(t, memoryFile(dir, i, agents), doc)
	}
	if _, stderr, code, err := call(exe, dir, []string{"MEMORY_WORKSPACE=" + dir}, "reindex"); err != nil || code != 0 {
		t.Fatalf("reindex: exit code %d, %v\n%s", code, err, stderr)
	}
}

func memoryFile(dir string, i, agents int) string {
	return filepath.Join(dir, fmt.Sprintf("agents/A-%03d/m%06d.json", i%agents, i))
}

// used is what a process has used so far.
type used struct {
	cpu  time.Duration
	rss  float64 // MB, now
	peak float64
}

func usedBy(t testing.TB, pid int) used {
	t.Helper()
	if runtime.GOOS != "linux" {
		return used{}
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		t.Fatal(err)
	}
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	user, err1 := strconv.Atoi(fields[11])
	system, err2 := strconv.Atoi(fields[12])
	status, err3 := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err := errors.Join(err1, err2, err3); err != nil {
		t.Fatal(err)
	}
	kb := func(key string) float64 {
		m := regexp.MustCompile(key + `:\s*(\d+) kB`).FindSubmatch(status)
		if m == nil {
			t.Fatalf("no %s in %s", key, status)
		}
		n, _ := strconv.Atoi(string(m[1]))
		return float64(n) / 1024
	}
	return used{time.Duration(user+system) * 10 * time.Millisecond, kb("VmRSS"), kb("VmHWM")}
}

// until waits for a condition by looking at it again and again, which takes less
// than what is measured.
func until(t testing.TB, what string, holds func() bool) {
	t.Helper()
	tick := time.NewTicker(200 * time.Microsecond)
	defer tick.Stop()
	for deadline := time.Now().Add(2 * time.Minute); !holds(); <-tick.C {
		if time.Now().After(deadline) {
			t.Fatalf("%s: still not", what)
		}
	}
}

// save writes a file as editors do, by turns: in place, and renamed over it.
func save(t testing.TB, name, text string, over bool) {
	t.Helper()
	to := name
	if over {
		to += ".tmp"
	}
	err := os.WriteFile(to, []byte(text), 0o644)
	if over && err == nil {
		err = os.Rename(to, name)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// BenchmarkWatchEdit is the time from a hand edit to the index that tells of it, at
// 10,000 memories: in a hundred indexes, or all in one. The floor is what a program
// in the same place needs to read both files and to replace the index durably.
//
//	go test ./cmd/memory -run '^$' -bench WatchEdit -benchtime 300x
func BenchmarkWatchEdit(b *testing.B) {
	exe, err := build()
	if err != nil {
		b.Fatal(err)
	}
	const memories = 10_000
	for _, set := range []struct {
		name   string
		agents int
		args   []string
	}{
		{"debounce=0", 100, []string{"--debounce", "0s"}},
		{"debounce=default", 100, nil},
		{"one-index/debounce=0", 1, []string{"--debounce", "0s"}},
	} {
		b.Run(set.name, func(b *testing.B) {
			dir := newWorkspace(b, exe)
			populate(b, exe, dir, memories, set.agents)
			write(b, filepath.Join(dir, "memory.toml"), quiet)
			w := watching(b, exe, dir, set.args...)
			compared(b, dir)
			var took, floor []time.Duration
			before := usedBy(b, w.Process.Pid)
			for i := 0; b.Loop(); i++ {
				n := i * 7919 % memories
				file := memoryFile(dir, n, set.agents)
				index := filepath.Join(filepath.Dir(file), "_index.json")
				text, err := os.ReadFile(file)
				if err != nil {
					b.Fatal(err)
				}
				was, err := os.Stat(index)
				if err != nil {
					b.Fatal(err)
				}
				title := fmt.Sprintf("Edit %d of %d", i, n)
				begun := time.Now()
				save(b, file, regexp.MustCompile(`"title": "[^"]*"`).ReplaceAllString(string(text), fmt.Sprintf("%q: %q", "title", title)), i%2 == 1)
				until(b, "the index is another", func() bool {
					is, err := os.Stat(index)
					return err == nil && !os.SameFile(was, is)
				})
				took = append(took, time.Since(begun))
				if doc, err := os.ReadFile(index); err != nil || !bytes.Contains(doc, []byte(title)) {
					b.Fatalf("the index doesn't tell of the edit: %v", err)
				}
				floor = append(floor, replaced(b, file, index))
			}
			after := usedBy(b, w.Process.Pid)
			agrees(b, exe, dir)
			spread(b, "", took)
			spread(b, "floor-", floor)
			b.ReportMetric(float64((after.cpu-before.cpu).Milliseconds())/float64(len(took)), "CPU-ms/edit")
			b.ReportMetric(after.peak, "peak-RSS-MB")
			w.end(b, syscall.SIGTERM)
		})
	}
}

// replaced is how long it takes to read two files and to write the second, durably,
// elsewhere.
func replaced(b *testing.B, file, index string) time.Duration {
	b.Helper()
	to := filepath.Join(b.TempDir(), "index")
	begun := time.Now()
	_, err := os.ReadFile(file)
	if err != nil {
		b.Fatal(err)
	}
	doc, err := os.ReadFile(index)
	if err != nil {
		b.Fatal(err)
	}
	f, err := os.Create(to + ".tmp")
	if err != nil {
		b.Fatal(err)
	}
	_, err = f.Write(doc)
	if err := errors.Join(err, f.Sync(), f.Close(), os.Rename(to+".tmp", to)); err != nil {
		b.Fatal(err)
	}
	d, err := os.Open(filepath.Dir(to))
	if err != nil {
		b.Fatal(err)
	}
	if err := errors.Join(d.Sync(), d.Close()); err != nil {
		b.Fatal(err)
	}
	return time.Since(begun)
}

// spread reports how a benchmark's times are spread.
func spread(b *testing.B, of string, took []time.Duration) {
	slices.Sort(took)
	ms := func(share int) float64 {
		return float64(took[min(len(took)*share/100, len(took)-1)].Microseconds()) / 1000
	}
	b.ReportMetric(ms(50), of+"p50-ms")
	b.ReportMetric(ms(99), of+"p99-ms")
	b.ReportMetric(ms(100), of+"max-ms")
	b.ReportMetric(0, "ns/op")
}

// compared waits for the first comparison, which the report tells of.
func compared(t testing.TB, dir string) {
	t.Helper()
	until(t, "the first comparison", func() bool {
		doc, err := os.ReadFile(filepath.Join(dir, "ops/watch.json"))
		return err == nil && bytes.Contains(doc, []byte(`"full_comparison": "2`))
	})
}

// BenchmarkWatchIdle is what the watcher uses while nothing happens, at 10,000
// memories: the share of one core in percent, and memory.
//
//	go test ./cmd/memory -run '^$' -bench WatchIdle -benchtime 1x
func BenchmarkWatchIdle(b *testing.B) {
	exe, err := build()
	if err != nil {
		b.Fatal(err)
	}
	if runtime.GOOS != "linux" {
		b.Skip("SKIPPED: what a process uses is read from /proc")
	}
	const memories, idle = 10_000, 40 * time.Second
	for _, args := range [][]string{nil, {"--poll"}} {
		b.Run("events"+strings.Join(args, ""), func(b *testing.B) {
			dir := newWorkspace(b, exe)
			populate(b, exe, dir, memories, 100)
			write(b, filepath.Join(dir, "memory.toml"), quiet)
			w := watching(b, exe, dir, args...)
			compared(b, dir)
			<-time.After(5 * time.Second) // what was written just now is looked at more than once
			for b.Loop() {
				before := usedBy(b, w.Process.Pid)
				<-time.After(idle)
				after := usedBy(b, w.Process.Pid)
				b.ReportMetric(100*float64(after.cpu-before.cpu)/float64(idle), "CPU-%")
				b.ReportMetric(after.rss, "RSS-MB")
				b.ReportMetric(after.peak, "peak-RSS-MB")
				b.ReportMetric(0, "ns/op")
			}
			w.end(b, syscall.SIGTERM)
		})
	}
}
