package similarity

// Containment says which of two texts says all that the other says.
type Containment struct {
	AInB, BInA bool // both: the texts are equal but for harmless differences
	// Whole tells that the one stands in the other without a word between its own: what is more stands before or behind it. Sentences
	// tells that what is more are whole sentences.
	Whole, Sentences bool
}

// Contained tells whether one of two texts says, in its order, all that the other does, by the alignment of [DistinctFacts]: what is known
// to be harmless there counts as said. Whether what is more turns a statement round is for DistinctFacts to say. It takes time linear in the
// texts.
func Contained(a, b *Features) Containment {
	if a == nil || b == nil {
		return Containment{a == nil, b == nil, true, true}
	}
	p := newPair(a.document(), b.document())
	c := Containment{true, true, true, true}
	hunks := p.forms(align(&p.a, &p.b))
	if len(hunks) == 0 {
		return c
	}
	p.lang = p.language()
	for _, h := range p.rewritten(hunks) {
		places := p.places([]hunk{h})
		for _, rest := range places {
			c.AInB = c.AInB && rest.a0 == rest.a1
			c.BInA = c.BInA && rest.b0 == rest.b1
		}
		if len(places) > 0 {
			c.Whole = c.Whole && (p.a.outer(h.a0, h.a1) || p.b.outer(h.b0, h.b1))
			c.Sentences = c.Sentences && p.a.sentences(h.a0, h.a1) && p.b.sentences(h.b0, h.b1)
		}
	}
	return c
}

// outer reports whether tokens[from:to] stand at the beginning of the text or at its end, with nothing being at both.
func (s *side) outer(from, to int) bool { return from < to && (from == 0 || to == len(s.tokens)) }

// sentences reports whether tokens[from:to] are whole sentences.
func (s *side) sentences(from, to int) bool {
	return from == to || s.tokens[from].gap == gapSentence && (to == len(s.tokens) || s.tokens[to].gap == gapSentence)
}
