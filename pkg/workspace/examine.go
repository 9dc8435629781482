package workspace

import (
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/memoryd/memoryd/pkg/indexfile"
	"github.com/memoryd/memoryd/schemas"
)

// examined is what one reading of all files finds out about each memory while its bytes
// are at hand: what is wrong with it, and its line in an index. Reading the files once
// more for that would cost as much as all the rest.
type examined struct {
	demands
	survey   *survey
	validate bool

	mu    sync.Mutex
	notes notes
}

// notes are what was found out about memories, by their places.
type notes map[string]note

// note is what was found out about a memory.
type note struct {
	checksum Checksum
	findings []schemas.Finding
	line     indexfile.Line
}

// of is what is noted of a memory with the same bytes at the same place; false for nothing.
func (n notes) of(m *Memory) (note, bool) {
	noted, ok := n[m.Ref.String()]
	return noted, ok && noted.checksum == m.checksum
}

// lines gives what an index tells of memories, from the notes where there are some. A
// memory whose bytes can't be read any more is an error.
func (n notes) lines(ms []*Memory) ([]indexfile.Line, error) {
	lines := make([]indexfile.Line, len(ms))
	for i, m := range ms {
		if noted, ok := n.of(m); ok {
			lines[i] = noted.line
			continue
		}
		var err error
		if lines[i], err = lineNow(m); err != nil {
			return nil, err
		}
	}
	return lines, nil
}

// LoadExamined is Load that reads every file anew, whatever the cache says, and notes on
// the way what [FileStore.Check] looks for in each.
func (s *FileStore) LoadExamined(at time.Time) (*Snapshot, error) {
	return s.loadExamined(at, true)
}

func (s *FileStore) loadExamined(at time.Time, validate bool) (*Snapshot, error) {
	x := &examined{validate: validate, notes: notes{}}
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
	snap, err := fresh.Load(at)
	if err != nil {
		return nil, err
	}
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
	n := note{checksum: m.checksum, line: lineOf(m)}
	if x.validate {
		n.findings = x.schemas.ValidateMemory(m.Raw())
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.notes[m.Ref.String()] = n
}
