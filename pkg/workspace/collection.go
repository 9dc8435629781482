package workspace

import (
	"bytes"
	"crypto/sha256"
	"sync"

	"github.com/memoryd/memoryd/pkg/internal/durable"
	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
)

// collections are files that were read for one record and hold others, which may be asked
// for next. Of the small ones those that were read last are kept, up to maxKept bytes; the
// large ones all are: to read such a file again for each record takes too long. It is safe
// for concurrent use.
type collections struct {
	mu    sync.Mutex
	files map[string]*collectionFile
	order []string // of small ones, as they were read
	size  int      // of these
}

// smallCollection is how many bytes a small one has at most.
const smallCollection = 64 << 10

type collectionFile struct {
	data   []byte
	arrays map[string][][2]int32       // by pointer, where each element begins and ends
	moved  map[[sha256.Size]byte]*body // of all records, once one was not at its place
}

// body is that of a record; nil if it isn't there any more.
func (s *collections) body(root durable.FS, m *Memory) *body {
	s.mu.Lock()
	c := s.read(root, m.File)
	elements := c.elements(m.Array)
	s.mu.Unlock()
	if m.Index < len(elements) {
		at := elements[m.Index]
		if raw := c.data[at[0]:at[1]]; sha256.Sum256(raw) == m.sum {
			return bodyFrom(bytes.Clone(raw)) // the rest may go
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return c.anywhere(m)
}

// read is the file with a name, which is empty when it can't be read.
func (s *collections) read(root durable.FS, name string) *collectionFile {
	if c := s.files[name]; c != nil {
		return c
	}
	c := &collectionFile{arrays: map[string][][2]int32{}}
	if data, _, err := root.Read(name, jsonedit.MaxSize); err == nil {
		c.data = data // JSON or not: a record is believed by its digest
	}
	if s.files == nil {
		s.files = map[string]*collectionFile{}
	}
	if s.files[name] = c; len(c.data) > smallCollection {
		return c
	}
	for len(s.order) > 0 && s.size+len(c.data) > maxKept {
		s.size -= len(s.files[s.order[0]].data)
		delete(s.files, s.order[0])
		s.order = s.order[1:]
	}
	s.order, s.size = append(s.order, name), s.size+len(c.data)
	return c
}

// elements are those of an array.
func (c *collectionFile) elements(array []string) [][2]int32 {
	name := pointer(array)
	spans, ok := c.arrays[name]
	if !ok {
		found, _ := jsonedit.Elements(c.data, array...)
		spans = make([][2]int32, len(found))
		for i, e := range found {
			spans[i] = [2]int32{int32(e.Index), int32(e.Index + len(e.Raw))}
		}
		c.arrays[name] = spans
	}
	return spans
}

// anywhere looks for a record that is not where it was.
func (c *collectionFile) anywhere(m *Memory) *body {
	if c.moved == nil {
		c.moved = map[[sha256.Size]byte]*body{}
		if found, err := readRecords(m.File, c.data); err == nil {
			for _, r := range found {
				c.moved[r.sum] = r.body
			}
		}
	}
	return c.moved[m.sum]
}
