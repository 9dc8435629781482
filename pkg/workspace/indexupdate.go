package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/memoryd/memoryd/pkg/indexfile"
	"github.com/memoryd/memoryd/pkg/internal/durable"
	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/workspace/internal/catalog"
	"github.com/memoryd/memoryd/pkg/workspace/internal/index"
	"github.com/memoryd/memoryd/pkg/workspace/internal/tx"
)

// indexUpdate is one comparison or update of an inventory.
type indexUpdate struct {
	*Inventory
	ctx     context.Context
	at      time.Time
	out     *Refreshed
	lines   *sync.Map                  // of memories that were read just now, what an index says of them
	touched map[string]map[string]bool // directory of an index -> ids that came, went or changed
	owned   map[string][]*catalog.File // by directory, the files of the indexes concerned
	swaps   []*indexSwap               // to be made
	stands  []error                    // why indexes are not updated
}

// indexSwap brings an index from what was read to what it should be.
type indexSwap struct {
	dir  string
	done Reindexed
	swap tx.IndexSwap
}

const (
	bytesAtOnce   = 4 << 20 // bytes of indexes that are swapped at a time
	shownStanding = 5       // indexes that are not updated, or reasons for it, that are named
)

// run looks at the files and updates the indexes that are concerned.
func (u *indexUpdate) run(look func(catalog.Disk) (*catalog.Catalog, error)) error {
	disk := u.store.disk()
	disk.Progress = nil
	disk.Each = func(m *memory.Memory) { u.lines.Store(m, memory.Line(m)) }
	files, err := look(disk)
	if err != nil {
		return err
	}
	was, kinds := u.now, u.kinds
	u.take(files)
	u.compare(was, kinds)
	for name := range u.held {
		if f := u.files.File(name); f != nil && !f.Unread() {
			u.out.Later = append(u.out.Later, name)
		}
	}
	slices.Sort(u.out.Later)
	if err := u.update(); err != nil {
		return err
	}
	if len(u.stands) == 0 {
		for _, p := range u.Problems() {
			if p.Unread {
				u.stands = append(u.stands, standing(&p))
			}
		}
	}
	if n := len(u.stands); n > shownStanding {
		u.stands = append(u.stands[:shownStanding], fmt.Errorf("and %d more", n-shownStanding))
	}
	u.out.Standing = errors.Join(u.stands...)
	slices.SortFunc(u.out.Written, func(a, b Reindexed) int { return strings.Compare(a.File, b.File) })
	return u.learnWritten()
}

// learnWritten reads the indexes that were written.
func (u *indexUpdate) learnWritten() error {
	var names []string
	for _, w := range u.out.Written {
		names = append(names, w.File)
	}
	if len(names) == 0 {
		return nil
	}
	files, err := u.store.disk().Update(u.files, names)
	if err != nil {
		return err
	}
	was, kinds := u.now, u.kinds
	u.take(files)
	u.compare(was, kinds) // which touches nothing, unless somebody else wrote as well
	for dir := range u.touched {
		u.doubt[dir] = true
	}
	return nil
}

// compare finds out which memories of which indexes have changed, and which indexes are to be
// compared as a whole.
func (u *indexUpdate) compare(was []*catalog.File, kinds map[string]indexKind) {
	u.touched = map[string]map[string]bool{}
	owner, before := owners(u.kinds), owners(kinds)
	changed := func(old, now *catalog.File) {
		f := now
		if now == nil {
			f = old
		}
		if path.Base(f.Name) == memory.IndexFile {
			if dir := path.Dir(f.Name); now == nil || now.Kind == catalog.Index && now.Sum != u.sums[dir] {
				u.doubt[dir] = true
			}
			return
		}
		if old == nil || now == nil || !sameMemories(old.Memories, now.Memories) {
			u.touch(before(f.Name), old) // an index made or removed just now may have changed the owner
			u.touch(owner(f.Name), now)
		}
	}
	now := u.now
	for len(was) > 0 || len(now) > 0 {
		switch {
		case len(now) == 0 || len(was) > 0 && was[0].Name < now[0].Name:
			changed(was[0], nil)
			was = was[1:]
		case len(was) == 0 || now[0].Name < was[0].Name:
			changed(nil, now[0])
			now = now[1:]
		default:
			if was[0] != now[0] {
				changed(was[0], now[0])
			}
			was, now = was[1:], now[1:]
		}
	}
	if maps.Equal(kinds, u.kinds) {
		return
	}
	for dir, k := range u.kinds {
		u.doubt[dir] = u.doubt[dir] || k != kinds[dir]
	}
	for dir, k := range kinds {
		u.doubt[dir] = u.doubt[dir] || k != u.kinds[dir]
	}
	for _, f := range u.now {
		if a, b := before(f.Name), owner(f.Name); a != b && (len(f.Memories) > 0 || f.Unread()) {
			u.doubt[a], u.doubt[b] = a != "", b != ""
		}
	}
}

// sameMemories reports whether a file lists the same records at the same places.
func sameMemories(a, b []*memory.Memory) bool {
	return slices.EqualFunc(a, b, func(a, b *memory.Memory) bool {
		return a.ID == b.ID && a.Checksum() == b.Checksum() && a.Pointer() == b.Pointer()
	})
}

// touch notes that the memories of a file came, went or changed.
func (u *indexUpdate) touch(dir string, f *catalog.File) {
	if dir == "" || f == nil || len(f.Memories) == 0 {
		return
	}
	if u.touched[dir] == nil {
		u.touched[dir] = map[string]bool{}
	}
	for _, m := range f.Memories {
		u.touched[dir][m.ID] = true
	}
}

// update brings the indexes concerned up to date: those in doubt as a whole, of the others the
// entries of what was touched. An index that can't be updated keeps no other from it. The error
// is that of the context.
func (u *indexUpdate) update() error {
	jobs := map[string]bool{}
	for dir, doubt := range u.doubt {
		if k := u.kinds[dir]; doubt && (k == missing || k.owns()) {
			jobs[dir] = true
		} else {
			delete(u.doubt, dir)
		}
	}
	for dir := range u.touched {
		if k := u.kinds[dir]; k == missing || k.owns() {
			jobs[dir] = true
		}
	}
	if len(jobs) == 0 {
		return nil
	}
	u.owned = map[string][]*catalog.File{}
	owner := owners(u.kinds)
	for _, archived := range []bool{false, true} { // as in a snapshot
		for _, f := range u.now {
			if len(f.Memories) > 0 && memory.InArchive(f.Name) == archived {
				if dir := owner(f.Name); jobs[dir] {
					u.owned[dir] = append(u.owned[dir], f)
				}
			}
		}
	}
	size := 0
	for _, dir := range slices.Sorted(maps.Keys(jobs)) {
		if err := u.ctx.Err(); err != nil {
			return err
		}
		if err := u.one(dir); err != nil {
			u.stand(dir, err)
		}
		if n := len(u.swaps); n > 0 {
			if size += len(u.swaps[n-1].swap.Doc); n == tx.MaxSwaps || size > bytesAtOnce {
				u.swap()
				size = 0
			}
		}
	}
	u.swap()
	return u.ctx.Err()
}

// stand notes that an index was not updated: not now, if somebody has just written or moved it.
func (u *indexUpdate) stand(dir string, err error) {
	name := path.Join(dir, memory.IndexFile)
	u.doubt[dir] = true
	if errors.Is(err, durable.ErrConflict) || errors.Is(err, fs.ErrNotExist) {
		u.out.Later = append(u.out.Later, name)
		return
	}
	u.stands = append(u.stands, fmt.Errorf("%s stays as it is: %w", name, err))
}

// swap makes the swaps.
func (u *indexUpdate) swap() {
	all := make([]*tx.IndexSwap, len(u.swaps))
	for i, s := range u.swaps {
		all[i] = &s.swap
	}
	u.store.writer().SwapIndexes(u.ctx, all)
	for _, s := range u.swaps {
		u.slots[s.dir] = s.swap.Slot
		if s.swap.Err != nil {
			u.stand(s.dir, s.swap.Err)
			continue
		}
		u.sums[s.dir] = memory.ChecksumOf(s.swap.Doc)
		u.out.Written = append(u.out.Written, s.done)
	}
	u.swaps = nil
}

// one computes what an index should be.
func (u *indexUpdate) one(dir string) error {
	name := path.Join(dir, memory.IndexFile)
	doc, info, err := u.store.root.Read(name, jsonedit.MaxSize)
	_, held := u.held[name]
	if err != nil && !held && (!errors.Is(err, fs.ErrNotExist) || u.kinds[dir] != missing) {
		return err
	}
	u.doubt[dir] = u.doubt[dir] || memory.ChecksumOf(doc) != u.sums[dir]
	only := u.touched[dir]
	if u.doubt[dir] {
		only = nil
	}
	if p, waits := u.waits(dir, only); waits {
		if u.doubt[dir] = true; p != nil {
			return standing(p)
		}
		return nil
	}
	want := indexfile.Want{Only: only}
	for _, f := range u.owned[dir] {
		for _, m := range f.Memories {
			if only != nil && !only[m.ID] {
				continue
			}
			line, err := u.line(m)
			if err != nil {
				u.out.Later = append(u.out.Later, m.File)
				return fmt.Errorf("%w: %w", durable.ErrConflict, err)
			}
			want.Lines = append(want.Lines, line)
		}
	}
	var was *indexfile.File
	switch {
	case doc != nil:
		was, err = indexfile.Parse(name, doc)
		if err != nil || was.Foreign || u.kinds[dir] != proper {
			return fmt.Errorf("%s: %w", name, durable.ErrConflict)
		}
	case len(want.Lines) == 0:
		delete(u.doubt, dir)
		return nil
	default:
		if was, err = indexfile.New(name, u.at); err != nil {
			return err
		}
	}
	if dir == memory.ArchiveDir && lacks(was, want) {
		if log := u.store.logOrNil(); log != nil {
			want.Extra = index.ArchiveFields(log, was)
		}
	}
	next, err := was.Update(want, u.at)
	if err != nil {
		return err
	}
	base := durable.Absent
	if doc != nil {
		base = durable.Sum(doc)
	}
	if doc == nil || string(next.Doc) != string(doc) {
		u.swaps = append(u.swaps, &indexSwap{dir, Reindexed{name, doc == nil, next.Drifts}, tx.IndexSwap{File: name, Base: base, Info: info, Doc: next.Doc, Slot: u.slots[dir]}})
	}
	u.sums[dir] = memory.ChecksumOf(doc)
	delete(u.doubt, dir)
	return nil
}

// line is what an index says of a memory, from the bytes that were read just now or else from
// the file.
func (u *indexUpdate) line(m *memory.Memory) (indexfile.Line, error) {
	if known, ok := u.lines.Load(m); ok {
		return known.(indexfile.Line), nil
	}
	if line := memory.Line(m); line.ID != "" {
		return line, nil
	}
	return indexfile.Line{}, fmt.Errorf("%s has changed or gone meanwhile", m.Ref)
}

// waits reports whether an index can't be updated because of what can't be read; only are the
// ids that are looked at, nil for all. The problem is nil for what may be half written.
func (u *indexUpdate) waits(dir string, only map[string]bool) (p *memory.Problem, waits bool) {
	owner := owners(u.kinds)
	for _, name := range slices.Sorted(maps.Keys(u.held)) {
		f := u.held[name]
		switch {
		case path.Base(name) == memory.IndexFile:
			waits = path.Dir(name) == dir || only == nil && u.kinds[path.Dir(name)] == unread && within(dir, name)
		case owner(name) == dir:
			waits = only == nil || f != nil && slices.ContainsFunc(f.Memories, func(m *memory.Memory) bool { return only[m.ID] })
		}
		if waits {
			return u.problemOf(name), true
		}
	}
	if only == nil {
		for _, d := range u.files.Dirs {
			if d.Unread && (within(dir, d.Name) || d.Name == dir) {
				return &d.Problems[len(d.Problems)-1], true
			}
		}
	}
	return nil, false
}

// within reports whether a name is below a directory.
func within(dir, name string) bool { return dir == "." || strings.HasPrefix(name, dir+"/") }

// problemOf is why a file can't be read: its own, or that of a directory above it; nil for one
// that may be half written.
func (u *indexUpdate) problemOf(name string) *memory.Problem {
	if f := u.files.File(name); f != nil {
		if f.Unread() {
			return &f.Problems[0]
		}
		return nil
	}
	for _, d := range u.files.Dirs {
		if d.Unread && within(d.Name, name) {
			return &d.Problems[len(d.Problems)-1]
		}
	}
	return nil
}

// standing says why an index is not updated.
func standing(p *memory.Problem) error {
	return fmt.Errorf("%s: %s: %s, or move it away", p.File, p.Message, p.Hint)
}

// lacks reports whether the index has no entry of some of the memories.
func lacks(x *indexfile.File, want indexfile.Want) bool {
	listed := map[string]bool{}
	for _, e := range x.Entries() {
		listed[e.ID] = true
	}
	return slices.ContainsFunc(want.Lines, func(l indexfile.Line) bool { return !listed[l.ID] })
}
