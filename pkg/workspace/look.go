package workspace

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/memoryd/memoryd/pkg/indexfile"
	"github.com/memoryd/memoryd/pkg/internal/durable"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/workspace/internal/catalog"
)

// look is one comparison or update of an inventory.
type look struct {
	*Inventory
	ctx     context.Context
	now     time.Time
	out     *Refreshed
	changed map[string]bool             // files to be read whatever their identity
	touched map[string]map[string]bool  // directory of an index -> ids that came, went or changed
	read    map[string][]indexfile.Line // what the files hold that were read, until their index says so
	wanted  map[string]bool             // files of which that is needed, even if it is what they held
	swaps   []*indexSwap                // to be made
	only    map[string]bool             // directories of the indexes whose files are read; nil: all are
	done    map[string]bool             // directories of indexes that are brought along, or can't be
	stands  []error                     // why they can't
	odd     bool                        // a file has become something else
	reown   bool                        // files may belong to other indexes than before
}

// everything looks at the whole workspace.
func (l *look) everything() error {
	found, err := l.store.disk().List("")
	if err != nil {
		return err
	}
	return l.walked(scannedIn(found), func(string) bool { return true })
}

// some looks at what the names stand for. All reports that nothing less than a
// look at everything tells that.
func (l *look) some(names []string) (all bool, err error) {
	below := map[string]bool{}                     // looked at with all that is below
	dirs := map[string]bool{}                      // of these, what is a directory
	var files []string                             // to be read
	strange := map[string][]string{}               // names that are not known to be files, by directory
	listed := map[string]map[string]durable.Kind{} // directories with new files
	for _, name := range names {
		switch {
		case l.changed[name] || !readable(name):
		case l.knows(name):
			l.changed[name] = true
			files = append(files, name)
		default:
			strange[path.Dir(name)] = append(strange[path.Dir(name)], name)
		}
	}
	for dir, names := range strange {
		entries, err := l.store.root.ReadDir(dir)
		if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, durable.ErrLink) {
			return true, nil
		}
		kinds := make(map[string]durable.Kind, len(entries))
		for _, e := range entries {
			kinds[e.Name] = e.Kind
		}
		for _, name := range names {
			below[name] = true
			switch kind := kinds[path.Base(name)]; {
			case kind == durable.Dir:
				dirs[name] = true
			case kind == durable.Regular && strings.HasSuffix(name, ".json") && !l.changed[name]:
				l.changed[name] = true
				files = append(files, name)
				listed[dir] = kinds // what has a new name may have lost one that differs only by case
			}
		}
	}
	sc := &scanned{}
	for dir := range dirs {
		if !under(dirs, path.Dir(dir)) {
			found, err := l.store.disk().List(dir)
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				found.Problems = append(found.Problems, memory.Problem{File: dir, Severity: memory.Error, Message: "cannot read directory: " + cause(err), Hint: "check its permissions", Unread: true})
			}
			sc.add(scannedIn(found))
		}
	}
	slices.Sort(files)
	for _, name := range files {
		if in := listed[path.Dir(name)]; under(below, path.Dir(name)) || in != nil && in[path.Base(name)] != durable.Regular {
			continue // found by the walk, or not there under this name
		}
		sc.batches = addTo(sc.batches, name)
	}
	if len(below) == 0 {
		err = l.readAll(sc.batches)
	} else {
		err = l.walked(sc, func(name string) bool {
			in := listed[path.Dir(name)]
			return in != nil && in[path.Base(name)] != durable.Regular || under(below, name)
		})
	}
	return l.odd, err
}

// knows reports whether there was a file of that name.
func (l *look) knows(name string) bool {
	if path.Base(name) == memory.IndexFile {
		x := l.indexes[path.Dir(name)]
		return x != nil && x.kind != missing
	}
	return l.files[name] != nil
}

// under reports whether a name, or a directory above it, is in a set.
func under(set map[string]bool, name string) bool {
	for ; name != "."; name = path.Dir(name) {
		if set[name] {
			return true
		}
	}
	return false
}

// readable reports whether a walk would come to a name.
func readable(name string) bool {
	if top, _, _ := strings.Cut(name, "/"); top == memory.OpsDir || top == memory.SchemasDir {
		return false
	}
	return fs.ValidPath(name) && strings.Count(name, "/") <= maxDirDepth && name[0] != '.' && !strings.Contains(name, "/.")
}

