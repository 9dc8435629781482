package forecast_test

import (
	"errors"
	"testing"

	"github.com/memoryd/memoryd/fixtures"
	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/forecast"
	"github.com/memoryd/memoryd/pkg/rules"
)

// Whoever looks ahead is told how far it is, and may end it at any time.
func TestForecastEnds(t *testing.T) {
	dir, at := sample(t, fixtures.Large)
	snap, told, most := load(t, dir, at), 0, 0
	request := rules.Request{Settings: config.Default()}
	request.Progress = func(done, total int) error {
		if done > total || done > len(snap.Memories()) {
			t.Errorf("%d of %d, of %d memories", done, total, len(snap.Memories()))
		}
		told, most = told+1, max(most, done)
		return nil
	}
	if all, err := forecast.Of(snap, request, nil); err != nil || len(all) != len(snap.Memories()) || told < 5 || most < len(snap.Memories())/2 {
		t.Fatalf("%d forecasts, told %d times, of %d at most; %v", len(all), told, most, err)
	}
	stop := errors.New("stop")
	for after := 0; after < told; after += 1 + told/10 {
		left := after
		request.Progress = func(int, int) error {
			if left--; left < 0 {
				return stop
			}
			return nil
		}
		if all, err := forecast.Of(snap, request, nil); all != nil || !errors.Is(err, stop) || left != -1 {
			t.Fatalf("ended after %d: %d forecasts, %v; told %d times more", after, len(all), err, -1-left)
		}
	}
}
