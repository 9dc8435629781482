package recall

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"slices"
	"strings"
)

// ErrFormat says that bytes are not an index, or a damaged one, or of another version:
// it is to be built again.
var ErrFormat = errors.New("not a recall index of this version")

// magic begins an encoded index; a CRC-32C of all that follows comes next. It changes with
// the format, with what documents are made of memories, and with how text is cut into terms.
const magic = "recall 8"

const headerSize = len(magic) + 4

func checksum(data []byte) uint32 { return crc32.Checksum(data, crc32.MakeTable(crc32.Castagnoli)) }

// encode writes the index as one stream: numbers are varints, and each string and list has
// its length before it. Removed documents and what only they had are left out. Documents
// come in order, by session and in it by time, and all names are sorted: so equal documents
// give equal bytes, in whatever order they were added, and whatever was removed in between.
func (ix *Index) encode() []byte {
	w := writer{ix: ix, data: append(make([]byte, 0, 1<<20), magic...)}
	w.data = append(w.data, 0, 0, 0, 0)
	w.documents()
	w.edges()
	w.terms()
	binary.LittleEndian.PutUint32(w.data[len(magic):], checksum(w.data[headerSize:]))
	return w.data
}

type writer struct {
	ix   *Index
	data []byte
	docs []uint32 // in their new order
	now  []uint32 // the new numbers of documents
}

func (w *writer) number(n uint64) { w.data = binary.AppendUvarint(w.data, n) }

// strings writes the lengths of all, then all.
func (w *writer) strings(count int, at func(i int) string) {
	w.number(uint64(count))
	for i := range count {
		w.number(uint64(len(at(i))))
	}
	for i := range count {
		w.data = append(w.data, at(i)...)
	}
}

// names writes those names that are used, sorted, and returns their new numbers plus one.
func (w *writer) names(n *names, used []bool) (now []uint32) {
	var list []uint32
	for i, u := range used {
		if u {
			list = append(list, uint32(i))
		}
	}
	slices.SortFunc(list, func(a, b uint32) int { return strings.Compare(n.list[a], n.list[b]) })
	now = make([]uint32, len(n.list))
	for i, old := range list {
		now[old] = uint32(i) + 1
	}
	w.strings(len(list), func(i int) string { return n.list[list[i]] })
	return now
}

func (w *writer) documents() {
	ix := w.ix
	symbols, sessions := make([]bool, len(ix.symbols.list)), make([]bool, len(ix.sessions.list))
	for d := range ix.docs {
		if ix.dead.has(uint32(d)) {
			continue
		}
		w.docs = append(w.docs, uint32(d))
		x := &ix.docs[d]
		for _, s := range append([]uint32{x.kind, x.subtype, x.scope, x.agent}, x.tags...) {
			if s != none {
				symbols[s] = true
			}
		}
		if x.session != none {
			sessions[x.session] = true
		}
	}
	symbol, session := w.names(&ix.symbols, symbols), w.names(&ix.sessions, sessions)
	slices.SortFunc(w.docs, func(a, b uint32) int {
		x, y := &ix.docs[a], &ix.docs[b]
		switch {
		case x.session != y.session && x.session != none && y.session != none:
			return cmp.Compare(session[x.session], session[y.session])
		case x.session != y.session: // those of none come last
			return cmp.Compare(x.session, y.session)
		case x.session == none:
			return strings.Compare(x.id, y.id)
		}
		return ix.inOrder(a, b)
	})
	w.now = make([]uint32, len(ix.docs))
	for i, d := range w.docs {
		w.now[d] = uint32(i)
	}
	w.strings(len(w.docs), func(i int) string { return ix.docs[w.docs[i]].id })
	number := func(now []uint32, old uint32) {
		if old == none {
			w.number(0)
		} else {
			w.number(uint64(now[old]))
		}
	}
	for _, d := range w.docs {
		x := &ix.docs[d]
		number(session, x.session)
		for _, length := range ix.lengths[d] {
			w.number(uint64(length))
		}
		number(symbol, x.kind)
		number(symbol, x.subtype)
		number(symbol, x.scope)
		number(symbol, x.agent)
		w.number(uint64(x.reads))
		w.number(uint64(x.priority))
		archived := uint64(0)
		if x.archived {
			archived = 1
		}
		w.number(archived)
		w.data = binary.AppendVarint(w.data, x.created)
		w.data = binary.AppendVarint(w.data, x.updated)
		w.number(uint64(len(x.tags)))
		for _, t := range x.tags {
			number(symbol, t)
		}
		w.data = append(w.data, x.version[:]...)
	}
}

