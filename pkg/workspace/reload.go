package workspace

import (
	"bytes"
	"errors"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/memoryd/memoryd/pkg/internal/durable"
	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
)

// large is a file whose memories a reload keeps apart from those of others: what was read
// together is kept as long as any of it stands, and each run may bring a collection along.
const large = 32 << 10

// maxTouched is how many ids a snapshot may keep beside those of the one that was
// loaded, and how many files are read one by one.
const maxTouched = 4096

// Reload is what [FileStore.Load] would give, brought along from a snapshot that this store
// has loaded or reloaded, by the names, slash-separated and relative to the workspace, of
// all files that may have changed since and of all directories that came or went. What
// became of them doesn't matter, and a file too many costs one reading. It costs what
// these files hold, and little for what there is besides: the memories of other files
// are the very same ones. It is nil where less than the whole doesn't tell, after a change
// of directories, say, or while somebody is writing: then load, and let go of the other
// snapshot first.
//
// Changes below ops/ need not be named. Such a snapshot has no findings, and no cache is
// written of it.
func (s *FileStore) Reload(at time.Time, from *Snapshot, names []string) *Snapshot {
	before, open := s.runState()
	if from.bare == nil || open || len(names) > maxTouched {
		return nil
	}
	r := &reload{store: s, from: from, changed: map[string]bool{}, folded: map[string]string{}}
	if !r.read(names) {
		return nil
	}
	snap := r.snapshot(at)
	var err error
	snap.access, err = readAccess(s.root)
	r.count(snap)
	r.indexesNow(snap)
	r.find(snap)
	s.attend(snap, s.readReview(), err, from)
	if after, _, err := runNames(s.root); err != nil || strings.Join(after, "/") != before {
		return nil
	}
	return snap
}

// reload is one bringing along of a snapshot.
type reload struct {
	store   *FileStore
	from    *Snapshot
	changed map[string]bool   // files that were looked at
	folded  map[string]string // of these, the name by the folded one
	came    []string          // of these, those that there were not
	went    []string          // of these, those that there are not any more
	files   []string          // all that were looked at, sorted
	now     [2]*roster        // live and archived memories that these hold
	finds
}

// read reads the named files. It is false where that doesn't tell all.
func (r *reload) read(names []string) bool {
	together, apart := r.sitting(), map[string]sitting{}
	for _, name := range names {
		if r.changed[name] || !readable(name) {
			continue
		}
		if !strings.HasSuffix(name, ".json") {
			return false
		}
		r.changed[name] = true
		if other, ok := r.folded[fold(name)]; ok && other != name {
			return false // they may be one file
		}
		r.folded[fold(name)] = name
		known, stood := r.from.taken.name(r.from, name)
		if path.Base(name) == ProfileFile || stood && known != name {
			return false
		}
		told := true
		err := r.store.root.ReadFiles(path.Dir(name), []string{path.Base(name)}, jsonedit.MaxSize, nil, func(_ int, data []byte, info durable.Info, err error) {
			switch {
			case errors.Is(err, fs.ErrNotExist):
				r.went = append(r.went, name)
				return
			case err != nil:
				told = false
				return
			case !stood || r.from.taken.gone[name]:
				r.came = append(r.came, name)
			default:
				r.release(name)
			}
			at := together
			if len(data) >= r.store.large && path.Base(name) != IndexFile {
				at = r.sitting()
				apart[name] = at
			}
			p := &part{batch: batch{dir: strings.TrimSuffix(dirOf(name), "/")}}
			r.file(&at.recordParser, name, data, info, nil)
			at.rows.file(fileOf{dir: p.dir, name: path.Base(name), count: at.count(), identity: unsure})
			at.cut(p)
			at.parts = append(at.parts, p)
		})
		if err != nil || !told || r.moving {
			return false
		}
	}
	together.order()
	r.files, r.now = slices.Sorted(maps.Keys(r.changed)), together.ordered
	for name, at := range apart {
		at.order()
		for i, l := range at.ordered {
			r.now[i] = r.now[i].spliced([]string{name}, l)
		}
	}
	return r.sameIndexes()
}

// sitting reads files whose memories are to lie together.
type sitting struct {
	*scanner
	*recorder
}

func (r *reload) sitting() sitting {
	sc := newScanner(r.store.root, r.store.room)
	sc.derive = r.store.Derive.Of
	return sitting{sc, newRecorder(sc)}
}

