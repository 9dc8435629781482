package workspace

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/memoryd/memoryd/pkg/internal/durable"
	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
	"github.com/memoryd/memoryd/pkg/review"
	"github.com/memoryd/memoryd/pkg/workspace/internal/journal"
	"github.com/memoryd/memoryd/pkg/workspace/internal/seenfile"
)

// errLeave: the patch can't be made and the file stays as it is; the run goes on.
var errLeave = errors.New("stays as it is")

// patchTries bounds how often a patch is made anew because somebody else wrote the
// file in the same moment.
const patchTries = 100

// patch is a file that is brought to what of makes of it; nil stands for no file. of must
// be idempotent: it sees the file as it is at that moment, with what others wrote
// in it and with what an earlier attempt of the same run did.
type patch struct {
	label, name string
	of          func(doc []byte) ([]byte, error)

	kept []jsonedit.Kept // what the last call of it has kept of doc; nil where it doesn't tell
	to   *standing       // what it gave; nil where no more is known of that
	next *patching       // what was prepared ahead
}

// patching is a patch of the file as it was at a moment.
type patching struct {
	from, to *standing
	kept     []jsonedit.Kept // of what the file held; nil where that isn't known
	slot     string
	attr     durable.Attr // of the file
}

func (p *patching) idle() bool { return p.from.sum == p.to.sum }

// prepared computes a patch.
func (r *run) prepared(p *patch) (*patching, error) {
	now, attr, err := r.standsNow(p.name)
	if err != nil {
		return nil, err
	}
	n, doc := &patching{from: now, attr: attr}, now.doc
	p.kept, p.to = nil, nil
	next, err := p.of(doc)
	if err != nil {
		return nil, err
	}
	if (doc == nil) == (next == nil) && bytes.Equal(doc, next) {
		n.to = n.from
		return n, nil
	}
	if n.to, n.kept = p.to, p.kept; n.to == nil {
		n.to = &standing{doc: next, sum: sumOf(next)}
	}
	n.slot = r.slot(p.label, n.from.sum, n.to.sum)
	return n, nil
}

// ahead computes a patch and gives what fills its slot; to be called once before r.patch.
func (r *run) ahead(p *patch) (fill func() error, err error) {
	p.next, err = r.prepared(p)
	switch {
	case odd(err): // it makes way when its turn comes
		return func() error { return nil }, nil
	case err != nil:
		return nil, fmt.Errorf("%s: %w", p.name, err)
	}
	return func() error { return r.ready(p.next) }, nil
}

// patch makes a patch true.
func (r *run) patch(p *patch) (changed bool, err error) {
	for range patchTries {
		n := p.next
		if p.next = nil; n == nil {
			if n, err = r.prepared(p); err == nil {
				err = r.ready(n)
			}
			if err != nil {
				return false, err
			}
		}
		if n.idle() {
			return false, nil
		}
		if n.from.sum == durable.Absent {
			made, err := durable.MkdirAll(r.root, path.Dir(p.name))
			if err != nil {
				return false, err
			}
			for _, dir := range made {
				r.touched[dir] = true
			}
		}
		r.touched[path.Dir(p.name)] = true
		err = durable.CAS(r.root, n.slot, p.name, n.from.sum, n.to.sum, r.aside)
		if err == nil {
			r.noteStep(p.label, n)
			r.standing[p.name] = n.to
			return true, nil
		}
		if !errors.Is(err, durable.ErrConflict) {
			return false, err
		}
	}
	return false, fmt.Errorf("%s: somebody else keeps writing it", p.name)
}

// patchOurs is patch for a file that belongs to us alone: whatever else has taken
// its place, a directory say, makes way.
func (r *run) patchOurs(p *patch) error {
	_, err := r.patch(p)
	if odd(err) {
		if err = r.aside(p.name, p.name); err == nil {
			_, err = r.patch(p)
		}
	}
	if err != nil {
		return fmt.Errorf("%s: %w", p.name, err)
	}
	return nil
}

