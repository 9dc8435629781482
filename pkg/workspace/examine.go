package workspace

import (
	"maps"
	"path"
	"slices"
	"sync"
	"time"

	"github.com/memoryd/memoryd/pkg/indexfile"
	"github.com/memoryd/memoryd/pkg/internal/durable"
	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
	"github.com/memoryd/memoryd/schemas"
)

// examined is what one reading of all files finds out about each memory while its bytes
// are at hand: what is wrong with it, and whether its entry in the index says what it
// says. Reading the files once more for that would cost as much as all the rest.
type examined struct {
	demands
	store    *FileStore
	survey   *survey
	validate bool

	mu      sync.Mutex
	notes   notes
	indexes map[string]func() *examinedIndex // by directory
}

// notes are what was found out about memories, by their places.
type notes map[string]note

// of is what is noted of a memory with the same bytes at the same place; false for nothing.
func (n notes) of(m *Memory) (note, bool) {
	noted, ok := n[m.Ref.String()]
	return noted, ok && noted.checksum == m.checksum
}

// note is what was found out about a memory.
type note struct {
	checksum Checksum
	findings []schemas.Finding
	listed   *examinedIndex // whose entry agrees with the memory; nil for none
}

// examinedIndex is an index as it stood when the memories were looked at.
type examinedIndex struct {
	*indexfile.File                // nil once all were
	byID            map[string]int // the first entry of each id
	name, sum       string         // known then, by which it is told from what it has become
}

// letGo keeps of the index what tells it from another.
func (x *examinedIndex) letGo() {
	*x = examinedIndex{name: x.Name, sum: durable.Sum(x.Doc())}
}

// LoadExamined is Load that reads every file anew, whatever the cache says, and notes on
// the way what [FileStore.Check] looks for in each.
func (s *FileStore) LoadExamined(at time.Time) (*Snapshot, error) {
	return s.loadExamined(at, true)
}

func (s *FileStore) loadExamined(at time.Time, validate bool) (*Snapshot, error) {
	x := &examined{store: s, validate: validate}
	if validate {
		var err error
		if x.demands, err = s.demands(); err != nil {
			return nil, err
		}
	}
	fresh := s.uncached()
	derive := fresh.Derive.Of
	fresh.Derive.Of = func(to []byte, m *Memory) []byte {
		x.look(m)
		if derive == nil {
			return nil
		}
		return derive(to, m)
	}
	x.notes, x.indexes = notes{}, map[string]func() *examinedIndex{}
	snap, err := fresh.Load(at)
	if err != nil {
		return nil, err
	}
	for _, index := range x.indexes {
		if read := index(); read != nil {
			read.letGo()
		}
	}
	clear(x.indexes)
	found := finds{indexes: snap.Indexes, problems: snap.scanned, teams: snap.Teams, arrays: slices.Collect(maps.Keys(snap.arrays))}
	x.survey, snap.examined = &survey{snap.scan, besides(found, snap.TeamDirs, snap.Agents)}, x
	return snap, nil
}

// uncached is a store of the same files that knows nothing of them yet.
func (s *FileStore) uncached() *FileStore {
	fresh := newStore(s.root, s.dir)
	fresh.network, fresh.Racy, fresh.Derive, fresh.Progress, fresh.NoCache = s.network, s.Racy, s.Derive, s.Progress, true
	fresh.Now, fresh.parallel = s.Now, s.parallel
	return fresh
}

// rest is what is left once the notes are taken: they and the indexes are most of it.
func (x *examined) rest() *examined {
	return &examined{demands: x.demands, survey: x.survey}
}

// look is called while the files are read, by several goroutines at a time.
func (x *examined) look(m *Memory) {
	n := note{checksum: m.checksum}
	if x.validate {
		n.findings = x.schemas.ValidateMemory(m.Raw())
	}
	if index := x.nearest(m.File); index != nil {
		if i, ok := index.byID[m.ID]; ok {
			if index.Agrees(index.Entries()[i], lineOf(m)) {
				n.listed = index
			}
		}
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.notes[m.Ref.String()] = n
}

// nearest is the index that a file belongs to; nil for none.
func (x *examined) nearest(file string) *examinedIndex {
	for dir := path.Dir(file); ; dir = path.Dir(dir) {
		if index := x.index(dir); index != nil && !index.Foreign {
			return index
		}
		if dir == "." {
			return nil
		}
	}
}

func (x *examined) index(dir string) *examinedIndex {
	x.mu.Lock()
	read := x.indexes[dir]
	if read == nil {
		read = sync.OnceValue(func() *examinedIndex { return x.read(path.Join(dir, IndexFile)) })
		x.indexes[dir] = read
	}
	x.mu.Unlock()
	return read()
}

func (x *examined) read(name string) *examinedIndex {
	data, _, err := x.store.root.Read(name, jsonedit.MaxSize)
	if err != nil {
		return nil
	}
	index, err := indexfile.Parse(name, data)
	if err != nil {
		return nil
	}
	out := &examinedIndex{File: index, byID: make(map[string]int, len(index.Entries()))}
	for i, e := range index.Entries() {
		if _, ok := out.byID[e.ID]; !ok {
			out.byID[e.ID] = i
		}
	}
	return out
}

// examined are the memories of the index, with those known whose entries were found to
// agree with them while the index was the same.
func (x *Index) examined(noted notes) indexfile.Owned {
	ms, agrees := x.Owned(), x.agreeing(noted)
	owned := ownedBy(ms, lineNow)
	owned.Agrees = func(i int) bool { return agrees(ms[i]) }
	return owned
}

func (x *Index) agreeing(noted notes) func(*Memory) bool {
	var checked *examinedIndex // the last one compared, and whether it is this
	var same bool
	return func(m *Memory) bool {
		n, ok := noted.of(m)
		listed := n.listed
		if !ok || listed == nil {
			return false
		}
		if listed != checked {
			checked, same = listed, listed.name == x.File && listed.sum == durable.Sum(x.text().Doc())
		}
		return same
	}
}
