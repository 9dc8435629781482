package workspace

import (
	"bytes"
	"slices"
	"sync"

	"github.com/memoryd/memoryd/pkg/internal/durable"
	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
)

// collections are files that hold several records. One that few are asked of is read piece
// by piece; else the whole is read, and kept for those that may be asked for next, until
// others have come that need the room: up to maxKept bytes, and the last one in any case. It
// is safe for concurrent use.
type collections struct {
	mu    sync.Mutex
	files map[string]*collectionFile
	order []string       // as they were read
	size  int            // of these
	spent map[string]int // bytes that were read piece by piece, by file; -1 for enough
}

// pieceReader is a file system that can read parts of a file.
type pieceReader interface {
	ReadPieces(name string, pieces []durable.Piece) ([][]byte, durable.Info, error)
}

// A file of which more than a part has been read, piece by piece, is read as a whole: a
// piece costs a few calls to the system, the whole some copying and one look at each byte.
const piecesPart = 4

// pieces reads records of one file alone; nil for those of which that doesn't give the
// bytes, and for all where the whole file is as good.
func (s *collections) pieces(root durable.FS, ms ...*Memory) []*body {
	bodies, name := make([]*body, len(ms)), ms[0].File
	reader, ok := root.(pieceReader)
	s.mu.Lock()
	whole := s.files[name] != nil || s.spent[name] < 0
	s.mu.Unlock()
	if !ok || whole {
		return bodies
	}
	pieces, total := make([]durable.Piece, len(ms)), 0
	for i, m := range ms {
		pieces[i] = durable.Piece{From: int64(m.from), Size: int(m.size)}
		total += int(m.size)
	}
	raws, info, err := reader.ReadPieces(name, pieces)
	s.mu.Lock()
	if s.spent == nil {
		s.spent = map[string]int{}
	}
	if spent := s.spent[name]; err != nil || spent < 0 || int64(spent+total) > info.Size/piecesPart {
		s.spent[name] = -1
	} else {
		s.spent[name] = spent + total
	}
	s.mu.Unlock()
	for i, raw := range raws {
		if checksumOf(raw) == ms[i].checksum {
			bodies[i] = bodyFrom(raw)
		}
	}
	return bodies
}

type collectionFile struct {
	read func() // sets data, once

	mu     sync.Mutex
	data   []byte
	arrays map[string][]jsonedit.Element // by pointer
	moved  map[Checksum]*body            // of all records, once one was not at its place
}

// body is that of a record; nil if it isn't there any more.
func (s *collections) body(root durable.FS, m *Memory) *body {
	c := s.file(root, m.File)
	c.mu.Lock()
	elements := c.elements(m.Array)
	c.mu.Unlock()
	if m.Index < len(elements) {
		at := elements[m.Index]
		if raw := c.data[at.Val:at.End]; checksumOf(raw) == m.checksum {
			return bodyFrom(bytes.Clone(raw)) // the rest may go
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.anywhere(m)
}

// file is the one with a name, which is empty when it can't be read. Others are read at the
// same time.
func (s *collections) file(root durable.FS, name string) *collectionFile {
	s.mu.Lock()
	c := s.files[name]
	if c == nil {
		c = &collectionFile{arrays: map[string][]jsonedit.Element{}}
		c.read = sync.OnceFunc(func() {
			if data, _, err := root.Read(name, jsonedit.MaxSize); err == nil {
				c.data = data // JSON or not: a record is believed by its digest
			}
			s.keep(name, len(c.data))
		})
		if s.files == nil {
			s.files = map[string]*collectionFile{}
		}
		s.files[name] = c
	}
	s.mu.Unlock()
	c.read()
	return c
}

// keep makes room for a file that was read. Those that go for it are read piece by piece
// again at first, so that a large one is not read for each record.
func (s *collections) keep(name string, size int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.order) > 0 && s.size+size > maxKept {
		first := s.order[0]
		s.size -= len(s.files[first].data)
		delete(s.files, first)
		delete(s.spent, first)
		s.order = s.order[1:]
	}
	s.order, s.size = append(s.order, name), s.size+size
}

// elements are those of an array.
func (c *collectionFile) elements(array []string) []jsonedit.Element {
	name := pointer(array)
	elements, ok := c.arrays[name]
	if !ok {
		elements = elementsOf(c.data, array)
		c.arrays[name] = elements
	}
	return elements
}

// elementsOf is [jsonedit.Elements], without the values.
func elementsOf(doc []byte, array []string) (elements []jsonedit.Element) {
	if len(array) < 2 { // as nearly all are
		outline := outlines.Get().(*jsonedit.Outline)
		defer outlines.Put(outline)
		if outline.Check(doc) == nil {
			if list := listIn(doc, outline, array); len(list) > 0 {
				return slices.Clone(list)
			}
		}
	}
	found, _ := jsonedit.Elements(doc, array...)
	for _, e := range found {
		elements = append(elements, jsonedit.Element{Val: int32(e.Index), End: int32(e.Index + len(e.Raw))})
	}
	return elements
}

// listIn are the elements of the array that is the document, or a member of it; none
// where the outline doesn't tell.
func listIn(doc []byte, outline *jsonedit.Outline, array []string) []jsonedit.Element {
	if len(array) == 0 && len(outline.Members) == 0 {
		return outline.Elements
	}
	for i, m := 0, outline.Members; i < len(m) && len(array) == 1; i += 1 + int(m[i].Inner) {
		if keyOf(doc, m[i]) == array[0] { // of several the first counts
			return outline.Array(m[i])
		}
	}
	return nil
}

// anywhere looks for a record that is not where it was.
func (c *collectionFile) anywhere(m *Memory) *body {
	if c.moved == nil {
		c.moved = map[Checksum]*body{}
		if found, err := readRecords(m.File, c.data); err == nil {
			for _, r := range found {
				c.moved[r.checksum] = r.body
			}
		}
	}
	return c.moved[m.checksum]
}
