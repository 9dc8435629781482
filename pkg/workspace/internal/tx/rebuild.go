package tx

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/workspace/internal/index"
)

// WriteIndexes writes rebuilt indexes as one run, which the log doesn't tell of, and returns
// those that it wrote: one that somebody has written since it was read is left alone. The
// caller holds the lock.
func (s *Store) WriteIndexes(ctx context.Context, at time.Time, all []index.Rebuilt) (written []index.Rebuilt, err error) {
	plan := &memory.Plan{At: at, Trigger: "reindex"}
	head, err := s.logHead()
	if err != nil {
		return nil, err
	}
	plan.Seal(head)
	c, err := s.newCommit(&Tx{Plan: plan})
	if err != nil {
		return nil, err
	}
	for _, x := range all {
		f, err := c.open(x.File)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", x.File, err)
		}
		if x.Created == f.existed || !bytes.Equal(f.was, x.Was) {
			s.note("%s was written while it was being looked at: run reindex again", x.File)
			continue
		}
		f.now, f.exists = x.Doc, true
		written = append(written, x)
	}
	res, err := s.apply(ctx, c, nil)
	if err != nil {
		return nil, err
	}
	s.noteAll(res.Warnings)
	return written, nil
}
