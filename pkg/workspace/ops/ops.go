package ops

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
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

// Files about language models, below ops/.
const (
	ModelFile     = memory.OpsDir + "/model.jsonl" // receipts of requests, one JSON object a line
	modelLock     = memory.OpsDir + "/model.lock"
	modelLockWait = 10 * time.Second
	modelPart     = 1 << 20 // bytes from which the receipts of earlier days are put aside, into ops/archive
)

// ModelJournal keeps the receipts of requests to language models. It is a [provider.Journal]: requests of several processes are
// counted one after the other.
type ModelJournal struct{ *Ops }

// Update calls add with the receipts so far, while nobody else writes, and appends the line that add returns. The receipts of
// earlier days are put aside first where there are many.
func (j ModelJournal) Update(ctx context.Context, add func(all []byte) (line []byte, err error)) (err error) {
	if err := j.mayWrite(); err != nil {
		return fmt.Errorf("note a request to a model: %w", err)
	}
	if _, err := durable.MkdirAll(j.root, memory.OpsDir); err != nil {
		return fmt.Errorf("note a request to a model: %w", err)
	}
	release, err := durable.Lock(ctx, j.root, modelLock, fmt.Sprintf("pid %d", os.Getpid()), modelLockWait, func(string) {})
	if err != nil {
		return fmt.Errorf("note a request to a model: %w", err)
	}
	defer func() { err = errors.Join(err, release()) }()
	all, err := j.today()
	if err != nil {
		return fmt.Errorf("read %s: %w", ModelFile, err)
	}
	line, err := add(all)
	if err != nil {
		return err
	}
	if n := len(all); n > 0 && all[n-1] != '\n' { // a crash has cut the last line
		line = append([]byte("\n"), line...)
	}
	if err := j.root.Append(ModelFile, line); err != nil {
		return fmt.Errorf("write %s: %w", ModelFile, err)
	}
	return nil
}

// today reads the receipts, and puts them aside if they are many and of an earlier day.
func (j ModelJournal) today() ([]byte, error) {
	all, info, err := j.root.Read(ModelFile, jsonedit.MaxSize)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	day := info.ModTime.UTC().Format(time.DateOnly)
	if err != nil || info.Size < modelPart || day == j.now().UTC().Format(time.DateOnly) {
		return all, err
	}
	dir := memory.OpsDir + "/archive"
	if _, err := durable.MkdirAll(j.root, dir); err != nil {
		return nil, err
	}
	err = j.root.Move(ModelFile, path.Join(dir, "model-"+day+".jsonl"))
	if errors.Is(err, fs.ErrExist) || errors.Is(err, errors.ErrUnsupported) {
		return all, nil // they stay where they are
	}
	return nil, err
}

// ModelReceipts reads the receipts that are not put aside.
func (o *Ops) ModelReceipts() ([]byte, error) {
	all, _, err := o.root.Read(ModelFile, jsonedit.MaxSize)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read %s: %w", ModelFile, err)
	}
	return all, nil
}
