package secrets

import "strings"

// subject is a text that is searched, with what makes it quick to say that a word does not stand in it: which pairs of
// bytes do, as bits by their hash.
type subject struct {
	text         string
	lower        string // "" until somebody asks
	pairs, lows  [64]uint64
	known, knows bool
}

// folded is the text in lower case.
func (s *subject) folded() string {
	if s.lower == "" {
		s.lower = strings.ToLower(s.text)
	}
	return s.lower
}

// holds reports whether a word stands in the text; folded: in any case, the word being in lower.
func (s *subject) holds(word string, folded bool) bool {
	text, bits := s.text, &s.pairs
	if folded {
		text, bits = s.folded(), &s.lows
		if !s.knows {
			markPairs(bits, text)
			s.knows = true
		}
	} else if !s.known {
		markPairs(bits, text)
		s.known = true
	}
	for i := 1; i < len(word); i++ {
		if h := hashOf(word[i-1], word[i]); bits[h>>6]&(1<<(h&63)) == 0 {
			return false
		}
	}
	return strings.Contains(text, word)
}

// holdsAny reports whether one of the words stands in the text.
func (s *subject) holdsAny(words []string, folded bool) bool {
	for _, w := range words {
		if s.holds(w, folded) {
			return true
		}
	}
	return false
}

func markPairs(bits *[64]uint64, text string) {
	for i := 1; i < len(text); i++ {
		h := hashOf(text[i-1], text[i])
		bits[h>>6] |= 1 << (h & 63)
	}
}

func hashOf(a, b byte) uint32 { return (uint32(a)*67 ^ uint32(b)) & 4095 }
