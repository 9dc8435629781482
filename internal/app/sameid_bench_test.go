package app

import (
	"fmt"
	"testing"
)

// BenchmarkPlanSameID plans without a cache where all memories have one id, as when somebody
// fills in a template and leaves that as it is, and checks the files: each memory should take as
// long however many there are.
func BenchmarkPlanSameID(b *testing.B) {
	for _, n := range []int{1000, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			dir := b.TempDir()
			for i := range n {
				write(b, dir, fmt.Sprintf("agents/DEV-%03d/%d.json", i%50, i), fmt.Appendf(nil,
					`{"id": "mem_1", "type": "factual", "created_at": "2025-11-02T10:00:00Z", "supersedes": ["mem_1"], "content": {"text": "note %d"}}`, i))
			}
			for b.Loop() {
				store, snap, plan := planAnew(b, dir)
				if !plan.Empty() || len(plan.Skipped) != 1 {
					b.Fatalf("%d actions, %d left alone", len(plan.Actions), len(plan.Skipped))
				}
				if problems, err := store.Check(snap.At); err != nil || len(problems) < n-1 {
					b.Fatalf("%v, %d problems", err, len(problems))
				}
				if err := store.Close(); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/memory")
		})
	}
}
