package watch

import (
	"context"
	"time"

	"github.com/memoryd/memoryd/pkg/config"
)

// RunsHere are the settings by which a machine runs by itself: where sync.runs names another one it settles sessions only.
func RunsHere(set config.Settings, machine string) config.Settings {
	if set.Sync.Runs != "" && set.Sync.Runs != machine {
		return set.SessionsOnly()
	}
	return set
}

// minute is how often [Repeat] does something at most, and how often it asks for the interval while that is 0.
const minute = time.Minute

// Repeat does something each interval, of a minute at least; while the interval is 0 it doesn't.
func Repeat(ctx context.Context, interval func() time.Duration, do func()) {
	last := time.Now()
	for {
		every := interval()
		wait := minute
		if every > 0 {
			wait = max(0, time.Until(last.Add(max(every, minute))))
		}
		timer := time.NewTimer(min(wait, minute))
		select {
		case <-ctx.Done():
			timer.Stop()
			return
		case <-timer.C:
		}
		if every > 0 && wait <= minute && time.Since(last) >= every {
			do()
			last = time.Now()
		}
	}
}
