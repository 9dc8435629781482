package recall

import (
	"cmp"
	"errors"
	"math"
	"slices"
)

// AppendBinary appends the whole index, base and delta, as the bytes of a new
// base for [Open]. Equal documents give equal bytes, in whatever order they were
// added, and whatever was removed in between. An index of 4 GiB is an error.
func (ix *Index) AppendBinary(dst []byte) ([]byte, error) {
	dst, _, err := ix.appendBinary(dst)
	return dst, err
}

// appendBinary is AppendBinary. It returns besides which number each document has in
// the new base; none for those that are gone.
func (ix *Index) appendBinary(dst []byte) (_ []byte, now []uint32, err error) {
	start := len(dst)
	dst = append(dst, magic...)
	dst = append(dst, make([]byte, 8*sections)...)
	w := &writer{ix: ix, dst: dst, header: start + len(magic)}
	w.documents()
	w.words()
	w.named()
	w.columns()
	if w.large {
		return dst[:start], nil, errors.New("write recall index: a section is 4 GiB or more")
	}
	return le.AppendUint32(w.dst, checksum(w.dst[start:])), w.doc, nil
}

type writer struct {
	ix      *Index
	dst     []byte
	header  int // where the lengths of the sections stand
	section int
	large   bool // an offset doesn't fit

	docs     []uint32 // the documents in their new order
	doc      []uint32 // their new numbers; none for dead ones
	symbols  numbering
	sessions numbering

	places []counts // see renumber
	packed []uint64
}

// put ends a section that was appended to dst since from.
func (w *writer) put(from int) {
	le.PutUint64(w.dst[w.header+8*w.section:], uint64(len(w.dst)-from))
	w.large = w.large || uint64(len(w.dst)-from) > math.MaxUint32
	w.section++
}

func (w *writer) numbers(count int, at func(i int) uint32) {
	from := len(w.dst)
	w.dst = slices.Grow(w.dst, 4*count)
	for i := range count {
		w.dst = le.AppendUint32(w.dst, at(i))
	}
	w.put(from)
}

// texts writes the two sections of a table.
func (w *writer) texts(count int, at func(i int) string) {
	end := uint32(0)
	w.numbers(count, func(i int) uint32 { end += uint32(len(at(i))); return end })
	from := len(w.dst)
	for i := range count {
		w.dst = append(w.dst, at(i)...)
	}
	w.put(from)
}

// numbering gives new numbers to those names that are still in use, sorted.
type numbering struct {
	names *names
	list  []uint32 // old numbers in their new order
	now   []uint32 // by old number; none for those not in use
}

func renumber(n *names, used []bool) numbering {
	r := numbering{names: n, now: make([]uint32, n.len())}
	for i := range r.now {
		r.now[i] = none
	}
	sorted := make([]string, n.len())
	for i, u := range used {
		if u {
			sorted[i] = n.at(uint32(i))
			r.list = append(r.list, uint32(i))
		}
	}
	slices.SortFunc(r.list, func(a, b uint32) int { return cmp.Compare(sorted[a], sorted[b]) })
	for i, old := range r.list {
		r.now[old] = uint32(i)
	}
	return r
}

func (r *numbering) of(old uint32) uint32 {
	if old == none {
		return none
	}
	return r.now[old]
}

func (w *writer) table(r *numbering) {
	w.texts(len(r.list), func(i int) string { return r.names.at(r.list[i]) })
}

// documents puts the documents in order, by session and in it by time, those of
// none last, and writes their ids.
func (w *writer) documents() {
	ix := w.ix
	used := make([]bool, ix.sessions.len())
	for d := range ix.size() {
		if ix.isDead(d) {
			continue
		}
		w.docs = append(w.docs, d)
		if s := ix.session.at(d); s != none {
			used[s] = true
		}
	}
	w.sessions = renumber(&ix.sessions, used)
	ids := make([]string, ix.size())
	for _, d := range w.docs {
		ids[d] = ix.ids.at(d)
	}
	slices.SortFunc(w.docs, func(a, b uint32) int {
		s, t := w.sessions.of(ix.session.at(a)), w.sessions.of(ix.session.at(b))
		if s != t {
			return cmp.Compare(s, t)
		}
		if s == none {
			return cmp.Compare(ids[a], ids[b])
		}
		return ix.inOrder(a, b)
	})
	w.doc = make([]uint32, ix.size())
	for i := range w.doc {
		w.doc[i] = none
	}
	byID := make([]uint32, len(w.docs))
	for i, d := range w.docs {
		w.doc[d], byID[i] = uint32(i), uint32(i)
	}
	slices.SortFunc(byID, func(a, b uint32) int { return cmp.Compare(ids[w.docs[a]], ids[w.docs[b]]) })
	w.texts(len(w.docs), func(i int) string { return ids[w.docs[i]] })
	w.numbers(len(byID), func(i int) uint32 { return byID[i] })
}

