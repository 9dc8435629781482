package workspace

import (
	"fmt"
	"strconv"
	"sync/atomic"
)

// Derived is what a store's Derive made of the record's bytes, when they were read;
// nil when it has none.
func (m *Memory) Derived() []byte { return m.derived }

// Row is the position of the memory in the Memories of an earlier snapshot, if its
// bytes and place are what they were then; else -1.
func (m *Memory) Row() int { return int(m.row) - 1 }

// Follow sets the rows of the live memories to those of an earlier snapshot. The
// zero row of a memory is that of none.
func (s *Snapshot) Follow(earlier *Snapshot) {
	type place struct {
		file, pointer string
	}
	at := make(map[place]int32, len(earlier.Memories()))
	for i, m := range earlier.Memories() {
		at[place{m.File, m.Pointer()}] = int32(i)
	}
	for _, m := range s.Memories() {
		m.row = 0
		if i, ok := at[place{m.File, m.Pointer()}]; ok && earlier.Memories()[i].Digest() == m.Digest() {
			m.row = i + 1
		}
	}
}

// DeriveWith sets what is derived of each live memory, as a store with that function
// does while it reads; nil takes it away.
func (s *Snapshot) DeriveWith(derive func(*Memory) []byte) {
	for _, list := range [][]*Memory{s.Memories(), s.Archived()} {
		for _, m := range list {
			if m.derived = nil; derive != nil {
				m.derived = derive(m)
			}
		}
	}
}

// Blank reports whether the text is empty or white space, without making it.
func (m *Memory) Blank() bool {
	b := m.read()
	return !b.said && blank(b.content)
}

// Fingerprint identifies what a memory says: its kind, tags and content, not its
// counters and times. It is computed once.
func (m *Memory) Fingerprint() string {
	print := atomic.LoadUint64(&m.print)
	if print == 0 {
		text := fingerprint(m)
		print, err := strconv.ParseUint(text, 16, 64)
		if err == nil {
			atomic.StoreUint64(&m.print, print)
		}
		return text
	}
	return fmt.Sprintf("%016x", print)
}

// KnownFingerprint is the number that Fingerprint writes, if it has been asked for; else
// zero.
func (m *Memory) KnownFingerprint() uint64 { return atomic.LoadUint64(&m.print) }

// KnowFingerprint sets the number that Fingerprint writes, as an earlier one computed
// it from the same bytes.
func (m *Memory) KnowFingerprint(print uint64) { atomic.StoreUint64(&m.print, print) }

// Repeats reports whether several memories have an id.
func (s *Snapshot) Repeats(id string) bool {
	return (s.base != nil || s.byID().repeated()) && len(s.Find(id)) > 1
}
