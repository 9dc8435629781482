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
		hash, ok := hashTag(t)
		if !ok {
			t = strings.ToLower(t)
			if hash, ok = hashTag(t); !ok {
				hash = hashWord(t)
			}
		}
		out = append(out, hash)
	}
	slices.Sort(out[from:])
	return out[:from+len(slices.Compact(out[from:]))]
}

// hashTag hashes an ASCII text in lower case, eight bytes at a time; ok is false for another.
func hashTag(s string) (hash uint64, ok bool) {
	const each, high = 0x0101010101010101, 0x8080808080808080
	h, seen := uint64(len(s)), uint64(0)
	for len(s) > 0 {
		var x uint64
		if len(s) >= 8 {
			x = uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 | uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
			s = s[8:]
		} else {
			for i := range len(s) {
				x |= uint64(s[i]) << (8 * i)
			}
			s = ""
		}
		seen |= x
		capitals := (x + (0x80-'A')*each) &^ (x + (0x7f-'Z')*each) & high // of ASCII, no byte carries into the next
		h = bits.RotateLeft64((h^(x|capitals>>2))*0x9e3779b97f4a7c15, 29)
	}
	return h, seen&high == 0
}

// TagHashOverlap is the overlap of two sets by their hashes: Tags of them, or more where two different tags have one hash.
func TagHashOverlap(a, b []uint64) float64 { return jaccard(overlap(a, b), len(a), len(b)) }
