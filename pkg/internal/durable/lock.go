package durable

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"
)

// Lock takes the advisory lock on name, trying again every 20 ms for at most
// wait. holder is written into the file for people to read. The file is never
// deleted: a deleted one would let two holders in.
func Lock(ctx context.Context, fsys FS, name, holder string, wait time.Duration) (release func() error, err error) {
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	for {
		release, err = fsys.TryLock(name, holder)
		if err == nil || !errors.Is(err, ErrLocked) {
			return release, err
		}
		select {
		case <-ctx.Done():
			return nil, err
		case <-time.After(20 * time.Millisecond):
		}
	}
}

func kindOf(mode fs.FileMode) Kind {
	switch {
	case mode.IsRegular():
		return Regular
	case mode.IsDir():
		return Dir
	case mode&fs.ModeSymlink != 0:
		return Link
	}
	return Other
}

// describe is err with what was attempted in front.
func describe(op, name string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s %s: %w", op, name, err)
}