func (w *writer) edges() {
	type row struct {
		older string
		edge
	}
	var rows []row
	for older, list := range w.ix.edges {
		for _, e := range list {
			if !w.ix.dead.has(e.owner) {
				rows = append(rows, row{older, edge{e.newer, w.now[e.owner]}})
			}
		}
	}
	slices.SortFunc(rows, func(a, b row) int {
		return cmp.Or(strings.Compare(a.older, b.older), strings.Compare(a.newer, b.newer), cmp.Compare(a.owner, b.owner))
	})
	w.strings(len(rows), func(i int) string { return rows[i].older })
	w.strings(len(rows), func(i int) string { return rows[i].newer })
	for _, r := range rows {
		w.number(uint64(r.owner))
	}
}

// terms writes the terms that are used, what is known of their postings, and the postings.
func (w *writer) terms() {
	ix := w.ix
	used := make([]bool, len(ix.terms.list))
	all := make([]postings, len(ix.terms.list))
	var list []posting
	for t := range ix.terms.list {
		list = ix.postingsOf(list[:0], uint32(t))
		if used[t] = len(list) > 0; !used[t] {
			continue
		}
		sorted := true
		for i := range list {
			list[i].doc = w.now[list[i].doc]
			sorted = sorted && (i == 0 || list[i-1].doc < list[i].doc)
		}
		if !sorted {
			slices.SortFunc(list, func(a, b posting) int { return cmp.Compare(a.doc, b.doc) })
		}
		all[t].data = make([]byte, 0, len(ix.postings[t].data)+8)
		for _, p := range list {
			all[t].add(p)
		}
	}
	now := w.names(&ix.terms, used)
	byNow := make([]*postings, len(now))
	n := 0
	for t := range all {
		if now[t] > 0 {
			byNow[now[t]-1] = &all[t]
			n++
		}
	}
	for _, p := range byNow[:n] {
		w.number(uint64(p.count))
		w.number(uint64(p.next))
		w.number(uint64(len(p.data)))
	}
	for _, p := range byNow[:n] {
		w.data = append(w.data, p.data...)
	}
}

// decode makes an index of what [Index.encode] wrote. Postings are read where they lie when a
// query needs them, so the data must stay as it is. An error is [ErrFormat]. Data that
// somebody forged under a right checksum gives wrong answers, and nothing worse.
func decode(data []byte) (*Index, error) {
	if len(data) < headerSize || string(data[:len(magic)]) != magic {
		return nil, ErrFormat
	}
	r := reader{data: data[headerSize:]}
	if checksum(r.data) != binary.LittleEndian.Uint32(data[len(magic):]) {
		return nil, fmt.Errorf("%w: the checksum is wrong", ErrFormat)
	}
	ix := New()
	r.documents(ix)
	r.edges(ix)
	r.terms(ix)
	if r.bad || len(r.data) > 0 {
		return nil, fmt.Errorf("%w: damaged", ErrFormat)
	}
	ix.linkEdges()
	return ix, nil
}

// reader reads a stream. Once it is bad, all that it reads is empty.
type reader struct {
	data []byte
	bad  bool
}

func (r *reader) fail() {
	r.data, r.bad = nil, true
}

// number reads a number that may be that large.
func (r *reader) number(most uint64) uint64 {
	n, size := binary.Uvarint(r.data)
	if size <= 0 || n > most {
		r.fail()
		return 0
	}
	r.data = r.data[size:]
	return n
}

func (r *reader) time() int64 {
	n, size := binary.Varint(r.data)
	if size <= 0 {
		r.fail()
		return 0
	}
	r.data = r.data[size:]
	return n
}

// count reads how many things follow, each of which takes some bytes.
func (r *reader) count(size int) int { return int(r.number(uint64(len(r.data) / size))) }

