package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/memoryd/memoryd/pkg/indexfile"
	"github.com/memoryd/memoryd/pkg/internal/durable"
	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/workspace/internal/index"
	"github.com/memoryd/memoryd/pkg/workspace/internal/tx"
)

// shownStanding is how many indexes that stand still, or reasons for it, are named.
const shownStanding = 5

// bring brings the indexes concerned into line, and tells what was done.
func (l *look) bring() error {
	if err := l.align(); err != nil {
		return err
	}
	if len(l.stands) == 0 {
		for _, p := range l.Problems() {
			if p.Unread {
				l.stands = append(l.stands, standingFor(&p))
			}
		}
	}
	if n := len(l.stands); n > shownStanding {
		l.stands = append(l.stands[:shownStanding], fmt.Errorf("and %d more", n-shownStanding))
	}
	l.out.Standing = errors.Join(l.stands...)
	slices.SortFunc(l.out.Written, func(a, b Reindexed) int { return strings.Compare(a.File, b.File) })
	return nil
}

// align brings the indexes concerned into line: those in doubt as a whole, of the others the
// entries of what was touched. An index is derived: one that can't be brought along keeps no
// other from it.
func (l *look) align() error {
	for {
		work := l.concerned()
		if len(work) == 0 {
			return nil
		}
		if read, err := l.lacking(work); err != nil {
			return err
		} else if read {
			continue // and what was read may touch more
		}
		for _, dir := range slices.Sorted(maps.Keys(work)) {
			if err := l.ctx.Err(); err != nil {
				return err
			}
			if err := l.one(dir, work[dir]); err != nil {
				l.stand(dir, err)
			}
			if size := 0; len(l.swaps) > 0 {
				for _, s := range l.swaps {
					size += len(s.swap.Doc)
				}
				if len(l.swaps) == tx.MaxSwaps || size > bytesAtOnce {
					if err := l.swap(); err != nil {
						return err
					}
				}
			}
		}
		if err := l.swap(); err != nil {
			return err
		}
	}
}

// stand notes that an index was not brought along: not now, if somebody has just
// written or moved it.
func (l *look) stand(dir string, err error) {
	name := path.Join(dir, memory.IndexFile)
	l.indexes[dir].doubt, l.done[dir] = true, true
	if errors.Is(err, durable.ErrConflict) || errors.Is(err, fs.ErrNotExist) {
		l.out.Later = append(l.out.Later, name)
		return
	}
	l.stands = append(l.stands, fmt.Errorf("%s stays as it is: %w", name, err))
}

// indexSwap brings an index from what was read to what it should be.
type indexSwap struct {
	of   *listing
	done Reindexed
	swap tx.IndexSwap
}

// bytesAtOnce is how many bytes of indexes are swapped at a time.
const bytesAtOnce = 4 << 20

// swap makes the swaps. The error is that of the context.
func (l *look) swap() error {
	all := make([]*tx.IndexSwap, len(l.swaps))
	for i, s := range l.swaps {
		all[i] = &s.swap
	}
	l.store.writer().SwapIndexes(l.ctx, all)
	for _, s := range l.swaps {
		s.of.slot = s.swap.Slot
		if s.swap.Err != nil {
			l.stand(path.Dir(s.swap.File), s.swap.Err)
			continue
		}
		s.of.sum, s.of.kind = durable.Sum(s.swap.Doc), proper
		l.out.Written = append(l.out.Written, s.done)
	}
	l.swaps = nil
	return l.ctx.Err()
}

// concerned lists the directories of the indexes that are to be brought along, and
// for each the files that it takes: all of its own or those that hold what was
// touched, in the order of a snapshot.
func (l *look) concerned() map[string][]string {
	type job struct {
		touched map[string]bool // nil: all
		names   []string
	}
	jobs := map[string]*job{}
	for dir, x := range l.indexes {
		if !l.done[dir] && (l.only == nil || l.only[dir]) && (x.doubt || l.touched[dir] != nil) && (x.kind == missing || x.kind.owns()) {
			x.doubt = x.doubt || x.kind == missing
			if jobs[dir] = (&job{touched: l.touched[dir]}); x.doubt {
				jobs[dir].touched = nil
			}
		}
	}
	if len(jobs) == 0 {
		return nil
	}
	for name, h := range l.files {
		j := jobs[h.owner]
		if j == nil {
			continue
		}
		if j.touched == nil || slices.ContainsFunc(h.memories, func(m heldMemory) bool { return j.touched[m.id] }) {
			j.names = append(j.names, name)
		}
	}
	work := make(map[string][]string, len(jobs))
	for dir, j := range jobs {
		slices.SortFunc(j.names, func(a, b string) int {
			if memory.InArchive(a) != memory.InArchive(b) {
				return map[bool]int{false: -1, true: 1}[memory.InArchive(a)]
			}
			return strings.Compare(a, b)
		})
		work[dir] = j.names
	}
	return work
}

