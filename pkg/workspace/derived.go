package workspace

import (
	"encoding/binary"
	"encoding/hex"
	"sync/atomic"
)

// Derived is what a store's Derive made of the record's bytes, when they were read;
// nil when it has none.
func (m *Memory) Derived() []byte { return m.derived }

// Row is the position that a live memory, the i-th of this snapshot, had among those of an
// earlier one, if its bytes and its file are what they were then, it may be edited if it
// might be then, and what stood before it in the file and stands there still stands before
// it; else -1. The earlier snapshot is
// that of [Snapshot.Findings], or the one that this one follows.
func (s *Snapshot) Row(i int) int {
	if s.rows != nil {
		return int(s.rows[i]) - 1
	}
	return int(s.live.found(i)) - 1
}

// DeriveWith sets what is derived of each live memory, as a store with that function
// does while it reads; nil takes it away.
func (s *Snapshot) DeriveWith(derive func([]byte, *Memory) []byte) {
	for _, list := range [][]*Memory{s.Memories(), s.Archived()} {
		for _, m := range list {
			if m.derived = nil; derive != nil {
				m.derived = derive(nil, m)
			}
		}
	}
}

// Blank reports whether the text is empty or white space, without making it.
func (m *Memory) Blank() bool {
	b := m.read()
	return !b.said && blank(b.value())
}

// Fingerprint identifies what a memory says: its kind, tags and content, not its
// counters and times. It is computed once.
func (m *Memory) Fingerprint() string {
	print := atomic.LoadUint64(&m.print)
	if print == 0 {
		print = fingerprint(m)
		atomic.StoreUint64(&m.print, print)
	}
	var bytes [8]byte
	binary.BigEndian.PutUint64(bytes[:], print)
	return hex.EncodeToString(bytes[:])
}

// KnownFingerprint is the number that Fingerprint writes, if it has been asked for; else
// zero.
func (m *Memory) KnownFingerprint() uint64 { return atomic.LoadUint64(&m.print) }

// KnowFingerprint sets the number that Fingerprint writes, as an earlier one computed
// it from the same bytes.
func (m *Memory) KnowFingerprint(print uint64) { atomic.StoreUint64(&m.print, print) }

// KnownFingerprint is that of Memory(i), which is not made for it.
func (s *Snapshot) KnownFingerprint(i int) uint64 {
	l, i := s.within(i)
	return l.print(i)
}

// KnowFingerprint tells it Memory(i), and whoever glances at that, now or later.
func (s *Snapshot) KnowFingerprint(i int, print uint64) {
	l, i := s.within(i)
	l.know(i, print)
}

// Repeats reports whether several memories have an id.
func (s *Snapshot) Repeats(id string) bool {
	if s.base != nil {
		if found, ok := s.touched[id]; ok {
			return len(found) > 1
		}
		return s.base.Repeats(id)
	}
	return s.byID().repeated() && s.byID().repeats(id)
}

// Repeating reports whether several memories may have one id: else it is not to be asked of
// each.
func (s *Snapshot) Repeating() bool {
	if s.base == nil {
		return s.byID().repeated()
	}
	for _, now := range s.touched {
		if len(now) > 1 {
			return true
		}
	}
	return s.base.Repeating()
}
