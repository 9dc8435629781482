package durable

import (
	"context"
	"errors"
	"time"
)

// Lock takes the advisory lock on name. It tries every 20 ms, for at most wait. Holder
// is written into the file for people to read. After a second waiting is called once
// with the holder of the lock. The file is never deleted, since two processes could
// lock a deleted file and a new one. The error is that of ctx, a [HeldError], or of the
// disk.
func Lock(ctx context.Context, fsys FS, name, holder string, wait time.Duration, waiting func(holder string)) (release func() error, err error) {
	expired, mention := time.After(wait), time.After(time.Second)
	for {
		release, err = fsys.TryLock(name, holder)
		var held *HeldError
		if !errors.As(err, &held) {
			return release, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-expired:
			return nil, err
		case <-mention:
			waiting(held.Holder)
		case <-time.After(20 * time.Millisecond):
		}
	}
}
