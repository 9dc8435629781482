package app

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tidwall/gjson"

	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/rules"
	"github.com/memoryd/memoryd/pkg/workspace"
)

// shaped makes memories whose content is a text: of words of these syllables, with this behind
// each sentence. What is beside them is drawn alike in all shapes.
type shaped struct {
	*rand.Rand
	words [5000]string
	end   string
}

func newShaped(syllables, end string) *shaped {
	s := &shaped{Rand: rand.New(rand.NewPCG(3, 5)), end: end}
	all := strings.Fields(syllables)
	for i := range s.words {
		for range 2 + s.IntN(3) {
			s.words[i] += all[s.IntN(len(all))]
		}
	}
	return s
}

// word is one of the first n, those in front more often.
func (s *shaped) word(n int) string { return s.words[int(float64(n)*s.Float64()*s.Float64())] }

func (s *shaped) memory(i int) map[string]any {
	var text strings.Builder
	for range 4 + s.IntN(10) {
		for range 6 + s.IntN(10) {
			text.WriteString(s.word(len(s.words)) + " ")
		}
		text.WriteString(s.end)
	}
	made := copiesAt.Add(-time.Duration(s.IntN(400*24)) * time.Hour).Format(time.RFC3339)
	return map[string]any{
		"id": fmt.Sprintf("mem_%06d", i), "type": []string{"factual", "procedural", "semantic", "episodic"}[i%4], "created_by": fmt.Sprintf("DEV-%03d", s.IntN(12)),
		"created_at": made, "updated_at": made, "access_count": s.IntN(12), "tags": []string{s.word(2000), s.word(2000), s.word(2000)}, "content": text.String(),
	}
}

// latin are syllables of words in ASCII.
const latin = "ba co di fu ge ha ki lo mi nu pa re"

// BenchmarkShapes plans without a cache what contents of other shapes than those of tools/bench
// cost, in collections of a hundred: texts, and objects with one of several lines. The ratio is
// to what a plain program pays that reads the files and extracts all values with gjson, on all
// cores.
func BenchmarkShapes(b *testing.B) {
	const n, each = 50_000, 100
	cyrillic := "ба ко ди фу ге ха ки ло ми ну па ре си то ву"
	for _, shape := range []struct {
		name, syllables, end string
		escaped              bool
	}{
		{"object", latin, ".\n", false},
		{"text", latin, ". ", false},
		{"lines", latin, ".\n", false},
		{"cyrillic", cyrillic, ".\n", false},
		{"escaped", cyrillic, ".\n", true},
	} {
		b.Run(shape.name, func(b *testing.B) {
			dir, s := b.TempDir(), newShaped(shape.syllables, shape.end)
			for at := 0; at < n; at += each {
				var all []any
				for i := range each {
					m := s.memory(at + i)
					if shape.name == "object" {
						m["content"] = map[string]any{"title": s.word(100), "details": m["content"]}
					}
					all = append(all, m)
				}
				doc, err := json.MarshalIndent(map[string]any{"entries": all}, "", "  ")
				if err != nil {
					b.Fatal(err)
				}
				if shape.escaped {
					doc = escaped(doc)
				}
				write(b, dir, fmt.Sprintf("agents/DEV-%03d/%06d.json", at/each%12, at), doc)
			}
			var floors, plans []time.Duration
			for b.Loop() {
				begun := time.Now()
				extractAll(b, dir)
				floors = append(floors, time.Since(begun))
				begun = time.Now()
				store, _, _ := planAnew(b, dir)
				plans = append(plans, time.Since(begun))
				if err := store.Close(); err != nil {
					b.Fatal(err)
				}
			}
			report(b, plans, floors)
		})
	}
}

// BenchmarkOneKind plans after 100 of 50,000 memories of one kind were edited: each is compared
// with all others. The ratio is to a plan where nothing has changed.
func BenchmarkOneKind(b *testing.B) {
	dir, s := b.TempDir(), newShaped(latin, ". ")
	name := func(i int) string { return fmt.Sprintf("global/mem_%06d.json", i) }
	put := func(i int) {
		m := s.memory(i)
		m["type"], m["created_by"] = "semantic", "DEV-001"
		doc, err := json.Marshal(m)
		if err != nil {
			b.Fatal(err)
		}
		write(b, dir, name(i), doc)
	}
	for i := range 50_000 {
		put(i)
	}
	plan := func() time.Duration { return planAgain(b, dir) }
	plan()
	var plans, floors []time.Duration
	for b.Loop() {
		floors = append(floors, plan())
		for range 100 {
			put(s.IntN(50_000))
		}
		plans = append(plans, plan())
		if err := os.RemoveAll(filepath.Join(dir, "ops", "cache")); err != nil { // else these are edited next time, too
			b.Fatal(err)
		}
		plan()
	}
	report(b, plans, floors)
}

// planAgain plans with what an earlier plan has left, and tells how long that takes.
func planAgain(b *testing.B, dir string) time.Duration {
	b.Helper()
	store, err := workspace.Open(dir)
	if err != nil {
		b.Fatal(err)
	}
	store.Derive, store.Racy = Deriver, 0
	defer func() {
		if err := store.Close(); err != nil {
			b.Fatal(err)
		}
	}()
	begun := time.Now()
	snap, err := store.Load(copiesAt)
	if err == nil {
		_, err = MakePlan(store, snap, rules.Request{Settings: config.Default()})
	}
	if err != nil {
		b.Fatal(err)
	}
	return time.Since(begun)
}

// report tells the median of plans, and its ratio to that of floors.
func report(b *testing.B, plans, floors []time.Duration) {
	median := func(all []time.Duration) float64 {
		slices.Sort(all)
		return float64(all[len(all)/2]) / float64(time.Millisecond)
	}
	b.ReportMetric(median(plans), "ms/plan")
	b.ReportMetric(median(plans)/median(floors), "ratio")
}

// escaped writes every character beyond ASCII as an escape.
func escaped(doc []byte) []byte {
	var out bytes.Buffer
	for _, r := range string(doc) {
		if r < 0x80 {
			out.WriteRune(r)
		} else {
			fmt.Fprintf(&out, "\\u%04x", r)
		}
	}
	return out.Bytes()
}

// extractAll reads the collections and extracts each value.
func extractAll(b *testing.B, dir string) {
	files, err := filepath.Glob(filepath.Join(dir, "agents", "*", "*.json"))
	if err != nil {
		b.Fatal(err)
	}
	sizes, cores := make([]int, len(files)), runtime.GOMAXPROCS(0)
	var group sync.WaitGroup
	for core := range cores {
		group.Go(func() {
			for i := core; i < len(files); i += cores {
				doc, _ := os.ReadFile(files[i]) // of none no size is told
				gjson.GetBytes(doc, "entries").ForEach(func(_, m gjson.Result) bool {
					m.ForEach(func(_, v gjson.Result) bool {
						sizes[i] += len(v.Str) + len(v.Raw)
						return true
					})
					return true
				})
			}
		})
	}
	group.Wait()
	if slices.Contains(sizes, 0) {
		b.Fatal("a file could not be read")
	}
}
