//go:build darwin || windows

package process

import "time"

// startText writes a time of day as a start.
func startText(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }
