package workspace

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/workspace/internal/catalog"
)

// Inventory is what a process that stays knows of a workspace, so that bringing the indexes up
// to date costs what has changed. It serves one goroutine at a time.
//
// After a comparison or an update without an error the indexes are, byte for byte,
// as [FileStore.Reindex] leaves them, but for those that what can't be read
// concerns: these stay as they are, where Reindex would write none at all.
//
// A file that the disk doesn't give, or that seems to be half written, counts as what it held
// before, and is read again at each update.
type Inventory struct {
	// Patience is how long after its last write a file that doesn't parse may be half
	// written.
	Patience time.Duration

	store *FileStore
	files *catalog.Catalog         // as the disk gave them last; nil: nothing is known
	held  map[string]*catalog.File // of files that can't be told at present, what they held before; nil for nothing
	now   []*catalog.File          // files, with those held in their places
	kinds map[string]indexKind     // by directory

	doubt map[string]bool            // directories whose indexes are to be compared as a whole
	sums  map[string]memory.Checksum // by directory, of the bytes of its index that agreed with the files
	slots map[string]string          // by directory, where displaced content of its index is kept
}

// indexKind says what a directory has as its index.
type indexKind int

const (
	missing indexKind = iota // no index; one is created when there are memories for it
	damaged                  // no valid JSON: it stays, and owns nothing
	proper                   // it lists memories
	foreign                  // it lists something else
	unread                   // the disk has never given it
)

// there reports whether an index of this kind keeps another from being created.
func (k indexKind) there() bool { return k >= proper }

// owns reports whether memories belong to it.
func (k indexKind) owns() bool { return k == proper || k == unread }

// Refreshed is what a comparison or an update did.
type Refreshed struct {
	Written []Reindexed
	// Later are files to be looked at again in a moment: they seem to be half
	// written, or somebody wrote them just now.
	Later []string
	// Standing is what can't be read or written, and which indexes were not updated for
	// it. Nil for nothing; otherwise it is worth looking again.
	Standing error
}

// NewInventory returns one that knows nothing yet.
func NewInventory(s *FileStore) *Inventory {
	return &Inventory{store: s, Patience: catalog.HalfSaved}
}

// Compare looks at every file and brings all indexes up to date. An error is of the
// workspace as a whole, or of the context; after it the next look is as the first.
func (v *Inventory) Compare(ctx context.Context, now time.Time) (*Refreshed, error) {
	return v.refresh(ctx, now, func(d catalog.Disk) (*catalog.Catalog, error) { return d.Scan(v.files) })
}

// Update looks at the named files and directories, slash-separated and relative to
// the workspace, whatever became of them, and brings the indexes concerned up to date.
// The first one is a comparison. Otherwise it is as [Inventory.Compare].
func (v *Inventory) Update(ctx context.Context, now time.Time, names []string) (*Refreshed, error) {
	if v.files == nil {
		return v.Compare(ctx, now)
	}
	names = append(slices.Clone(names), v.retry()...)
	return v.refresh(ctx, now, func(d catalog.Disk) (*catalog.Catalog, error) { return d.Update(v.files, names) })
}

// retry names what is looked at again whenever anything is.
func (v *Inventory) retry() (names []string) {
	for _, d := range v.files.Dirs {
		if d.Unread {
			names = append(names, d.Name)
		}
	}
	return slices.AppendSeq(names, maps.Keys(v.held))
}

func (v *Inventory) refresh(ctx context.Context, now time.Time, look func(catalog.Disk) (*catalog.Catalog, error)) (out *Refreshed, err error) {
	release, err := v.store.lock(ctx, "reindex")
	if err != nil {
		return nil, err
	}
	defer func() {
		if err = errors.Join(err, release()); err != nil {
			*v, out = Inventory{store: v.store, Patience: v.Patience}, nil
		}
	}()
	if v.files == nil {
		if err := v.store.writer().DropIndexTemps(); err != nil {
			return nil, err
		}
		v.doubt, v.sums, v.slots = map[string]bool{}, map[string]memory.Checksum{}, map[string]string{}
	}
	if err := v.store.writer().UpdateIndexes(ctx); err != nil && v.store.Note != nil { // which leaves a save to be undone exactly
		v.store.Note(err.Error())
	}
	u := &indexUpdate{Inventory: v, ctx: ctx, at: now, out: &Refreshed{}, lines: &sync.Map{}}
	if err := u.run(look); err != nil {
		return nil, fmt.Errorf("bring the indexes up to date: %w", err)
	}
	return u.out, nil
}

