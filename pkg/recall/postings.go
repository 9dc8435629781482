package recall

import (
	"encoding/binary"
	"slices"
)

// counts is how often a term occurs in each field of a document, in the bits of a number;
// more than fits counts as the most that does.
type counts uint32

// where the fields of counts lie
const (
	contentBits = 12
	fieldBits   = 4
)

const once counts = 1 // in the content, once

func (c counts) of(field int) uint32 {
	if field == content {
		return uint32(c) & (1<<contentBits - 1)
	}
	return uint32(c) >> (contentBits + (field-1)*fieldBits) & (1<<fieldBits - 1)
}

// plus counts one more in a field.
func (c counts) plus(field int) counts {
	if field == content {
		if c.of(content) == 1<<contentBits-1 {
			return c
		}
		return c + 1
	}
	if c.of(field) == 1<<fieldBits-1 {
		return c
	}
	return c + 1<<(contentBits+(field-1)*fieldBits)
}

func (c counts) total() (sum uint32) {
	for field := range fieldCount {
		sum += c.of(field)
	}
	return sum
}

// posting is a document that has a term, and how often.
type posting struct {
	doc    uint32
	counts counts
}

// postings are those of one term, in the order of documents. For each data has the distance
// from the document before, doubled, and odd when counts other than once follow, as varints:
// a quarter of the memory that a list would take. Postings of removed documents are among
// them.
type postings struct {
	data  []byte
	count uint32 // documents
	next  uint32 // one above the last document
}

func (p *postings) add(x posting) {
	gap := uint64(x.doc-p.next) << 1
	if x.counts == once {
		p.data = binary.AppendUvarint(p.data, gap)
	} else {
		p.data = binary.AppendUvarint(binary.AppendUvarint(p.data, gap|1), uint64(x.counts))
	}
	p.next = x.doc + 1
	p.count++
}

// decode appends the postings of documents below limit to a list. Data that this
// package didn't write ends the list.
func (p *postings) decode(list []posting, limit uint32) []posting {
	data, next := p.data, uint64(0)
	for len(data) > 0 {
		gap, n := uint64(data[0]), 1
		if gap >= 0x80 {
			if gap, n = binary.Uvarint(data); n <= 0 {
				break
			}
		}
		data = data[n:]
		x := posting{counts: once}
		if gap&1 != 0 {
			c, n := binary.Uvarint(data)
			if n <= 0 {
				break
			}
			x.counts, data = counts(c), data[n:]
		}
		if gap>>1 >= uint64(limit) {
			break
		}
		if next += gap >> 1; next >= uint64(limit) {
			break
		}
		x.doc = uint32(next)
		list = append(list, x)
		next++
	}
	return list
}

// postingsOf appends the postings of a term to a list, without those of removed documents.
func (ix *Index) postingsOf(list []posting, t uint32) []posting {
	from, docs := len(list), uint32(len(ix.docs))
	list = slices.Grow(list, int(min(ix.postings[t].count, docs))) // lists of common terms are long
	list = ix.postings[t].decode(list, docs)
	if ix.gone == 0 {
		return list
	}
	n := from
	for _, p := range list[from:] {
		if !ix.dead.has(p.doc) {
			list[n] = p
			n++
		}
	}
	return list[:n]
}

// frequencyOf is how many documents have a term.
func (ix *Index) frequencyOf(m *matches, t uint32) int {
	if t == none {
		return 0
	}
	if ix.gone == 0 {
		return int(ix.postings[t].count)
	}
	m.postings = ix.postingsOf(m.postings[:0], t)
	return len(m.postings)
}
