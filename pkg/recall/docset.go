package recall

import "math/bits"

// set is a set of documents, a bit for each.
type set []uint64

// grown is the set with room for n documents.
func (s set) grown(n int) set {
	for len(s) < (n+63)/64 {
		s = append(s, 0)
	}
	return s
}

func (s set) add(d uint32) { s[d/64] |= 1 << (d % 64) }

func (s set) has(d uint32) bool { return s[d/64]>>(d%64)&1 != 0 }

// each calls do for the documents in order.
func (s set) each(do func(d uint32)) {
	for i, w := range s {
		for ; w != 0; w &= w - 1 {
			do(uint32(64*i + bits.TrailingZeros64(w)))
		}
	}
}
