package recall

import "encoding/binary"

// counts says how often a term stands in each field of a document, in the bits of
// a number; more than fits counts as the most that does.
type counts uint32

// where the fields of counts lie
const (
	contentBits = 14
	fieldBits   = 6
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

func (c counts) total() uint32 { return c.of(content) + c.of(summary) + c.of(title) + c.of(tags) }

// posting says that a term stands in a document, and how often.
type posting struct {
	doc    uint32
	counts counts
}

// appendPostings writes postings in the order of documents.
func appendPostings(dst []byte, list []posting) []byte {
	next := uint32(0)
	for _, p := range list {
		dst = appendPosting(dst, next, p)
		next = p.doc + 1
	}
	return dst
}

// appendPosting writes the distance from next, which is behind the document before, doubled,
// and odd when counts other than once follow.
func appendPosting(dst []byte, next uint32, p posting) []byte {
	gap := uint64(p.doc-next) << 1
	if p.counts == once {
		return binary.AppendUvarint(dst, gap)
	}
	return binary.AppendUvarint(binary.AppendUvarint(dst, gap|1), uint64(p.counts))
}

// growing are postings of the delta, as appendPostings writes them: a quarter of the room that
// the list of them takes.
type growing struct {
	flat  []byte
	next  uint32 // behind the last document
	count uint32
}

func (g *growing) add(p posting) {
	g.flat = appendPosting(g.flat, g.next, p)
	g.next = p.doc + 1
	g.count++
}

// readPostings appends the postings in flat, documents below limit only: bytes
// that nobody wrote end the list.
func readPostings(dst []posting, flat []byte, limit uint32) []posting {
	next := uint64(0)
	for len(flat) > 0 {
		gap, n := uint64(flat[0]), 1
		if gap >= 0x80 {
			if gap, n = binary.Uvarint(flat); n <= 0 {
				break
			}
		}
		flat = flat[n:]
		p := posting{counts: once}
		if gap&1 != 0 {
			c, n := binary.Uvarint(flat)
			if n <= 0 {
				break
			}
			p.counts, flat = counts(c), flat[n:]
		}
		if gap>>1 >= uint64(limit) {
			break
		}
		if next += gap >> 1; next >= uint64(limit) {
			break
		}
		p.doc = uint32(next)
		dst = append(dst, p)
		next++
	}
	return dst
}

// live appends the postings of a term, without those of dead documents.
func (ix *Index) live(dst []posting, t uint32) []posting {
	from := len(dst)
	if t < ix.base.termsLen {
		dst = readPostings(dst, ix.base.postings.at(t), ix.base.documentsLen)
	}
	if int(t) < len(ix.postings) {
		dst = readPostings(dst, ix.postings[t].flat, ix.size())
	}
	if len(ix.dead) == 0 {
		return dst
	}
	n := from
	for _, p := range dst[from:] {
		if !ix.isDead(p.doc) {
			dst[n] = p
			n++
		}
	}
	return dst[:n]
}