func (r *reader) bytes(n int) []byte {
	if n > len(r.data) {
		r.fail()
		return nil
	}
	b := r.data[:n:n]
	r.data = r.data[n:]
	return b
}

// strings reads a list of strings, which share their memory.
func (r *reader) strings() []string {
	list := make([]string, r.count(1))
	ends, total := make([]int, len(list)), 0
	for i := range ends {
		total += r.count(1)
		ends[i] = total
	}
	all := string(r.bytes(total))
	if r.bad {
		return nil
	}
	start := 0
	for i, end := range ends {
		list[i], start = all[start:end], end
	}
	return list
}

func (r *reader) names() names {
	list := r.strings()
	return names{list: list, sorted: len(list)}
}

// docSize is how many bytes a document takes at least.
const docSize = 16 + len(version{})

func (r *reader) documents(ix *Index) {
	ix.symbols, ix.sessions = r.names(), r.names()
	ids := r.strings()
	if len(ids) > len(r.data)/docSize {
		r.fail()
		return
	}
	symbols, sessions := uint64(len(ix.symbols.list)), uint64(len(ix.sessions.list))
	ix.docs, ix.lengths, ix.byID = make([]doc, len(ids)), make([]lengths, len(ids)), make(map[string]uint32, len(ids))
	ix.dead = ix.dead.grown(len(ids))
	ix.members, ix.words = make([][]uint32, sessions), make([]uint32, sessions)
	all := make([]uint32, len(ids)) // the members of sessions are parts of it
	for d := range ix.docs {
		x := &ix.docs[d]
		x.id, x.session, x.prev, x.next = ids[d], uint32(r.number(sessions))-1, none, none // none is -1
		for f := range ix.lengths[d] {
			ix.lengths[d][f] = uint16(r.number(math.MaxUint16))
		}
		x.kind, x.subtype, x.scope, x.agent = uint32(r.number(symbols))-1, uint32(r.number(symbols))-1, uint32(r.number(symbols))-1, uint32(r.number(symbols))-1
		x.reads, x.priority, x.archived = uint32(r.number(math.MaxUint32)), uint8(r.number(critical)), r.number(1) == 1
		x.created, x.updated = r.time(), r.time()
		if n := r.count(1); n > 0 {
			x.tags = make([]uint32, n)
			for i := range x.tags {
				x.tags[i] = uint32(r.number(symbols)) - 1
			}
			r.bad = r.bad || slices.Contains(x.tags, none)
		}
		copy(x.version[:], r.bytes(len(version{})))
		if r.bad {
			return
		}
		ix.byID[x.id], all[d] = uint32(d), uint32(d)
		if s := x.session; s != none {
			start := d - len(ix.members[s])
			ix.members[s] = all[start : d+1 : d+1]
			if start < d {
				if ix.docs[d-1].session != s || ix.inOrder(uint32(d-1), uint32(d)) >= 0 {
					r.fail()
					return
				}
				x.prev, ix.docs[d-1].next = uint32(d-1), uint32(d)
			}
		}
		ix.tally(uint32(d), false)
	}
	r.bad = r.bad || len(ix.byID) != len(ix.docs)
}

func (r *reader) edges(ix *Index) {
	older, newer := r.strings(), r.strings()
	if len(older) != len(newer) {
		r.fail()
		return
	}
	for i := range older {
		owner := uint32(r.number(uint64(len(ix.docs))))
		if int(owner) >= len(ix.docs) {
			r.fail()
			return
		}
		ix.edges[older[i]] = append(ix.edges[older[i]], edge{newer[i], owner})
	}
}

func (r *reader) terms(ix *Index) {
	ix.terms = r.names()
	ix.postings = make([]postings, len(ix.terms.list))
	sizes := make([]int, len(ix.postings))
	docs := uint64(len(ix.docs))
	for t := range ix.postings {
		p := &ix.postings[t]
		p.count, p.next, sizes[t] = uint32(r.number(docs)), uint32(r.number(docs)), r.count(1)
	}
	for t, size := range sizes {
		ix.postings[t].data = r.bytes(size)
	}
}

// equal reports whether two indexes are of the same documents.
func (ix *Index) equal(other *Index) bool { return bytes.Equal(ix.encode(), other.encode()) }