// walked takes in what a walk has found. What is known besides and was covered by
// it is gone, unless a directory on the way couldn't be read.
func (l *look) walked(sc *scanned, covered func(name string) bool) error {
	hidden := map[string]bool{}
	for dir := range l.hidden {
		if covered(dir) {
			delete(l.hidden, dir)
		}
	}
	for _, p := range sc.problems {
		if p.Unread {
			l.hidden[p.File], hidden[p.File] = p, true
		}
	}
	if len(l.files)+len(l.indexes) == 0 {
		return l.anew(sc.batches)
	}
	found := make(map[string]bool, len(sc.batches))
	for _, b := range sc.batches {
		for _, base := range b.names {
			found[path.Join(b.dir, base)] = true
		}
	}
	for name, h := range l.files {
		switch {
		case found[name] || !covered(name):
		case under(hidden, name):
			h.unsure = true
		default:
			l.gone(name)
		}
	}
	for dir, x := range l.indexes {
		name := path.Join(dir, memory.IndexFile)
		switch {
		case x.kind == missing || found[name] || !covered(name):
		case under(hidden, name):
			x.unsure = true
		default:
			l.noIndex(dir)
		}
	}
	return l.readAll(sc.batches)
}

// anew reads everything where nothing is known, and brings each index into line as soon as
// its files are read: else what all of them are to say would be in memory together.
func (l *look) anew(batches []batch) error {
	owned := map[string][]batch{} // by the directory of the index
	var indexes []batch
	for _, b := range batches {
		for _, base := range b.names {
			if base == memory.IndexFile {
				indexes = append(indexes, batch{dir: b.dir, names: []string{base}})
			}
		}
	}
	if err := l.readAll(indexes); err != nil { // they tell to whom the others belong
		return err
	}
	for _, b := range batches {
		for _, base := range b.names {
			if name := path.Join(b.dir, base); base != memory.IndexFile {
				owner := l.ownerOf(name)
				owned[owner] = addTo(owned[owner], name)
			}
		}
	}
	var next []batch
	files := 0
	l.only = map[string]bool{}
	for i, owner := range slices.Sorted(maps.Keys(owned)) {
		l.only[owner] = true
		for _, b := range owned[owner] {
			next, files = append(next, b), files+len(b.names)
		}
		if files < l.together && i+1 < len(owned) {
			continue
		}
		if err := l.readAll(next); err != nil {
			return err
		}
		if err := l.align(); err != nil {
			return err
		}
		next, files = nil, 0
		clear(l.only)
	}
	l.only = nil
	return nil
}

// gone forgets a file.
func (l *look) gone(name string) {
	if h := l.files[name]; h != nil {
		l.touch(h.owner, h.memories)
		delete(l.files, name)
	}
}

// noIndex notes that a directory has no index.
func (l *look) noIndex(dir string) {
	l.reown = l.reown || l.at(dir).kind.there()
	*l.at(dir) = listing{doubt: true}
}

// touch notes that memories of an index came, went or changed.
func (l *look) touch(owner string, memories []heldMemory) {
	if owner == "" || len(memories) == 0 {
		return
	}
	if l.touched[owner] == nil {
		l.touched[owner] = map[string]bool{}
	}
	for _, m := range memories {
		l.touched[owner][m.id] = true
	}
	l.at(owner)
}

// at is what is known of the index in a directory.
func (l *look) at(dir string) *listing {
	x := l.indexes[dir]
	if x == nil {
		x = &listing{doubt: true}
		l.indexes[dir] = x
	}
	return x
}

// scanned is what a walk has found.
type scanned struct {
	batches  []batch
	problems []memory.Problem
}

// batch are some files of a directory.
type batch struct {
	dir   string
	names []string
}

const (
	batchSize   = 128
	maxDirDepth = 64
)

func scannedIn(l catalog.Listing) *scanned {
	s := &scanned{problems: l.Problems}
	for _, b := range l.Batches {
		s.batches = append(s.batches, batch{b.Dir, b.Names})
	}
	return s
}

func (s *scanned) add(more *scanned) {
	s.batches, s.problems = append(s.batches, more.batches...), append(s.problems, more.problems...)
}
