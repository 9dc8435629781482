package provider

import (
	"sync"
	"time"
)

// breaker leaves an endpoint alone for a while that has failed several times in a row. After that one request tries it.
type breaker struct {
	mu       sync.Mutex
	failures int
	until    time.Time // zero: it is asked
	trying   bool
}

// allow reports whether a request may go out; whoever gets true says what became of it by report.
func (b *breaker) allow(now time.Time) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.until.IsZero():
		return true
	case now.Before(b.until) || b.trying:
		return false
	}
	b.trying = true
	return true
}

func (b *breaker) report(failed bool, now time.Time, most int, off time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.trying = false
	if !failed {
		b.failures, b.until = 0, time.Time{}
		return
	}
	if b.failures++; b.failures >= most {
		b.until = now.Add(off)
	}
}

// release takes back what allow let pass: nothing was found out.
func (b *breaker) release() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.trying = false
}