// notes are the patches of what remembers the run: what it leaves to be decided, what it
// has seen, the reads that it has counted, and the log, which comes last.
func (r *run) notes() []*patch {
	return slices.DeleteFunc([]*patch{r.review(), r.seen(), r.fold(), r.log()}, func(p *patch) bool { return p == nil })
}

func sumOf(doc []byte) string {
	if doc == nil {
		return durable.Absent
	}
	return durable.Sum(doc)
}

// ready makes the slot of a patch hold its content, durably; nil: be free.
func (r *run) ready(p *patching) error {
	if p.idle() {
		return nil
	}
	in, err := durable.Hash(r.root, p.slot)
	if err != nil || in == p.to.sum {
		return err
	}
	if in != durable.Absent { // from an earlier attempt: the same file as it is now
		if err := r.root.Remove(p.slot); err != nil {
			return err
		}
	}
	if p.to.doc == nil {
		return nil
	}
	return r.fill(p.slot, p.to.doc, p.attr)
}

// fill makes a slot after the commit. It gets its name only when its bytes are
// durable: a torn one would pass for somebody's edit.
//
//	write slot.tmp; fsync; rename to slot
func (r *run) fill(slot string, content []byte, attr durable.Attr) error {
	if err := r.drop(slot + ".tmp"); err != nil {
		return err
	}
	if err := (durable.Staging{Name: slot + ".tmp", Data: content, Attr: attr}).Write(r.root); err != nil {
		return err
	}
	return r.root.Rename(slot+".tmp", slot)
}

// exact gives the bytes that an undo puts back, if the file is still as the run
// that is undone left it, and all of the undo happens.
func (r *run) exact(name string, doc []byte) ([]byte, bool) {
	if len(r.dead) > 0 {
		return nil, false
	}
	i := slices.IndexFunc(r.j.Exact, func(e journal.Exact) bool { return e.Path == name })
	if i < 0 {
		return nil, false
	}
	e := &r.j.Exact[i]
	switch sumOf(doc) {
	case e.From, e.To:
		if e.To == durable.Absent {
			return nil, true
		}
		return e.Before, true
	}
	return nil, false
}

// review brings the review queue along.
func (r *run) review() *patch {
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
	return &patch{label: journal.LabelReview, name: ReviewFile, of: func(doc []byte) ([]byte, error) {
		if exact, ok := r.exact(ReviewFile, doc); ok {
			return exact, nil
		}
		next, err := review.Take(doc, take, undecide)
		if err == nil {
			next, err = review.Patch(next, add, decide)
		}
		if err != nil && doc != nil { // broken by hand a moment ago: begun anew
			if err := r.keepBroken(ReviewFile, doc); err != nil {
				return nil, err
			}
			return review.Patch(nil, add, decide)
		}
		return next, err
	}}
}

// keepBroken keeps a copy of a file of ours that can't be read any more.
func (r *run) keepBroken(name string, doc []byte) error {
	kept, _, err := r.read(path.Join(ConflictsDir, path.Base(r.dir), name))
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

// seen notes the fingerprints of what the run leaves.
func (r *run) seen() *patch {
	if len(r.j.Seen) == 0 && !slices.ContainsFunc(r.j.Exact, func(e journal.Exact) bool { return e.Path == SeenFile }) {
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
	p := &patch{label: journal.LabelSeen, name: SeenFile}
	p.of = func(doc []byte) ([]byte, error) {
		if exact, ok := r.exact(SeenFile, doc); ok {
			return exact, nil
		}
		if len(r.j.Seen) == 0 {
			return doc, nil
		}
		now := maps.Clone(r.j.Seen)
		maps.DeleteFunc(now, func(id, _ string) bool { return skip[id] })
		if next, kept, ok := seenfile.Patch(doc, now); ok {
			p.kept = kept
			return next, nil
		}
		seen := seenfile.Parse(doc)
		if doc != nil && !bytes.Equal(seenfile.Format(seen), doc) { // not as we write it
			if err := r.keepBroken(SeenFile, doc); err != nil {
				return nil, err
			}
		}
		maps.Copy(seen, now)
		maps.DeleteFunc(seen, func(_, print string) bool { return print == "" })
		return seenfile.Format(seen), nil
	}
	return p
}
