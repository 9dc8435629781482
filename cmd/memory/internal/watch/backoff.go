package watch

import (
	"context"
	"errors"
	"time"
)

// backoff is how long work that fails is put off.
type backoff struct {
	failures int
	until    time.Time
	told     string // what was said of it
}

// failed puts work off, and says why when that is new. That the context has ended
// is no failure.
func (l *loop) failed(b *backoff, what string, err error) {
	if errors.Is(err, context.Canceled) {
		return
	}
	l.Metrics.Failed(what)
	wait := min(firstWait<<min(b.failures, 5), lastWait)
	b.failures, b.until = b.failures+1, time.Now().Add(wait)
	if text := err.Error(); text != b.told {
		b.told = text
		l.Log.Error(what+" failed, and is tried again", "error", err)
	}
}
