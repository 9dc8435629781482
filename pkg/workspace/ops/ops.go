package ops

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"github.com/memoryd/memoryd/pkg/internal/durable"
	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/review"
	"github.com/memoryd/memoryd/pkg/workspace/internal/seenfile"
)

// Ops writes and reads the documents of one workspace. A store gives it.
type Ops struct {
	root     durable.FS
	parallel int
	now      func() time.Time
	mayWrite func() error
	lock     func(ctx context.Context, what string) (release func() error, err error)
}

// New returns the documents on a disk. mayWrite refuses to write anything, lock takes the
// writer's lock.
func New(root durable.FS, parallel int, now func() time.Time, mayWrite func() error, lock func(ctx context.Context, what string) (func() error, error)) *Ops {
	return &Ops{root, parallel, now, mayWrite, lock}
}

// ReadSeen reads what runs have noted of the memories they saw, by id; nothing where it
// can't be read.
func ReadSeen(root durable.FS) map[string]string {
	doc, _, err := root.Read(memory.SeenFile, jsonedit.MaxSize)
	if err != nil {
		return nil
	}
	return seenfile.Parse(doc)
}

// ReadReview reads the review queue, with those of other machines that share the workspace: a decision anywhere settles its pair.
func ReadReview(root durable.FS) ([]review.Pair, []review.Decision, error) {
	pairs, decided, err := readQueue(root, memory.ReviewFile)
	if err != nil {
		return nil, nil, err
	}
	names := others(root, memory.ReviewFile)
	if len(names) == 0 {
		return pairs, decided, nil
	}
	for _, name := range names {
		asked, settled, err := readQueue(root, name)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", name, err)
		}
		pairs, decided = append(pairs, asked...), append(decided, settled...)
	}
	done := map[string]bool{}
	for _, d := range decided {
		done[d.ID()] = true
	}
	left := pairs[:0:0]
	for _, p := range pairs {
		if id := p.ID(); !done[id] {
			done[id] = true // another machine may have flagged it too
			left = append(left, p)
		}
	}
	return left, decided, nil
}

func readQueue(root durable.FS, name string) ([]review.Pair, []review.Decision, error) {
	doc, _, err := root.Read(name, jsonedit.MaxSize)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	return review.Parse(doc)
}

// oneLine folds white space.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
