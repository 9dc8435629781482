package similarity

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
	c := criterion{dice, over}
	a, b := int(s.Words), int(t.Words)
	need := c.need(a, b)
	return need <= min(a, b) && signaturesAllow(&s.Signature, &t.Signature, a+b, need)
}

// TagSet is a set of tags in the form in which Tags compares them.
type TagSet []string

// NewTagSet returns the set of tags.
func NewTagSet(tags []string) TagSet { return tagSet(tags) }

// Overlap is Tags of two sets.
func (a TagSet) Overlap(b TagSet) float64 {
	common := 0
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] < b[j]:
			i++
		case a[i] > b[j]:
			j++
		default:
			common++
			i++
			j++
		}
	}
	return jaccard(common, len(a), len(b))
}
