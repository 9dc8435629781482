package tx

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/memoryd/memoryd/pkg/internal/durable"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/timestamp"
)

// Lock makes ops/, takes the writer's lock and finishes what an interrupted writer left.
func (s *Store) Lock(ctx context.Context, what string) (release func() error, err error) {
	if err := s.MayWrite(); err != nil {
		return nil, err
	}
	dirs, err := durable.MkdirAll(s.Root, memory.OpsDir)
	if err != nil {
		return nil, fmt.Errorf("create %s: %w", memory.OpsDir, err)
	}
	if err := durable.SyncDirs(s.Root, s.Parallel, dirs...); err != nil {
		return nil, err
	}
	holder := fmt.Sprintf("pid %d, %s, since %s", os.Getpid(), what, timestamp.Format(s.Now()))
	release, err = durable.Lock(ctx, s.Root, memory.LockFile, holder, s.Wait, func(by string) { s.note("waiting for another writer: %s", by) })
	var held *durable.HeldError
	if errors.As(err, &held) {
		return nil, fmt.Errorf("%w after waiting %s: %s", ErrLocked, s.Wait, held.Holder)
	}
	if err != nil {
		return nil, err
	}
	if err = s.recover(); err == nil {
		err = s.SweepDisplaced()
	}
	if err != nil {
		return nil, errors.Join(err, release())
	}
	return release, nil
}
