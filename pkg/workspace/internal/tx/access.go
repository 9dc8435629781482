package tx

import (
	"path"
	"slices"

	"github.com/memoryd/memoryd/pkg/internal/durable"
	"github.com/memoryd/memoryd/pkg/workspace/internal/accesslog"
	"github.com/memoryd/memoryd/pkg/workspace/internal/journal"
)

// foldReads says what the transaction takes out of the access log, if anything.
func (c *commit) foldReads(groups map[int]int) *journal.Fold {
	doc := c.tx.Plan.AccessLog
	f := &journal.Fold{Len: len(doc), Sum: durable.Sum(doc), Groups: map[string]int{}}
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

// fold takes the counted reads out of the access log; an undo puts them back.
func (r *run) fold() *patch {
	if r.j.Fold == nil && !slices.ContainsFunc(r.j.Exact, func(e journal.Exact) bool { return e.Path == accesslog.File }) {
		return nil
	}
	return &patch{label: journal.LabelAccess, name: accesslog.File, of: func(doc []byte) ([]byte, error) {
		exact, ok := r.exact(accesslog.File, doc)
		switch {
		case ok:
			return exact, nil
		case r.j.Fold == nil:
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
	doc, _, err := r.root.Read(slot, maxSize)
	if err != nil {
		return false, err
	}
	rest, ok := accesslog.Since(doc, s.Base)
	if !ok {
		return false, nil
	}
	if err := r.root.Append(accesslog.File, append([]byte("\n"), rest...)); err != nil {
		return false, err
	}
	r.touched[path.Dir(accesslog.File)] = true
	return true, r.root.Remove(slot) // after a crash before it they count twice
}
