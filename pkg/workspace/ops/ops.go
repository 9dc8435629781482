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
	"github.com/memoryd/memoryd/pkg/workspace/internal/accesslog"
	"github.com/memoryd/memoryd/pkg/workspace/internal/seenfile"
)

// AccessFile is the access log: reads of memories that their records don't count yet, one
// JSON object a line. Reading a memory appends to it and writes no memory file; a plan to
// fold brings the counts into the records.
const AccessFile = accesslog.File

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

// Accessed appends reads of memories at a moment to the access log; from says
// through what they were read. It takes no lock and waits for nobody.
func (o *Ops) Accessed(at time.Time, from string, ids ...string) error {
	text := []byte("\n") // ends a line that an interrupted writer left
	for _, id := range ids {
		text = accesslog.Append(text, accesslog.Reads{ID: id, At: at.UTC(), From: from})
	}
	err := o.mayWrite()
	if err == nil {
		err = o.root.Append(AccessFile, text)
	}
	if errors.Is(err, fs.ErrNotExist) {
		if _, err = durable.MkdirAll(o.root, memory.OpsDir); err == nil {
			err = o.root.Append(AccessFile, text)
		}
	}
	if err != nil {
		return fmt.Errorf("count reads: %w", err)
	}
	return nil
}

// ReadAccess reads the access log; nothing where there is none.
func ReadAccess(root durable.FS) (accesslog.Log, error) {
	doc, _, err := root.Read(AccessFile, jsonedit.MaxSize)
	if errors.Is(err, fs.ErrNotExist) {
		return accesslog.Log{}, nil
	}
	return accesslog.Parse(doc), err
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

// ReadReview reads the review queue.
func ReadReview(root durable.FS) ([]review.Pair, []review.Decision, error) {
	doc, _, err := root.Read(memory.ReviewFile, jsonedit.MaxSize)
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
