package tx

import (
	"bytes"
	"errors"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/memoryd/memoryd/pkg/internal/durable"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/review"
	"github.com/memoryd/memoryd/pkg/workspace/internal/accesslog"
	"github.com/memoryd/memoryd/pkg/workspace/internal/journal"
	"github.com/memoryd/memoryd/pkg/workspace/internal/seenfile"
)

// opsPatches are the patches of the documents that go with the run: judged edges, and below ops/ the review
// queue, the fingerprints seen and the access log. The log comes after them.
func opsPatches(r *run) []*patch {
	return slices.DeleteFunc(append(edgePatches(r), overlayPatch(r), reviewPatch(r), seenPatch(r), foldPatch(r)), func(p *patch) bool { return p == nil })
}

// reviewPatch updates the review queue.
func reviewPatch(r *run) *patch {
	var add, take []review.Pair
	var decide, undecide []review.Decision
	for _, a := range r.j.Actions {
		if _, dead := r.dead[a.Group]; !dead {
			add, take = append(add, a.Pairs...), append(take, a.Unpair...)
			decide, undecide = append(decide, a.Decisions...), append(undecide, a.Undecide...)
		}
	}
	if len(add)+len(take)+len(decide)+len(undecide) == 0 {
		return nil
	}
	return &patch{label: journal.LabelReview, name: memory.ReviewFile, of: func(doc []byte) ([]byte, error) {
		return orAnew(r, memory.ReviewFile, doc, func(doc []byte) ([]byte, error) {
			next, err := review.Take(doc, take, undecide)
			if err != nil {
				return nil, err
			}
			return review.Patch(next, add, decide)
		})
	}}
}

// seenPatch notes the fingerprints that the run leaves.
func seenPatch(r *run) *patch {
	if len(r.j.Seen) == 0 && !slices.ContainsFunc(r.j.Exact, func(e journal.Exact) bool { return e.Path == memory.SeenFile }) {
		return nil
	}
	skip := map[string]bool{}
	for _, a := range r.j.Actions {
		if _, dead := r.dead[a.Group]; dead {
			for _, op := range a.Ops {
				skip[op.ID] = true
			}
		}
	}
	return &patch{label: journal.LabelSeen, name: memory.SeenFile, of: func(doc []byte) ([]byte, error) {
		if len(r.j.Seen) == 0 {
			return doc, nil
		}
		seen := seenfile.Parse(doc)
		if doc != nil && !bytes.Equal(seenfile.Format(seen), doc) { // not as we write it
			if err := keepBroken(r, memory.SeenFile, doc); err != nil {
				return nil, err
			}
		}
		for id, print := range r.j.Seen {
			if !skip[id] {
				seen[id] = print
			}
		}
		maps.DeleteFunc(seen, func(_, print string) bool { return print == "" })
		return seenfile.Format(seen), nil
	}}
}

// orAnew is what patch makes of a document of ours. One that was broken by hand a moment ago is copied to ops/conflicts and begun again.
func orAnew(r *run, name string, doc []byte, patch func([]byte) ([]byte, error)) ([]byte, error) {
	next, err := patch(doc)
	if err == nil || doc == nil {
		return next, err
	}
	if err := keepBroken(r, name, doc); err != nil {
		return nil, err
	}
	return patch(nil)
}

// keepBroken keeps a copy of a document of ours that can't be read any more in
// ops/conflicts.
func keepBroken(r *run, name string, doc []byte) error {
	kept, _, err := r.read(path.Join(journal.ConflictsDir, path.Base(r.dir), name))
	if err != nil || bytes.Equal(kept, doc) { // by an earlier attempt
		return err
	}
	_, attr, err := r.read(name)
	if err != nil {
		return err
	}
	copied := r.dir + "/" + strings.ReplaceAll(name, "/", "_")
	if err := r.fill(copied, doc, attr); err != nil {
		return err
	}
	return r.aside(copied, name)
}

// markSeen computes what the run notes of the memories that its plan looked at and leaves;
// it forgets those that are gone. A memory that was edited since the snapshot keeps its
// older note, so that the next run takes it for edited.
func (c *commit) markSeen() error {
	doc, _, err := c.root.Read(memory.SeenFile, maxSize)
	if err != nil && !errors.Is(err, fs.ErrNotExist) && !odd(err) {
		return err
	}
	before := seenfile.Parse(doc)
	gone := make(map[string]bool, len(before))
	for id := range before {
		gone[id] = true
	}
	now := map[string]string{} // id -> note
	note := func(m *memory.Memory) {
		delete(gone, m.ID)
		now[m.ID] = m.SeenNote(before[m.ID])
	}
	covers := c.tx.Plan.Covers
	for _, m := range c.tx.Snapshot.Memories() {
		delete(gone, m.ID)
		if covers != nil && !covers(m) {
			continue
		}
		if !m.SeenAs(before[m.ID]) {
			if err := c.learnFingerprint(m); err != nil {
				return err
			}
		}
		note(m)
	}
	for i := range c.tx.Plan.Actions {
		for _, op := range c.tx.Plan.Actions[i].Ops {
			switch {
			case !c.done[i]:
			case op.Kind == memory.Move && memory.InArchive(op.To.File):
				delete(now, op.ID)
				gone[op.ID] = true
			case op.Kind == memory.Put || op.Kind == memory.Create:
				note(memory.ParseRecord(op.Raw, op.Ref))
			}
		}
	}
	c.seen = map[string]string{}
	for id, note := range now {
		if note != before[id] {
			c.seen[id] = note
		}
	}
	for id := range gone {
		if _, noted := before[id]; noted {
			c.seen[id] = ""
		}
	}
	return nil
}

// learnFingerprint computes the fingerprint of a memory from one reading of its bytes. A disk
// that doesn't give them is an error: else that of no content would be noted. A record that
// has changed or gone since the snapshot is none.
func (c *commit) learnFingerprint(m *memory.Memory) error {
	if m.KnownFingerprint() != 0 {
		return nil
	}
	raw := m.Raw()
	if raw == nil {
		_, _, err := c.root.Read(m.File, maxSize)
		if err != nil && !errors.Is(err, fs.ErrNotExist) && !odd(err) {
			return err
		}
		if raw = m.Raw(); raw == nil {
			return nil
		}
	}
	same := memory.ParseRecord(raw, m.Ref)
	same.Fingerprint()
	m.KnowFingerprint(same.KnownFingerprint())
	return nil
}

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
		return doc // done by an earlier attempt, or written again by somebody
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

// foldPatch takes the counted reads out of the access log; an undo puts them back.
func foldPatch(r *run) *patch {
	if r.j.Fold == nil && !slices.ContainsFunc(r.j.Exact, func(e journal.Exact) bool { return e.Path == accesslog.File }) {
		return nil
	}
	return &patch{label: journal.LabelAccess, name: accesslog.File, of: func(doc []byte) ([]byte, error) {
		if r.j.Fold == nil {
			return doc, nil
		}
		return folded(r.j.Fold, doc, r.dead), nil
	}}
}

// appended gives back reads that somebody appended to the access log after it had
// been displaced into a slot, and reports whether that was all.
func appended(r *run, slot string, s journal.Slot) (bool, error) {
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
