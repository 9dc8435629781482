package forecast_test

import (
	"testing"

	"github.com/memoryd/memoryd/fixtures"
	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/forecast"
	"github.com/memoryd/memoryd/pkg/rules"
)

// BenchmarkOf forecasts the large sample workspace.
func BenchmarkOf(b *testing.B) {
	dir, at := sample(b, fixtures.Large)
	snap := load(b, dir, at)
	b.ReportMetric(float64(len(snap.Memories())), "memories")
	for b.Loop() {
		if _, err := forecast.Of(snap, rules.Request{Settings: config.Default()}, nil); err != nil {
			b.Fatal(err)
		}
	}
}
