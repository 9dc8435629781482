package mcp

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/workspace"
)

// many makes a workspace of n memories of some 600 characters, in the words of a
// large vocabulary of which few are common.
func many(b *testing.B, n int) (dir string, word func() string) {
	b.Helper()
	dir = b.TempDir()
	r := rand.New(rand.NewPCG(1, 2))
	zipf := rand.NewZipf(r, 1.07, 50, 60_000)
	word = func() string {
		text := ""
		for n := zipf.Uint64() + 20; n > 0; n /= 20 {
			text += string("bcdfghklmnprstvwzjqx"[n%20]) + string("aeiou"[n%5])
		}
		return text
	}
	said := func(n int) string {
		words := make([]string, n)
		for i := range words {
			words[i] = word()
		}
		return strings.Join(words, " ")
	}
	at := noon.Add(-400 * 24 * time.Hour)
	for i := range n {
		record, err := json.Marshal(map[string]any{
			"id": fmt.Sprintf("mem_%06d", i), "type": []string{"factual", "procedural", "episodic"}[i%3], "created_by": fmt.Sprintf("DEV-%03d", i%50),
			"created_at": at.Add(time.Duration(i) * 5 * time.Minute), "tags": []string{word(), word()},
			"content": map[string]string{"summary": said(8), "details": said(60 + r.IntN(40))},
		})
		if err != nil {
			b.Fatal(err)
		}
		in := filepath.Join(dir, "agents", fmt.Sprintf("DEV-%03d", i%50))
		if err := os.MkdirAll(in, 0o755); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(in, fmt.Sprintf("mem_%06d.json", i)), record, 0o644); err != nil {
			b.Fatal(err)
		}
	}
	return dir, word
}

// BenchmarkTools is what calls cost in a server that has answered before; p99-ms is
// the time that 99 of a hundred stay below.
func BenchmarkTools(b *testing.B) {
	for _, n := range []int{10_000, 100_000} {
		dir, word := many(b, n)
		s := newServer(b, dir, io.Discard)
		r := &room{now: s.Now, started: s.Started, settings: s.Settings, log: s.Log}
		if err := r.open(s.Open); err != nil {
			b.Fatal(err)
		}
		i := 0
		said := func() []byte {
			i++
			return sentence(b, i, word)
		}
		for _, tool := range []struct {
			name string
			call func() error
		}{
			{"deep", func() error {
				_, _, err := r.search(b.Context(), searchArgs{Query: word() + " " + word() + " " + word(), Mode: "deep"})
				return err
			}},
			{"search", func() error { // which leaves out most
				_, _, err := r.search(b.Context(), searchArgs{Query: word() + " " + word() + " " + word()})
				return err
			}},
			{"get", func() error {
				i++
				_, _, err := r.get(b.Context(), getArgs{IDs: []string{fmt.Sprintf("mem_%06d", i%n)}})
				return err
			}},
			{"found", func() error { // an edit by somebody else, found
				i++
				text := fmt.Sprintf(`{"id": "mem_%06d", "type": "factual", "content": %s}`, i%n, said())
				err := os.WriteFile(filepath.Join(dir, "agents", fmt.Sprintf("DEV-%03d", i%n%50), fmt.Sprintf("mem_%06d.json", i%n)), []byte(text), 0o644)
				if err == nil {
					_, _, err = r.search(b.Context(), searchArgs{Query: word() + " " + word()})
				}
				return err
			}},
		} {
			b.Run(fmt.Sprintf("%s/%d", tool.name, n), func(b *testing.B) {
				for range 2 { // the first call reads everything, and may make a directory
					if err := tool.call(); err != nil {
						b.Fatal(err)
					}
				}
				var took []time.Duration
				for b.Loop() {
					began := time.Now()
					if err := tool.call(); err != nil {
						b.Fatal(err)
					}
					took = append(took, time.Since(began))
				}
				percentiles(b, "", took)
			})
		}
		if err := r.close(); err != nil {
			b.Fatal(err)
		}
		if err := r.store.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

// sentence is a text to be saved, as JSON.
func sentence(b *testing.B, i int, word func() string) []byte {
	b.Helper()
	text, err := json.Marshal(fmt.Sprint("Number ", i, " says ", word(), " ", word(), " ", word(), " ", word()))
	if err != nil {
		b.Fatal(err)
	}
	return text
}

func percentiles(b *testing.B, of string, took []time.Duration) (median time.Duration) {
	b.Helper()
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, of+"p50-ms")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, of+"p99-ms")
	return took[len(took)/2]
}

// BenchmarkSave is what a save costs in a server that has saved before, and by turns with
// it the bare commit of such a memory to the same directory, which a save can't cost less
// than: what the disk is slowed down by meets both. "first" is the first save of a server,
// which reads everything; "entries" are those of the index that gets the memories.
func BenchmarkSave(b *testing.B) {
	for _, n := range []int{10_000, 100_000} {
		dir, word := many(b, n)
		s := newServer(b, dir, io.Discard)
		store, err := s.Open()
		if err != nil {
			b.Fatal(err)
		}
		if _, err := store.Reindex(b.Context(), noon); err != nil {
			b.Fatal(err)
		}
		if err := store.Close(); err != nil {
			b.Fatal(err)
		}
		for _, scope := range []string{"project:shop", "agent:DEV-001"} {
			b.Run(fmt.Sprintf("%s/%d", scope, n), func(b *testing.B) {
				to, err := memory.ParseScope(scope)
				if err != nil {
					b.Fatal(err)
				}
				r := &room{now: s.Now, started: s.Started, settings: s.Settings, log: s.Log}
				if err := r.open(s.Open); err != nil {
					b.Fatal(err)
				}
				i := 0
				clocked := func(call func(content []byte) error) time.Duration {
					i++
					content := sentence(b, i, word)
					began := time.Now()
					if err := call(content); err != nil {
						b.Fatal(err)
					}
					return time.Since(began)
				}
				save := func(content []byte) error {
					_, _, err := r.save(b.Context(), saveArgs{Type: "factual", By: "DEV-001", Scope: scope, Content: content})
					return err
				}
				commit := func(content []byte) error {
					action, err := memory.New(r.live.Last(), memory.Draft{Type: "factual", Scope: to, CreatedBy: "DEV-001", Content: content})
					if err == nil {
						_, err = r.store.Commit(b.Context(), &workspace.Tx{Plan: memory.Command(r.live.Last(), r.store.Log().Head(), action), Save: true})
					}
					return err
				}
				first := clocked(save)
				clocked(commit)
				var saves, commits []time.Duration
				for b.Loop() {
					saves = append(saves, clocked(save))
					commits = append(commits, clocked(commit))
				}
				b.ReportMetric(float64(first.Milliseconds()), "first-ms")
				all, bare := percentiles(b, "save-", saves), percentiles(b, "commit-", commits)
				b.ReportMetric(float64(all)/float64(bare), "ratio")
				b.ReportMetric(0, "ns/op")
				if err := r.close(); err != nil {
					b.Fatal(err)
				}
				if err := r.store.Close(); err != nil {
					b.Fatal(err)
				}
			})
		}
	}
}
