package workspace

import (
	"crypto/sha256"
	"sync"
)

// owned are the memories that an index is held to, in the order of a snapshot.
type owned interface {
	len() int
	id(i int) string
	line(i int) line
}

type ownedMemories []*Memory

func (o ownedMemories) len() int        { return len(o) }
func (o ownedMemories) id(i int) string { return o[i].ID }
func (o ownedMemories) line(i int) line { return lineOf(o[i]) }

type ownedLines []line

func (o ownedLines) len() int        { return len(o) }
func (o ownedLines) id(i int) string { return o[i].id }
func (o ownedLines) line(i int) line { return o[i] }

// ownedKept are memories some of whose lines are known.
type ownedKept struct {
	ownedMemories
	lines *lines
}

func (o ownedKept) line(i int) line { return o.lines.of(o.ownedMemories[i]) }

// lines remembers the lines of records in collections, by their digests: when one of a
// collection changes, all of them are looked at. It is safe for concurrent use.
type lines struct {
	mu  sync.Mutex
	all map[[sha256.Size]byte]line
}

// maxLines is how many lines are remembered.
const maxLines = 8192

// of is lineOf.
func (l *lines) of(m *Memory) line {
	if m.Whole() {
		return lineOf(m)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	known, ok := l.all[m.sum]
	if !ok {
		if known = lineOf(m); l.all == nil || len(l.all) == maxLines {
			l.all = map[[sha256.Size]byte]line{}
		}
		l.all[m.sum] = known
	}
	known.Ref = m.Ref
	return known
}

// ownedExamined are memories of some of which it is known that their entries tell what
// they say.
type ownedExamined struct {
	ownedMemories
	agreed func(*Memory) bool
}

func (o ownedExamined) agrees(i int) bool { return o.agreed(o.ownedMemories[i]) }
