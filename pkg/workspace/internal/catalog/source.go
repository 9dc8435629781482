package catalog

import (
	"bytes"
	"sync"
	"sync/atomic"

	"github.com/memoryd/memoryd/pkg/internal/durable"
	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
	"github.com/memoryd/memoryd/pkg/memory"
)

// source reads the records of memories when they are asked for, and keeps those that were read
// last.
type source struct {
	root   durable.FS
	recent [256]atomic.Pointer[record]

	mu         sync.Mutex
	collection string // the file that was read last as a whole
	data       []byte
}

// record is the bytes of one, and what tells them from others.
type record struct {
	sum memory.Checksum
	raw []byte
}

// maxRecent is how many bytes a record may have that is kept, and maxCollection a file.
const (
	maxRecent     = 8 << 10
	maxCollection = 4 << 20
)

func newSource(root durable.FS) *source { return &source{root: root} }

// Record implements [memory.Source].
func (s *source) Record(m *memory.Memory) []byte {
	sum := m.Checksum()
	slot := &s.recent[sum[0]]
	if r := slot.Load(); r != nil && r.sum == sum {
		return r.raw
	}
	raw := s.read(m)
	if len(raw) > 0 && len(raw) <= maxRecent {
		slot.Store(&record{sum, raw})
	}
	return raw
}

func (s *source) read(m *memory.Memory) []byte {
	if m.Whole() {
		data, _, err := s.root.Read(m.File, jsonedit.MaxSize)
		if err != nil {
			return nil
		}
		start, end := jsonedit.Span(data)
		if raw := data[start:end]; memory.ChecksumOf(raw) == m.Checksum() {
			return raw
		}
		return anywhere(m, data)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if raw := s.inCollection(m); raw != nil {
		return raw
	}
	data, _, err := s.root.Read(m.File, jsonedit.MaxSize)
	if err != nil {
		return nil
	}
	s.collection, s.data = m.File, data
	raw := s.inCollection(m)
	if raw == nil {
		raw = bytes.Clone(anywhere(m, data))
	}
	if len(data) > maxCollection {
		s.data = nil
	}
	return raw
}

// inCollection is the record as it is in the file that was read last; nil if it isn't there.
func (s *source) inCollection(m *memory.Memory) []byte {
	at, size := m.Place()
	if s.collection != m.File || size == 0 || at+size > len(s.data) {
		return nil
	}
	if raw := s.data[at : at+size]; memory.ChecksumOf(raw) == m.Checksum() {
		return bytes.Clone(raw)
	}
	return nil
}

// anywhere looks for a record that is not where it was.
func anywhere(m *memory.Memory, data []byte) []byte {
	found, _ := memory.ParseRecords(m.File, data) // what doesn't parse doesn't hold it either
	for _, r := range found {
		if r.Checksum() == m.Checksum() {
			return r.Raw()
		}
	}
	return nil
}
