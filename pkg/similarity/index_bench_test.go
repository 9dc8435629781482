package similarity_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/memoryd/memoryd/pkg/similarity"
)

// BenchmarkIndex asks 100,000 records of one block about a text that comes, as happens when one is saved: "one text" are records that
// say the same, "few words" some thousand short texts over 60 words, the rest texts of a hundred words. A tenth of the texts is nearly
// like another. It reports the time of an answer at the 50th and the 99th percentile, to add a record, and to build the index.
func BenchmarkIndex(b *testing.B) {
	const n = 100_000
	for _, c := range []struct {
		name               string
		vocabulary, length int
		tags               func(int) []string
	}{
		{"same tags", 20_000, 100, func(int) []string { return []string{"all", "same"} }},
		{"no tags", 20_000, 100, func(int) []string { return nil }},
		{"other tags", 20_000, 100, func(i int) []string { return []string{fmt.Sprint(i), "x"} }},
		{"long texts", 20_000, 1000, func(int) []string { return nil }},
		{"few words", 60, 12, func(int) []string { return nil }},
		{"one text", 1, 1, func(int) []string { return nil }},
	} {
		b.Run(c.name, func(b *testing.B) {
			size := n
			if c.length > 500 {
				size = n / 10 // else making them takes the time
			}
			records := corpus(size, c.vocabulary, c.length, c.tags)
			begun := time.Now()
			x := similarity.NewIndex(-1, 0.85)
			for i := range records {
				x.Add(fmt.Sprint(i), records[i])
				records[i].Text = similarity.Prepare("") // the index needs no texts
			}
			built := time.Since(begun)
			asked := corpus(2000, c.vocabulary, c.length, c.tags)
			var took, added []time.Duration
			found := 0
			for b.Loop() {
				for i, r := range asked {
					begun := time.Now()
					for range x.Near(r) {
						found++
						break
					}
					took = append(took, time.Since(begun))
					begun = time.Now()
					x.Add(fmt.Sprint("new", i), r)
					added = append(added, time.Since(begun))
				}
			}
			report := func(name string, of []time.Duration) {
				slices.Sort(of)
				b.ReportMetric(float64(of[len(of)/2].Nanoseconds())/1e3, name+"-p50-µs")
				b.ReportMetric(float64(of[len(of)*99/100].Nanoseconds())/1e3, name+"-p99-µs")
			}
			report("near", took)
			report("add", added)
			b.ReportMetric(float64(built.Milliseconds()), "build-ms")
			b.ReportMetric(float64(found)/float64(len(took)), "found/op")
			b.ReportMetric(0, "ns/op")
		})
	}
}
