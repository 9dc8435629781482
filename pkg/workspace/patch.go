package workspace

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

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
		doc, mode, err := r.read(name)
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
		if err := r.ready(slot, next, want, mode); err != nil {
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
func (r *run) ready(slot string, content []byte, want string, mode fs.FileMode) error {
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
	return r.fill(slot, content, mode)
}

// fill makes a slot after the commit. It gets its name only when its bytes are
// durable: a torn one would pass for somebody's edit.
//
//	write slot.tmp; fsync; rename to slot
func (r *run) fill(slot string, content []byte, mode fs.FileMode) error {
	if err := r.drop(slot + ".tmp"); err != nil {
		return err
	}
	if err := durable.Write(r.root, slot+".tmp", content, mode); err != nil {
		return err
	}
	return r.root.Rename(slot+".tmp", slot)
}

// indexes brings the indexes of the changed files along. With adding, only those
// of created files, so that these are listed before anything is taken away.
func (r *run) indexes(adding bool) error {
	for k := range r.j.Indexes {
		x := &r.j.Indexes[k]
		created := r.changes(x, func(c *journalChange) bool { return c.kind() == Create })
		if adding && len(created) == 0 {
			continue
		}
		if r.wrote > 0 {
			time.Sleep(r.pause)
		}
		changed, err := r.patch(fmt.Sprintf("%s%d", labelIndex, k), x.Path, func(doc []byte) ([]byte, error) {
			if exact, ok := r.exact(x.Path, doc); ok {
				return exact, nil
			}
			next, err := r.reconciled(x, doc, adding)
			if err != nil && !errors.Is(err, errReading) {
				return nil, fmt.Errorf("%w: %w", errLeave, err)
			}
			return next, err
		})
		switch {
		case errors.Is(err, errLeave), odd(err):
			// An index is derived: no run fails over it.
			r.warn("%s: %s: mend it, then run \"memory reindex\"", x.Path, cause(err))
		case err != nil:
			return fmt.Errorf("%s: %w", x.Path, err)
		case changed:
			r.wrote++
		}
	}
	return nil
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

func (r *run) changes(x *journalIndex, want func(*journalChange) bool) (out []*journalChange) {
	for i := range r.j.Files {
		if c := &r.j.Files[i]; slices.Contains(x.Files, c.Path) && want(c) {
			out = append(out, c)
		}
	}
	return out
}

// errReading: the disk failed, not the index.
var errReading = errors.New("reading")

// reconciled computes an index from the changed files as they stand now. What is
// about to be deleted counts as gone already.
func (r *run) reconciled(x *journalIndex, doc []byte, adding bool) ([]byte, error) {
	if doc == nil {
		return r.newIndex(x)
	}
	index, err := parseIndex(x.Path, doc)
	if err != nil {
		return nil, fmt.Errorf("is not valid JSON: %w", err)
	}
	if index.Foreign {
		return doc, nil
	}
	only := map[string]bool{}
	var owned []*Memory
	for _, c := range r.changes(x, func(c *journalChange) bool { return !adding || c.kind() == Create }) {
		for _, side := range [][]byte{c.Before, c.After} {
			records, err := readRecords(c.Path, side)
			if err != nil && side != nil {
				return nil, err
			}
			for _, m := range records {
				only[m.ID] = true
			}
		}
		records, err := r.recordsNow(c)
		if err != nil {
			return nil, err
		}
		owned = append(owned, records...)
	}
	out, _, err := index.reconcile(owned, only, r.extra(), r.j.At)
	return out, err
}

// recordsNow reads the memories of a changed file as it stands. One that somebody
// has just broken, or made something else, has none.
func (r *run) recordsNow(c *journalChange) ([]*Memory, error) {
	if _, dead := r.dead[c.Group]; !dead && c.kind() == remove {
		return nil, nil
	}
	data, _, err := r.read(c.Path)
	if odd(err) || err == nil && data == nil {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errReading, err)
	}
	records, err := readRecords(c.Path, data)
	if err != nil {
		return nil, nil //nolint:nilerr // memory check reports it; the entry goes until it is mended
	}
	return records, nil
}

// newIndex lists every memory that belongs to an index that isn't there yet.
func (r *run) newIndex(x *journalIndex) ([]byte, error) {
	index, err := newIndex(x.Path, r.j.At)
	if err != nil {
		return nil, err
	}
	below := &loader{root: r.root, teams: map[string]string{}}
	below.dir(path.Dir(x.Path), 0)
	sortMemories(below.live)
	sortMemories(below.archived)
	if r.unread(below.problems) {
		return nil, fmt.Errorf("%w: see \"memory check\"", errReading)
	}
	byDir := map[string]*Index{path.Dir(x.Path): index}
	for _, other := range below.indexes {
		if !other.Foreign {
			byDir[path.Dir(other.File)] = other
		}
	}
	leaving := map[string]bool{}
	for i := range r.j.Files {
		c := &r.j.Files[i]
		_, dead := r.dead[c.Group]
		leaving[c.Path] = !dead && c.kind() == remove
	}
	var owned []*Memory
	for _, group := range [][]*Memory{below.live, below.archived} {
		for _, m := range group {
			if !leaving[m.File] && nearest(byDir, m.File) == index {
				owned = append(owned, m)
			}
		}
	}
	if len(owned) == 0 {
		return nil, nil
	}
	doc, _, err := index.reconcile(owned, nil, r.extra(), r.j.At)
	return doc, err
}

// unread reports whether the disk failed to give a file. The first attempt stops
// there; recovery goes on, so that one such file doesn't block everything.
func (r *run) unread(problems []Problem) bool {
	return !r.again && slices.ContainsFunc(problems, func(p Problem) bool { return p.unread })
}

func (r *run) extra() map[string][]field {
	out := make(map[string][]field, len(r.j.Extra))
	for id, fields := range r.j.Extra {
		for _, f := range fields {
			out[id] = append(out[id], field{f.Key, f.Raw})
		}
	}
	return out
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
	copied := r.dir + "/" + strings.ReplaceAll(name, "/", "_")
	if err := r.fill(copied, doc, 0o644); err != nil {
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
