package workspace

import (
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
	return noted, ok && noted.checksum == m.Checksum()
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

// examinedOnce is what the last [FileStore.LoadExamined] has found out, for one check.
type examinedOnce struct {
	mu sync.Mutex
	of *Snapshot
	x  *examined
}

// take gives what was found out about a snapshot; nil for nothing.
func (o *examinedOnce) take(snap *Snapshot) *examined {
	o.mu.Lock()
	defer o.mu.Unlock()
	x := o.x
	if o.of != snap {
		return nil
	}
	o.of, o.x = nil, nil
	return x
}

// LoadExamined is Load that reads every file anew, and notes on
// the way what [FileStore.Check] looks for in each.
func (s *FileStore) LoadExamined(at time.Time) (*Snapshot, error) {
	snap, x, err := s.loadExamined(at, true)
	s.examined.mu.Lock()
	s.examined.of, s.examined.x = snap, x
	s.examined.mu.Unlock()
	return snap, err
}

func (s *FileStore) loadExamined(at time.Time, validate bool) (*Snapshot, *examined, error) {
	x := &examined{validate: validate, notes: notes{}}
	if validate {
		var err error
		if x.demands, err = s.demands(); err != nil {
			return nil, nil, err
		}
	}
	snap, err := s.loadAnew(at, x.look)
	return snap, x, err
}

// look is called while the files are read, by several goroutines at a time.
func (x *examined) look(m *Memory) {
	n := note{checksum: m.Checksum(), line: lineOf(m)}
	if x.validate {
		n.findings = x.schemas.ValidateMemory(m.Raw())
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.notes[m.Ref.String()] = n
}
