package rules_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/rules"
)

// BenchmarkPlanSameTags plans memories of one kind, all with the same tags: texts of a
// hundred words, each of them as frequent, so that nothing but these tells them apart.
func BenchmarkPlanSameTags(b *testing.B) {
	for _, c := range []struct{ memories, words int }{{10_000, 300}, {100_000, 20_000}} {
		b.Run(fmt.Sprintf("memories=%d/words=%d", c.memories, c.words), func(b *testing.B) {
			r := rand.New(rand.NewPCG(1, 0))
			live := make([]*memory.Memory, 0, c.memories)
			for i := range c.memories {
				var text strings.Builder
				for range 60 + r.IntN(80) {
					fmt.Fprintf(&text, "w%d ", r.IntN(c.words))
				}
				ms, err := memory.ParseRecords(fmt.Sprintf("global/%06d.json", i), fmt.Appendf(nil,
					`{"id":"m%d","type":"semantic","created_at":"2025-01-01T00:00:00Z","tags":["a","b"],"content":%q}`, i, text.String()))
				if err != nil {
					b.Fatal(err)
				}
				live = append(live, ms...)
			}
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			for b.Loop() {
				snap := memory.NewSnapshot(benchAt(b), live, nil)
				if rules.Plan(snap, rules.Request{Settings: config.Default()}).Empty() {
					b.Fatal("nothing to plan")
				}
			}
			runtime.ReadMemStats(&after)
			b.ReportMetric(float64(after.HeapSys-before.HeapInuse)/1e6, "MB-beside-memories")
		})
	}
}
