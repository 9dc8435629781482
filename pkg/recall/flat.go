package recall

import (
	"errors"
	"fmt"
	"hash/crc32"
)

// ErrFormat says that bytes are no index, a damaged one, or of another version:
// it is to be built anew.
var ErrFormat = errors.New("not a recall index of this version")

// magic begins the bytes of an index. Its last byte is the version of the format
// and of how text is cut into terms: either changing makes all indexes old.
const magic = "mrecall\x02"

// The sections of the bytes, in order.
const (
	secIDEnds = iota
	secIDs
	secIDSorted
	secTermEnds
	secTerms
	secTermCounts
	secPostingEnds
	secPostings
	secSymbolEnds
	secSymbols
	secSessionEnds
	secSessions
	secSessionStarts
	secWords
	secSession
	secPrev
	secNext
	secLengths
	secMoreLengths
	secKind
	secScope
	secAgent
	secReads
	secFlags
	secCreated
	secUpdated
	secTagEnds
	secTags
	secEdges
	sections
)

const (
	headerSize = len(magic) + 8*sections
	sumSize    = 4
	edgeSize   = 12
)

// checksum is CRC-32C. Its table is made when it is first used.
func checksum(data []byte) uint32 { return crc32.Checksum(data, crc32.MakeTable(crc32.Castagnoli)) }

// flat is what the bytes of a base hold that has no column or table of its own.
type flat struct {
	postings     texts  // by term
	counts       []byte // by term: how many postings
	starts       []byte // the first document of each session, and of none
	tagEnds      []byte
	tags         []byte
	edge         []byte // older, newer, owner; sorted by older
	termsLen     uint32
	sessionsLen  uint32
	documentsLen uint32
}

// session returns the range of documents of a session.
func (f *flat) session(s uint32) (start, end uint32) {
	return le.Uint32(f.starts[4*s:]), le.Uint32(f.starts[4*(s+1):])
}

// anyTag calls is for the tags of a document until it returns true, and
// reports whether it did.
func (f *flat) anyTag(d uint32, is func(symbol uint32) bool) bool {
	start := uint32(0)
	if d > 0 {
		start = le.Uint32(f.tagEnds[4*(d-1):])
	}
	for ; start < le.Uint32(f.tagEnds[4*d:]); start++ {
		if is(le.Uint32(f.tags[4*start:])) {
			return true
		}
	}
	return false
}

// edges lists the edges from a symbol.
func (f *flat) edges(older uint32) (list []edge) {
	low, high := 0, len(f.edge)/edgeSize
	for low < high {
		if mid := (low + high) / 2; le.Uint32(f.edge[mid*edgeSize:]) < older {
			low = mid + 1
		} else {
			high = mid
		}
	}
	for at := low * edgeSize; at < len(f.edge) && le.Uint32(f.edge[at:]) == older; at += edgeSize {
		list = append(list, edge{le.Uint32(f.edge[at+4:]), le.Uint32(f.edge[at+8:])})
	}
	return list
}

// Open makes an index whose base lies in data, as [Index.AppendBinary] wrote it.
// Nothing is copied: data must stay as it is for as long as the index is used, a
// mapped file for instance. Bytes that are damaged, of another version, or were
// never an index give an error that is [ErrFormat].
func Open(data []byte) (*Index, error) {
	if n := len(data) - sumSize; n < 0 || checksum(data[:n]) != le.Uint32(data[n:]) {
		return nil, fmt.Errorf("open recall index: the checksum is wrong: %w", ErrFormat)
	}
	return open(data)
}

// open is Open for bytes whose checksum somebody else has looked at.
func open(data []byte) (*Index, error) {
	cut, err := cutSections(data)
	if err != nil {
		return nil, err
	}
	ix := New()
	n := uint32(len(cut[secSession]) / 4)
	ix.ids.flat, ix.ids.sorted = texts{cut[secIDEnds], cut[secIDs]}, cut[secIDSorted]
	ix.terms.flat = texts{cut[secTermEnds], cut[secTerms]}
	ix.symbols.flat = texts{cut[secSymbolEnds], cut[secSymbols]}
	ix.sessions.flat = texts{cut[secSessionEnds], cut[secSessions]}
	ix.base = flat{
		postings: texts{cut[secPostingEnds], cut[secPostings]}, counts: cut[secTermCounts], starts: cut[secSessionStarts],
		tagEnds: cut[secTagEnds], tags: cut[secTags], edge: cut[secEdges],
		termsLen: ix.terms.flat.len(), sessionsLen: ix.sessions.flat.len(), documentsLen: n,
	}
	for section, c := range map[int]*column{
		secSession: &ix.session, secPrev: &ix.prev, secNext: &ix.next, secLengths: &ix.lengths, secMoreLengths: &ix.moreLengths,
		secKind: &ix.kind, secScope: &ix.scope, secAgent: &ix.agent, secReads: &ix.reads, secFlags: &ix.flags,
	} {
		c.flat, c.n = cut[section], n
		if len(c.flat) != int(n)*4 {
			return nil, fmt.Errorf("open recall index: section %d: %w", section, ErrFormat)
		}
	}
	ix.created, ix.updated = clock{flat: cut[secCreated], n: n}, clock{flat: cut[secUpdated], n: n}
	ix.words = column{flat: cut[secWords], n: ix.base.sessionsLen}
	if section := ix.wrong(cut); section >= 0 {
		return nil, fmt.Errorf("open recall index: section %d: %w", section, ErrFormat)
	}
	for d := range n {
		ix.tallyBase(d)
	}
	for s := range ix.base.sessionsLen {
		if n := ix.words.at(s); n > 0 {
			ix.totals.sessions++
			ix.totals.inSessions += uint64(n)
		}
	}
	return ix, nil
}