// release gives back the room that the memories of a file have taken, which is read anew.
func (r *reload) release(name string) {
	for _, bare := range r.from.bare {
		first, last := bare.within(name)
		for i := first; i < last; i++ {
			m := bare.at(i)
			if m.src == nil {
				continue
			}
			if b := m.src.bodies[m.slot].Load(); b != nil {
				r.store.room.left.Add(int64(len(b.raw)))
			}
		}
	}
}

// sameIndexes reports whether the indexes that own memories are those of before.
func (r *reload) sameIndexes() bool {
	read := map[string]*Index{}
	for _, x := range r.indexes {
		read[x.File] = x
	}
	n := 0
	for _, was := range r.from.Indexes {
		if r.changed[was.File] {
			if now := read[was.File]; now == nil || now.Foreign != was.Foreign {
				return false
			}
			n++
		}
	}
	return n == len(read)
}

// snapshot puts together what there is, but for what ops/ tells.
func (r *reload) snapshot(at time.Time) *Snapshot {
	from := r.from
	bare := [2]*roster{from.bare[0].spliced(r.files, r.now[0]), from.bare[1].spliced(r.files, r.now[1])}
	snap := &Snapshot{
		At: at, Teams: from.Teams, TeamDirs: from.TeamDirs, Agents: from.Agents, bare: &bare,
		arrays: r.arraysNow(), taken: &taken{of: from.taken.of, came: from.taken.came, gone: from.taken.gone},
	}
	if snap.taken.of == nil {
		snap.taken.of = from.names()
	}
	if len(r.came) > 0 {
		snap.taken.came = maps.Clone(from.taken.came)
		if snap.taken.came == nil {
			snap.taken.came = map[string]string{}
		}
		for _, name := range r.came {
			snap.taken.came[fold(name)] = name
		}
	}
	if len(r.went)+len(r.came) > 0 {
		gone := maps.Clone(from.taken.gone)
		if gone == nil {
			gone = map[string]bool{}
		}
		for _, name := range r.came {
			delete(gone, name)
		}
		for _, name := range r.went {
			gone[name] = true
		}
		snap.taken.gone = gone
	}
	snap.files = snap.taken.files
	snap.scanned = slices.DeleteFunc(slices.Clone(from.scanned), func(p Problem) bool { return r.changed[p.File] })
	snap.scanned = append(snap.scanned, r.problems...)
	slices.SortStableFunc(snap.scanned, func(a, b Problem) int { return strings.Compare(a.File, b.File) })
	return snap
}

// indexesNow takes over the indexes, of which those that were changed are read anew.
func (r *reload) indexesNow(snap *Snapshot) {
	for _, was := range r.from.Indexes {
		x := &Index{File: was.File, Foreign: was.Foreign, doc: was.doc, text: was.text}
		if r.changed[was.File] {
			x = newIndex(was.File, was.Foreign, readLater(r.store.root, was.File)) // which keeps nothing of the snapshot before
		}
		snap.Indexes = append(snap.Indexes, x)
	}
	assignLater(snap)
}

// arraysNow are the arrays for memories: those of before, but for changed files.
func (r *reload) arraysNow() map[string]bool {
	gone := func(array string, _ bool) bool {
		file, _, _ := strings.Cut(array, "#")
		return r.changed[file]
	}
	all := r.from.arrays
	if len(r.arrays) > 0 || slices.ContainsFunc(slices.Collect(maps.Keys(all)), func(a string) bool { return gone(a, true) }) {
		all = maps.Clone(all)
		maps.DeleteFunc(all, gone)
		for _, array := range r.arrays {
			all[array] = true
		}
	}
	return all
}

// count adds the reads in the access log to what was read, or, if that is another one
// than before, to everything.
func (r *reload) count(snap *Snapshot) {
	from, log := r.from, snap.access
	if len(log.ByID) > 0 && bytes.Equal(log.Doc, from.access.Doc) {
		snap.live = from.live.spliced(r.files, r.now[0].counted(log))
		snap.archived = from.archived.spliced(r.files, r.now[1].counted(log))
	} else {
		snap.live, snap.archived = snap.bare[0].counted(log), snap.bare[1].counted(log)
	}
	snap.named = [2]*roster{snap.live, snap.archived}
}
