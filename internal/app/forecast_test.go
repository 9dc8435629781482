package app

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/memoryd/memoryd/fixtures"
	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/forecast"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/rules"
	"github.com/memoryd/memoryd/pkg/workspace"
)

// A forecast says the same with what earlier plans and forecasts have left in the cache, with
// other settings too.
func TestForecastWithCache(t *testing.T) {
	dir := t.TempDir()
	if err := fixtures.CopyTo(dir, fixtures.Large); err != nil {
		t.Fatal(err)
	}
	store, err := workspace.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	snap, err := store.Load(time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC))
	if err != nil {
		t.Fatal(err)
	}
	for _, chars := range []int{1200, 1200, 300, 1200} {
		request := rules.Request{Settings: config.Default()}
		request.Settings.Summarise.MaxChars, request.Settings.Summarise.MinChars = chars, 2000
		want, err := forecast.Of(snap, request, nil)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Forecast(store.Cache(), snap, request, nil)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got, cmp.Comparer(func(a, b *memory.Memory) bool { return a == b })); diff != "" {
			t.Errorf("summaries of %d characters: %s", chars, diff)
		}
		if _, err := MakePlan(store, snap, request); err != nil {
			t.Fatal(err)
		}
	}
	if data, err := store.Cache().Read(sketchFile); err != nil || len(data) == 0 {
		t.Errorf("the cache has %d bytes of summaries, %v", len(data), err)
	}
}