// tallyBase counts a document of the base into the totals.
func (ix *Index) tallyBase(d uint32) {
	ix.totals.docs++
	for f := range fieldCount {
		if n := uint64(ix.length(d, f)); n > 0 {
			ix.totals.words[f] += n
			ix.totals.having[f]++
		}
	}
}

func cutSections(data []byte) (cut [sections][]byte, err error) {
	if len(data) < headerSize+sumSize || string(data[:len(magic)]) != magic {
		return cut, fmt.Errorf("open recall index: %w", ErrFormat)
	}
	body := data[:len(data)-sumSize]
	rest := body[headerSize:]
	for i := range cut {
		n := le.Uint64(body[len(magic)+8*i:])
		if n > uint64(len(rest)) {
			return cut, fmt.Errorf("open recall index: section %d is longer than the index: %w", i, ErrFormat)
		}
		cut[i], rest = rest[:n:n], rest[n:]
	}
	if len(rest) > 0 {
		return cut, fmt.Errorf("open recall index: %d bytes too many: %w", len(rest), ErrFormat)
	}
	return cut, nil
}

// wrong names a section that can't be used; -1 for none. Whoever forges an index
// with a right checksum gets wrong answers, but nothing worse.
func (ix *Index) wrong(cut [sections][]byte) int {
	n, symbols := ix.base.documentsLen, ix.symbols.flat.len()
	for section, t := range map[int]texts{secIDEnds: ix.ids.flat, secTermEnds: ix.terms.flat, secPostingEnds: ix.base.postings, secSymbolEnds: ix.symbols.flat, secSessionEnds: ix.sessions.flat} {
		if !t.check() {
			return section
		}
	}
	for _, size := range [...]struct {
		section int
		want    uint64
	}{
		{secIDEnds, 4 * uint64(n)}, {secIDSorted, 4 * uint64(n)}, {secPostingEnds, uint64(len(cut[secTermEnds]))}, {secTermCounts, uint64(len(cut[secTermEnds]))}, {secSessionStarts, uint64(len(cut[secSessionEnds])) + 4},
		{secWords, uint64(len(cut[secSessionEnds]))}, {secCreated, 8 * uint64(n)}, {secUpdated, 8 * uint64(n)}, {secTagEnds, 4 * uint64(n)},
		{secEdges, uint64(len(cut[secEdges]) / edgeSize * edgeSize)}, {secTags, uint64(len(cut[secTags]) / 4 * 4)},
	} {
		if uint64(len(cut[size.section])) != size.want {
			return size.section
		}
	}
	for _, numbers := range [...]struct {
		section int
		limit   uint32
		orNone  bool
	}{
		{secIDSorted, n, false}, {secSession, ix.base.sessionsLen, true}, {secPrev, n, true}, {secNext, n, true},
		{secKind, symbols, true}, {secScope, symbols, true}, {secAgent, symbols, true}, {secTags, symbols, false},
	} {
		for c := cut[numbers.section]; len(c) > 0; c = c[4:] {
			if v := le.Uint32(c); v >= numbers.limit && (v != none || !numbers.orNone) {
				return numbers.section
			}
		}
	}
	if !rising(cut[secSessionStarts], n) {
		return secSessionStarts
	}
	if !rising(cut[secTagEnds], uint32(len(cut[secTags])/4)) {
		return secTagEnds
	}
	for e := cut[secEdges]; len(e) > 0; e = e[edgeSize:] {
		older, newer := le.Uint32(e), le.Uint32(e[4:])
		if max(older, newer) >= symbols || len(ix.symbols.flat.at(newer)) == 0 {
			return secEdges
		}
	}
	return -1
}

// rising reports whether numbers never fall and never pass a limit.
func rising(numbers []byte, limit uint32) bool {
	last := uint32(0)
	for ; len(numbers) > 0; numbers = numbers[4:] {
		v := le.Uint32(numbers)
		if v < last || v > limit {
			return false
		}
		last = v
	}
	return true
}
