package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"time"

	"github.com/memoryd/memoryd/pkg/internal/durable"
	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
	"github.com/memoryd/memoryd/pkg/workspace/internal/accesslog"
	"github.com/memoryd/memoryd/pkg/workspace/internal/journal"
)

// AccessFile is the access log: reads of memories that their records don't count
// yet, one JSON object a line. Reading a memory appends to it and writes no memory
// file; [Fold] plans to bring the counts into the records.
const AccessFile = OpsDir + "/access.jsonl"

// Accessed appends reads of memories at a moment to the access log; from says
// through what they were read. It takes no lock and waits for nobody.
func (s *FileStore) Accessed(at time.Time, from string, ids ...string) error {
	if err := s.mayWrite(); err != nil {
		return fmt.Errorf("count reads: %w", err)
	}
	text := []byte("\n") // ends a line that an interrupted writer left
	for _, id := range ids {
		text = accesslog.Append(text, accesslog.Reads{ID: id, At: at.UTC(), From: from})
	}
	err := s.root.Append(AccessFile, text)
	if errors.Is(err, fs.ErrNotExist) {
		if _, err = durable.MkdirAll(s.root, OpsDir); err == nil {
			err = s.root.Append(AccessFile, text)
		}
	}
	if err != nil {
		return fmt.Errorf("count reads: %w", err)
	}
	return nil
}

func readAccess(root durable.FS) (accesslog.Log, error) {
	doc, _, err := root.Read(AccessFile, jsonedit.MaxSize)
	if errors.Is(err, fs.ErrNotExist) {
		return accesslog.Log{}, nil
	}
	return accesslog.Parse(doc), err
}

// folded is what is left of the access log: lines that were not counted, one for
// each id, and all that was appended since.
func folded(f *journal.Fold, doc []byte, dead map[int]string) []byte {
	if len(doc) < f.Len || durable.Sum(doc[:f.Len]) != f.Sum {
		return doc // done by an earlier attempt, or written anew by somebody
	}
	left := accesslog.Left(doc[:f.Len], func(id string) bool {
		group, ok := f.Groups[id]
		_, died := dead[group]
		return ok && !died
	})
	if left = append(left, doc[f.Len:]...); len(left) == 0 {
		return nil
	}
	return left
}

// foldReads says what the transaction takes out of the access log, if anything.
func (c *commit) foldReads(groups map[int]int) *journal.Fold {
	f := &journal.Fold{Len: len(c.tx.Plan.AccessLog), Sum: durable.Sum(c.tx.Plan.AccessLog), Groups: map[string]int{}}
	for i := range c.tx.Plan.Actions {
		if !c.done[i] {
			continue
		}
		for _, id := range c.tx.Plan.Actions[i].Folds {
			f.Groups[id] = groups[i]
		}
	}
	if len(f.Groups) == 0 {
		return nil
	}
	return f
}

// fold takes the counted reads out of the access log; an undo puts them back.
func (r *run) fold() *patch {
	if r.j.Fold == nil && !slices.ContainsFunc(r.j.Exact, func(e journal.Exact) bool { return e.Path == AccessFile }) {
		return nil
	}
	return &patch{label: journal.LabelAccess, name: AccessFile, of: func(doc []byte) ([]byte, error) {
		if exact, ok := r.exact(AccessFile, doc); ok || r.j.Fold == nil {
			if ok {
				return exact, nil
			}
			return doc, nil
		}
		return folded(r.j.Fold, doc, r.dead), nil
	}}
}

// appended gives back reads that somebody appended to the access log after it had
// been displaced into a slot, and reports whether that was all.
func (r *run) appended(slot string, s journal.Slot) (bool, error) {
	if s.Label != journal.LabelAccess {
		return false, nil
	}
	doc, _, err := r.root.Read(slot, jsonedit.MaxSize)
	if err != nil {
		return false, err
	}
	rest, ok := accesslog.Since(doc, s.Base)
	if !ok {
		return false, nil
	}
	if err := r.root.Append(AccessFile, append([]byte("\n"), rest...)); err != nil {
		return false, err
	}
	r.touched[path.Dir(AccessFile)] = true
	return true, r.root.Remove(slot) // after a crash before it they count twice
}
