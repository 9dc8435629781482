package durable

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// patience is how long a wait for a lock goes unmentioned.
const patience = time.Second

// Lock takes the advisory lock on name, trying again every 20 ms for at most
// wait. holder is written into the file for people to read; waiting is told it,
// once, by whoever has waited a second. The file is never deleted: a deleted one
// would let two holders in. The error is that of ctx, a [HeldError], or of the disk.
func Lock(ctx context.Context, fsys FS, name, holder string, wait time.Duration, waiting func(holder string)) (release func() error, err error) {
	expired, mention := time.After(wait), time.After(patience)
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

// describe is err with what was attempted in front.
func describe(op, name string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s %s: %w", op, name, err)
}
