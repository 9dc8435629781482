package similarity

import (
	"cmp"
	"math/bits"
)

// bag is a multiset of 64-bit elements, ascending, with a signature: bit h of it is the parity of the elements that hash to
// h. Two bags differ in at least as many elements as their signatures differ in bits.
type bag struct {
	elems     []uint64
	signature [4]uint64
}

func newBag(elems []uint64) bag {
	b := bag{elems: elems}
	for _, e := range elems {
		h := e * 0x9e3779b97f4a7c15 >> 56
		b.signature[h>>6] ^= 1 << (h & 63)
	}
	return b
}

// criterion accepts two bags when measure, an index that grows with what they have in common and falls with their sizes,
// is above over.
type criterion struct {
	measure func(common, a, b int) float64
	over    float64
}

// need is the least overlap with which bags of the sizes a and b are accepted, and more than either size when none is.
func (c criterion) need(a, b int) int {
	lo, hi := 0, min(a, b)+1
	for lo < hi {
		if mid := (lo + hi) / 2; c.measure(mid, a, b) > c.over {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	return lo
}

// least is the least overlap with which a bag of size a is accepted with any other: one that is all contained in it.
func (c criterion) least(a int) int {
	lo, hi := 0, a+1
	for lo < hi {
		if mid := (lo + hi) / 2; c.measure(mid, a, mid) > c.over {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	return lo
}

// accepts returns the value of the measure for two bags if it is above the threshold.
func (c criterion) accepts(x, y *bag, need int) (float64, bool) {
	a, b := len(x.elems), len(y.elems)
	if need > min(a, b) || !signaturesAllow(&x.signature, &y.signature, a+b, need) {
		return 0, false
	}
	common := overlapOf(x.elems, y.elems, need)
	if common < need {
		return 0, false
	}
	return c.measure(common, a, b), true
}

// signaturesAllow reports whether bags with these signatures and total elements between them may overlap by need. Half of a
// signature tells it of most.
func signaturesAllow(x, y *[4]uint64, total, need int) bool {
	left := total - 2*need - bits.OnesCount64(x[0]^y[0]) - bits.OnesCount64(x[1]^y[1])
	return left >= 0 && left >= bits.OnesCount64(x[2]^y[2])+bits.OnesCount64(x[3]^y[3])
}

// overlapOf is overlap, but gives up as soon as need is out of reach.
func overlapOf[T cmp.Ordered](x, y []T, need int) int {
	n, spareX, spareY := 0, len(x)-need, len(y)-need
	for i, j := 0, 0; i < len(x) && j < len(y); {
		switch {
		case x[i] < y[j]:
			i++
			if spareX--; spareX < 0 {
				return -1
			}
		case x[i] > y[j]:
			j++
			if spareY--; spareY < 0 {
				return -1
			}
		default:
			n++
			i++
			j++
		}
	}
	return n
}
