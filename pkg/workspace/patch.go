package workspace

import (
	"bytes"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/memoryd/memoryd/pkg/internal/durable"
)

// errLeave: the patch can't be made and the file stays as it is; the run goes on.
var errLeave = errors.New("stays as it is")

// patchTries bounds how often a patch is made anew because somebody else wrote the
// file in the same moment.
const patchTries = 100

// patch brings a derived file to what f makes of it; nil stands for no file. f must
// be idempotent: it sees the file as it is at that moment, with what others wrote
// in it and with what an earlier attempt of the same run did.
func (r *run) patch(label, name string, f func(doc []byte) ([]byte, error)) (changed bool, err error) {
	for range patchTries {
		doc, attr, err := r.read(name)
		if err != nil {
			return false, err
		}
		next, err := f(doc)
		if err != nil {
			return false, err
		}
		if (doc == nil) == (next == nil) && bytes.Equal(doc, next) {
			return changed, nil
		}
		base, want := sumOf(doc), sumOf(next)
		slot := r.slot(label, base, want)
		if err := r.ready(slot, next, want, attr); err != nil {
			return false, err
		}
		made, err := durable.MkdirAll(r.root, path.Dir(name))
		if err != nil {
			return false, err
		}
		for _, dir := range append(made, path.Dir(name)) {
			r.touched[dir] = true
		}
		err = durable.CAS(r.root, slot, name, base, want, r.aside)
		if err == nil {
			if base == durable.Absent {
				r.created[label] = want
			}
			return true, nil
		}
		if !errors.Is(err, durable.ErrConflict) {
			return false, err
		}
	}
	return false, fmt.Errorf("%s: somebody else keeps writing it", name)
}

// patchOurs is patch for a file that belongs to us alone: whatever else has taken
// its place, a directory say, makes way.
func (r *run) patchOurs(label, name string, f func(doc []byte) ([]byte, error)) error {
	_, err := r.patch(label, name, f)
	if odd(err) {
		if err = r.aside(name, name); err == nil {
			_, err = r.patch(label, name, f)
		}
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

func sumOf(doc []byte) string {
	if doc == nil {
		return durable.Absent
	}
	return durable.Sum(doc)
}

// ready makes a slot of a patch hold the content, durably; nil: be free.
func (r *run) ready(slot string, content []byte, want string, attr durable.Attr) error {
	in, err := durable.Hash(r.root, slot)
	if err != nil || in == want {
		return err
	}
	if in != durable.Absent { // from an earlier attempt: the same file as it is now
		if err := r.root.Remove(slot); err != nil {
			return err
		}
	}
	if content == nil {
		return nil
	}
	return r.fill(slot, content, attr)
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
	i := slices.IndexFunc(r.j.Exact, func(e exactFile) bool { return e.Path == name })
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
func (r *run) review() error {
	var add, take []ReviewPair
	var decide, undecide []Decision
	for _, a := range r.j.Actions {
		if _, dead := r.dead[a.Group]; !dead {
			add, take = append(add, a.Pairs...), append(take, a.Unpair...)
			decide, undecide = append(decide, a.Decisions...), append(undecide, a.Undecide...)
		}
	}
	if len(add)+len(take)+len(decide)+len(undecide) == 0 {
		return nil
	}
	return r.patchOurs(labelReview, ReviewFile, func(doc []byte) ([]byte, error) {
		if exact, ok := r.exact(ReviewFile, doc); ok {
			return exact, nil
		}
		next, err := takePairs(doc, take, undecide)
		if err == nil {
			next, err = patchQueue(next, add, decide)
		}
		if err != nil && doc != nil { // broken by hand a moment ago: begun anew
			if err := r.keepBroken(ReviewFile, doc); err != nil {
				return nil, err
			}
			return patchQueue(nil, add, decide)
		}
		return next, err
	})
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
func (r *run) seen() error {
	if len(r.j.Seen) == 0 && !slices.ContainsFunc(r.j.Exact, func(e exactFile) bool { return e.Path == SeenFile }) {
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
	return r.patchOurs(labelSeen, SeenFile, func(doc []byte) ([]byte, error) {
		if exact, ok := r.exact(SeenFile, doc); ok {
			return exact, nil
		}
		if len(r.j.Seen) == 0 {
			return doc, nil
		}
		seen := parseSeen(doc)
		if doc != nil && !bytes.Equal(renderSeen(seen), doc) { // not as we write it
			if err := r.keepBroken(SeenFile, doc); err != nil {
				return nil, err
			}
		}
		for id, print := range r.j.Seen {
			switch {
			case skip[id]:
			case print == "":
				delete(seen, id)
			default:
				seen[id] = print
			}
		}
		return renderSeen(seen), nil
	})
}
