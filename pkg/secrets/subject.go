package secrets

import (
	"slices"
	"strings"
	"sync"
)

// subject is a text that is searched, with what makes it quick to say that a word does not stand in it: which three bytes
// stand side by side, as bits by their hash.
type subject struct {
	text         string
	lower        string // "" until somebody asks
	threes, lows threes
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
	if len(word) > len(s.text) && !folded { // else lower case may be longer
		return false
	}
	text, bits := s.marked(folded)
	for i := 2; i < len(word); i++ {
		if !bits.has(hashOf(word[i-2], word[i-1], word[i])) {
			return false
		}
	}
	return strings.Contains(text, word)
}

// marked is the text, or that in lower case, and what is known of it.
func (s *subject) marked(folded bool) (string, *threes) {
	if folded {
		if !s.knows {
			s.lows.mark(s.folded())
			s.knows = true
		}
		return s.folded(), &s.lows
	}
	if !s.known {
		s.threes.mark(s.text)
		s.known = true
	}
	return s.text, &s.threes
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

// probe is how a keyword of one of the formats begins.
type probe struct {
	rule   int
	hash   uint32
	folded bool
}

// probes are those of the keywords of three bytes and more; always lists the formats that have others, or none.
var probes = sync.OnceValues(func() (probes []probe, always []int) {
	for i, r := range formats() {
		if len(r.keywords) == 0 || slices.ContainsFunc(r.keywords, func(k string) bool { return len(k) < 3 }) {
			always = append(always, i)
			continue
		}
		for _, k := range r.keywords {
			probes = append(probes, probe{i, hashOf(k[0], k[1], k[2]), r.folded})
		}
	}
	return probes, always
})

// begun tells of which formats a keyword may stand in the text, by how it begins.
func (s *subject) begun() []bool {
	probes, always := probes()
	out := make([]bool, len(formats()))
	for _, i := range always {
		out[i] = true
	}
	_, exact := s.marked(false)
	_, folded := s.marked(true)
	for _, p := range probes {
		bits := exact
		if p.folded {
			bits = folded
		}
		if bits.has(p.hash) {
			out[p.rule] = true
		}
	}
	return out
}

// threes is a set of hashes.
type threes [128]uint64

func (t *threes) mark(text string) {
	for i := 2; i < len(text); i++ {
		h := hashOf(text[i-2], text[i-1], text[i])
		t[h>>6] |= 1 << (h & 63)
	}
}

func (t *threes) has(h uint32) bool { return t[h>>6]&(1<<(h&63)) != 0 }

func hashOf(a, b, c byte) uint32 { return (uint32(a)*1031 ^ uint32(b)*67 ^ uint32(c)) & (128*64 - 1) }
