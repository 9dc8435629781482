package cli

import (
	"errors"
	"strings"
	"testing"
)

// guarded are the most that an operation may cost beside its floor, with a margin for
// busy machines: a few times what BENCHMARKS.md tells. They catch what makes
// planning cost what exists where it should cost what changed.
var guarded = map[string]float64{
	opLoad: 10, opPlan: 20, opWarm: 12, opEdited: 20, opReindex: 40,
}

// BenchmarkRatios is the gate's guard: it measures as "memory bench" does, and fails when
// an operation costs far more than its floor of the same run.
func BenchmarkRatios(b *testing.B) {
	dir := b.TempDir()
	files, _, err := makeWorkspace(b.Context(), dir, 5000, 1, 1)
	if err != nil {
		b.Fatal(err)
	}
	m := newBench(b.Context(), dir, files, 5000)
	if err := m.prepare(); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		for range 5 {
			if err := m.round(); err != nil {
				b.Fatal(errors.Join(err, m.store.Close()))
			}
		}
	}
	if err := m.store.Close(); err != nil {
		b.Fatal(err)
	}
	for _, op := range m.measured() {
		if op.Floor == "" {
			continue
		}
		b.ReportMetric(op.Ratio, strings.ReplaceAll(op.Name, " ", "-")+"-ratio")
		if most, ok := guarded[op.Name]; ok && op.Ratio > most {
			b.Errorf("%s costs %.2f times as much as to %s; the most is %.0f", op.Name, op.Ratio, op.Floor, most)
		}
	}
}