// lacking reads those of the files that were not read yet.
func (l *look) lacking(work map[string][]string) (read bool, err error) {
	var batches []batch
	for _, names := range work {
		for _, name := range names {
			if _, ok := l.read[name]; ok || l.files[name].unsure {
				continue
			}
			l.changed[name], l.wanted[name] = true, true
			batches = addTo(batches, name)
		}
	}
	return len(batches) > 0, l.readAll(batches)
}

// addTo adds a file to the last batch, if that is of its directory.
func addTo(batches []batch, name string) []batch {
	dir, base := strings.TrimPrefix(path.Dir(name), "."), path.Base(name)
	if n := len(batches); n > 0 && batches[n-1].dir == dir && len(batches[n-1].names) < batchSize {
		batches[n-1].names = append(batches[n-1].names, base)
		return batches
	}
	return append(batches, batch{dir: dir, names: []string{base}})
}

// one brings an index into line with what its files hold. One that turns out to be
// in doubt is to be tried again.
func (l *look) one(dir string, names []string) error {
	x, name := l.indexes[dir], path.Join(dir, memory.IndexFile)
	if p, waits := l.waits(dir, names); waits {
		x.doubt, l.done[dir] = true, true
		if p != nil {
			l.stand(dir, standingFor(p))
		}
		return nil
	}
	read, base, info, err := l.index(x, name)
	if err != nil {
		return err
	}
	if base != x.sum && !x.doubt {
		x.doubt = true
		return nil
	}
	var owned []indexfile.Line
	for _, file := range names {
		owned = append(owned, l.read[file]...)
	}
	created := read == nil
	if created && len(owned) > 0 {
		if read, err = indexfile.New(name, l.now); err != nil {
			return err
		}
	}
	if read != nil {
		next, err := l.reconcile(x, read, owned)
		if err != nil {
			return err
		}
		if created || string(next.Doc) != string(read.Doc()) {
			l.swaps = append(l.swaps, &indexSwap{x, Reindexed{name, created, next.Drifts}, tx.IndexSwap{File: name, Base: base, Info: info, Doc: next.Doc, Slot: x.slot}})
		}
	}
	x.sum, x.doubt, l.done[dir] = base, false, true
	delete(l.touched, dir)
	for _, file := range names {
		delete(l.read, file)
	}
	return nil
}

// reconcile computes an index as what it owns demands it.
func (l *look) reconcile(x *listing, was *indexfile.File, owned []indexfile.Line) (indexfile.Updated, error) {
	only := l.touched[path.Dir(was.Name)]
	if x.doubt {
		only = nil
	}
	want := indexfile.Want{Lines: owned, Only: only}
	if path.Dir(was.Name) == memory.ArchiveDir && lacks(was, owned, only) {
		want.Extra = l.archiveFields(was)
	}
	return was.Update(want, l.now)
}

// index reads an index as it stands, with its digest; nil when there is none. One
// that has become something else than it was known for is a conflict.
func (l *look) index(x *listing, name string) (index *indexfile.File, sum string, info durable.Info, err error) {
	doc, info, err := l.store.root.Read(name, jsonedit.MaxSize)
	if errors.Is(err, fs.ErrNotExist) && x.kind == missing {
		return nil, durable.Absent, info, nil
	}
	if err != nil {
		return nil, "", info, err
	}
	sum = durable.Sum(doc)
	index, err = indexfile.Parse(name, doc)
	if err != nil || index.Foreign || x.kind != proper {
		return nil, "", info, fmt.Errorf("%s: %w", name, durable.ErrConflict)
	}
	return index, sum, info, nil
}

// waits reports whether an index can't be brought along because of what can't be
// read; the problem is nil for what may be half written.
func (l *look) waits(dir string, names []string) (p *memory.Problem, waits bool) {
	x := l.indexes[dir]
	if x.unsure {
		return x.problem, true
	}
	for _, name := range names {
		if h := l.files[name]; h.unsure {
			return h.problem, true
		}
	}
	if !x.doubt {
		return nil, false
	}
	within := func(name string) bool { return dir == "." || strings.HasPrefix(name, dir+"/") || name == dir }
	for name, p := range l.hidden {
		if within(name) {
			return &p, true
		}
	}
	for other := range l.unread {
		if within(other) {
			return l.indexes[other].problem, true
		}
	}
	return nil, false
}

// standingFor is why an index stands still; nil when it only waits for a moment.
func standingFor(p *memory.Problem) error {
	if p == nil {
		return nil
	}
	return fmt.Errorf("%s: %s: %s, or move it away", p.File, p.Message, p.Hint)
}

// lacks reports whether the index has no entry of some of the memories, of those with
// certain ids (nil: all).
func lacks(x *indexfile.File, owned []indexfile.Line, only map[string]bool) bool {
	listed := map[string]bool{}
	for _, e := range x.Entries() {
		listed[e.ID] = true
	}
	return slices.ContainsFunc(owned, func(m indexfile.Line) bool { return !listed[m.ID] && (only == nil || only[m.ID]) })
}

// archiveFields is what the log knows of archived memories that the index doesn't list.
func (l *look) archiveFields(x *indexfile.File) map[string][]indexfile.Field {
	log := l.store.logOrNil()
	if log == nil {
		return nil
	}
	return index.ArchiveFields(log, x)
}
