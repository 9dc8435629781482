package watch

import (
	"context"
	"time"
)

// look compares the names, identities, sizes and times of all files again and
// again.
func (f *follower) look(ctx context.Context) {
	tick := time.NewTicker(f.poll)
	defer tick.Stop()
	was, err := f.store.Signature()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if err := f.check(); err != nil {
				f.emit(change{err: err})
				return
			}
			// One that can't be had is a difference to the time when it could.
			is, failed := f.store.Signature()
			if is != was || (failed == nil) != (err == nil) {
				was, err = is, failed
				f.emit(change{all: true})
			}
		}
	}
}
