package similarity

import (
	"math/bits"
	"slices"
	"strings"
)

// Sketch tells, of two texts, that their content similarity can't be above a threshold, without their words: it has the number
// of words, and of each word one bit of a parity. Nearly all texts that have little in common are told apart by it.
type Sketch struct {
	Words     uint32
	Signature [4]uint64
}

// Sketch returns the sketch of the text.
func (f *Features) Sketch() Sketch {
	b := newBag(f.hashes())
	return Sketch{uint32(len(b.elems)), b.signature}
}

// Counted reports whether the text has been read for its words already.
func (f *Features) Counted() bool { return f.done.Load() }

// Allows reports whether two texts with these sketches may have a content similarity above over.
func (s *Sketch) Allows(t *Sketch, over float64) bool {
	a, b := int(s.Words), int(t.Words)
	differ := 0
	for i := range s.Signature {
		differ += bits.OnesCount64(s.Signature[i] ^ t.Signature[i])
	}
	// Words in common count twice: in no more than each has, nor than what the signatures leave.
	return a+b == 0 || float64(min(2*min(a, b), a+b-differ))/float64(a+b) > over
}

// AppendTagHashes appends a 64-bit hash of each tag of a set, ascending.
func AppendTagHashes(out []uint64, tags []string) []uint64 {
	from := len(out)
	for _, t := range tags {
		if t = strings.TrimSpace(t); t == "" {
			continue
		}
		if isASCII(t) {
			out = append(out, hashLower(t))
		} else {
			out = append(out, hashWord(strings.ToLower(t)))
		}
	}
	slices.Sort(out[from:])
	return out[:from+len(slices.Compact(out[from:]))]
}

// hashLower is hashWord of an ASCII text in lower case.
func hashLower(s string) uint64 {
	h := uint64(hashSeed)
	for i := range len(s) {
		c := s[i]
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		h = (h ^ uint64(c)) * hashPrime
	}
	return h
}

// TagHashOverlap is the overlap of two sets by their hashes: Tags of them, or more where two different tags have one hash.
func TagHashOverlap(a, b []uint64) float64 { return jaccard(overlap(a, b), len(a), len(b)) }