// words writes the terms that are in use, and their postings.
func (w *writer) words() {
	ix := w.ix
	used, count := make([]bool, ix.terms.len()), make([]uint32, ix.terms.len())
	var list []posting
	for t := range ix.terms.len() {
		if len(ix.dead) == 0 {
			count[t] = uint32(ix.count(nil, t))
		} else {
			list = ix.live(list[:0], t)
			count[t] = uint32(len(list))
		}
		used[t] = count[t] > 0
	}
	terms := renumber(&ix.terms, used)
	w.table(&terms)
	w.numbers(len(terms.list), func(i int) uint32 { return count[terms.list[i]] })
	var blob []byte
	ends := make([]uint32, len(terms.list))
	for i, t := range terms.list {
		list = ix.live(list[:0], t)
		list = w.renumber(list)
		blob = appendPostings(blob, list)
		ends[i] = uint32(len(blob))
	}
	w.numbers(len(ends), func(i int) uint32 { return ends[i] })
	from := len(w.dst)
	w.dst = append(w.dst, blob...)
	w.put(from)
}

// renumber gives postings the new numbers of their documents, in the order of these.
func (w *writer) renumber(list []posting) []posting {
	sorted, last := true, uint32(0)
	for j := range list {
		d := w.doc[list[j].doc]
		list[j].doc = d
		sorted, last = sorted && d >= last, d
	}
	switch {
	case sorted:
	case len(list) > len(w.docs)/16: // put each in its place
		if w.places == nil {
			w.places = make([]counts, len(w.docs))
		}
		for _, p := range list {
			w.places[p.doc] = p.counts
		}
		n := 0
		for d, c := range w.places {
			if c != 0 {
				list[n], w.places[d] = posting{uint32(d), c}, 0
				n++
			}
		}
		list = list[:n]
	default:
		w.packed = w.packed[:0]
		for _, p := range list {
			w.packed = append(w.packed, uint64(p.doc)<<32|uint64(p.counts))
		}
		slices.Sort(w.packed)
		for j, v := range w.packed {
			list[j] = posting{uint32(v >> 32), counts(v)}
		}
	}
	return list
}

// named writes symbols and sessions.
func (w *writer) named() {
	ix := w.ix
	used := make([]bool, ix.symbols.len())
	use := func(s uint32) {
		if s != none {
			used[s] = true
		}
	}
	for _, d := range w.docs {
		use(ix.kind.at(d))
		use(ix.scope.at(d))
		use(ix.agent.at(d))
		ix.eachTag(d, func(tag uint32) bool { use(tag); return false })
	}
	ix.eachEdge(func(older uint32, e edge) { use(older); use(e.newer) })
	w.symbols = renumber(&ix.symbols, used)
	w.table(&w.symbols)
	w.table(&w.sessions)
	start := make([]uint32, len(w.sessions.list)+1)
	start[len(start)-1] = uint32(len(w.docs))
	for i := len(w.docs) - 1; i >= 0; i-- {
		s := w.sessions.of(ix.session.at(w.docs[i]))
		start[min(s, uint32(len(start)-1))] = uint32(i)
	}
	w.numbers(len(start), func(i int) uint32 { return start[i] })
	w.numbers(len(w.sessions.list), func(i int) uint32 { return ix.words.at(w.sessions.list[i]) })
}

// columns writes what is known of each document.
func (w *writer) columns() {
	ix := w.ix
	each := func(at func(d uint32) uint32) { w.numbers(len(w.docs), func(i int) uint32 { return at(w.docs[i]) }) }
	neighbour := func(c *column) {
		each(func(d uint32) uint32 {
			if n := c.at(d); n != none {
				return w.doc[n]
			}
			return none
		})
	}
	each(func(d uint32) uint32 { return w.sessions.of(ix.session.at(d)) })
	neighbour(&ix.prev)
	neighbour(&ix.next)
	each(ix.lengths.at)
	each(ix.moreLengths.at)
	for _, c := range [...]*column{&ix.kind, &ix.scope, &ix.agent} {
		each(func(d uint32) uint32 { return w.symbols.of(c.at(d)) })
	}
	each(ix.reads.at)
	each(ix.flags.at)
	for _, c := range [...]*clock{&ix.created, &ix.updated} {
		from := len(w.dst)
		for _, d := range w.docs {
			w.dst = le.AppendUint64(w.dst, uint64(c.at(d)))
		}
		w.put(from)
	}
	var tags []uint32
	each(func(d uint32) uint32 {
		ix.eachTag(d, func(tag uint32) bool { tags = append(tags, w.symbols.of(tag)); return false })
		return uint32(len(tags))
	})
	w.numbers(len(tags), func(i int) uint32 { return tags[i] })
	var edges [][3]uint32
	ix.eachEdge(func(older uint32, e edge) {
		edges = append(edges, [3]uint32{w.symbols.of(older), w.symbols.of(e.newer), w.doc[e.owner]})
	})
	slices.SortFunc(edges, func(a, b [3]uint32) int { return slices.Compare(a[:], b[:]) })
	from := len(w.dst)
	for _, e := range edges {
		w.dst = le.AppendUint32(le.AppendUint32(le.AppendUint32(w.dst, e[0]), e[1]), e[2])
	}
	w.put(from)
}
