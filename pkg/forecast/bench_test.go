package forecast_test

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/memoryd/memoryd/fixtures"
	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/forecast"
	"github.com/memoryd/memoryd/pkg/rules"
)

// BenchmarkOf forecasts the large sample workspace.
func BenchmarkOf(b *testing.B) {
	at, err := time.Parse(time.RFC3339, fixtures.At)
	if err != nil {
		b.Fatal(err)
	}
	dir := filepath.Join(b.TempDir(), "w")
	if err := fixtures.CopyTo(dir, fixtures.Large); err != nil {
		b.Fatal(err)
	}
	snap := load(b, dir, at)
	b.ReportMetric(float64(snap.Len()), "memories")
	for b.Loop() {
		if _, err := forecast.Of(snap, rules.Request{Settings: config.Default()}); err != nil {
			b.Fatal(err)
		}
	}
}