// take takes in what the files are now.
func (v *Inventory) take(files *catalog.Catalog) {
	was := v.now
	before := func(name string) *catalog.File {
		if i, ok := slices.BinarySearchFunc(was, name, func(f *catalog.File, name string) int { return strings.Compare(f.Name, name) }); ok {
			return was[i]
		}
		return nil
	}
	held := map[string]*catalog.File{}
	for _, f := range files.Files {
		if f.Unread() || f.Young(v.Patience) {
			held[f.Name] = before(f.Name)
		}
	}
	for _, d := range files.Dirs {
		if !d.Unread {
			continue
		}
		for _, f := range was { // what was below it may still be there
			if strings.HasPrefix(f.Name, d.Name+"/") && files.File(f.Name) == nil {
				held[f.Name] = f
			}
		}
	}
	v.files, v.held, v.now = files, held, files.Files
	if len(held) > 0 {
		v.now = nil
		for _, f := range files.Files {
			if _, ok := held[f.Name]; !ok {
				v.now = append(v.now, f)
			}
		}
		for _, f := range held {
			if f != nil {
				v.now = append(v.now, f)
			}
		}
		slices.SortFunc(v.now, func(a, b *catalog.File) int { return strings.Compare(a.Name, b.Name) })
	}
	v.now, _ = catalog.SetAside(v.now)
	v.kinds = map[string]indexKind{}
	for _, f := range v.now {
		if path.Base(f.Name) == memory.IndexFile {
			v.kinds[path.Dir(f.Name)] = kindOf(f)
		}
	}
	for name, f := range held {
		if dir := path.Dir(name); path.Base(name) == memory.IndexFile && (f == nil || !kindOf(f).there()) {
			v.kinds[dir] = unread
		}
	}
}

func kindOf(f *catalog.File) indexKind {
	switch f.Kind {
	case catalog.Index:
		return proper
	case catalog.ForeignIndex:
		return foreign
	}
	return damaged
}

// owners tells the directory of the index that the memories of a file belong to: the
// nearest one, or the one to be created in the file's scope directory; "" for none.
func owners(kinds map[string]indexKind) func(file string) string {
	known := map[string]string{} // by the directory of the file
	return func(file string) string {
		own := path.Dir(file)
		owner, ok := known[own]
		if ok {
			return owner
		}
		scope := memory.ScopeDir(file)
		for dir := own; owner == ""; dir = path.Dir(dir) {
			k := kinds[dir]
			if k.owns() || !k.there() && dir == scope {
				owner = dir
			}
			if dir == "." {
				break
			}
		}
		known[own] = owner
		return owner
	}
}

// Problems lists what can't be read, by file.
func (v *Inventory) Problems() (all []memory.Problem) {
	if v.files == nil {
		return nil
	}
	for _, d := range v.files.Dirs {
		all = append(all, d.Problems...)
	}
	for _, f := range v.files.Files {
		if !f.Young(v.Patience) {
			all = append(all, f.Problems...)
		}
	}
	all = slices.DeleteFunc(all, func(p memory.Problem) bool { return p.Severity != memory.Error })
	slices.SortFunc(all, func(a, b memory.Problem) int { return strings.Compare(a.File, b.File) })
	return all
}

// Counts tells how many memories belong to each index, by its file, how many live memories
// there are, and how many of them are working memories.
func (v *Inventory) Counts() (indexes map[string]int, live, working int) {
	indexes = map[string]int{}
	for dir, k := range v.kinds {
		if k.there() {
			indexes[path.Join(dir, memory.IndexFile)] = 0
		}
	}
	owner := owners(v.kinds)
	for _, f := range v.now {
		if len(f.Memories) == 0 {
			continue
		}
		if dir := owner(f.Name); dir != "" {
			indexes[path.Join(dir, memory.IndexFile)] += len(f.Memories)
		}
		for _, m := range f.Memories {
			if m.Archived {
				continue
			}
			if live++; m.Type == memory.Working {
				working++
			}
		}
	}
	return indexes, live, working
}

// Kinds counts the live memories by type and kind of scope.
func (v *Inventory) Kinds() map[[2]string]int {
	n := map[[2]string]int{}
	for _, f := range v.now {
		for _, m := range f.Memories {
			if !m.Archived {
				n[[2]string{m.Type, m.Scope.Kind}]++
			}
		}
	}
	return n
}

// Working returns a snapshot of the live working memories, in which there is nothing else but
// the agents and what can't be read.
func (v *Inventory) Working(at time.Time) *memory.Snapshot {
	var live []*memory.Memory
	agents := map[string]bool{}
	if v.files != nil {
		for _, f := range v.files.Files { // one that is half written names its agent, too
			if dir := memory.ScopeDir(f.Name); strings.HasPrefix(dir, "agents/") {
				agents[dir] = true
			}
		}
	}
	for _, f := range v.now {
		for _, m := range f.Memories {
			if m.Type == memory.Working && !m.Archived {
				live = append(live, m)
			}
		}
	}
	snap := memory.NewSnapshot(at, live, nil)
	snap.Dirs, snap.Problems = slices.Sorted(maps.Keys(agents)), v.Problems()
	return snap
}
