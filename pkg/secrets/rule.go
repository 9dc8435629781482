package secrets

import (
	"slices"
	"strings"
	"sync"

	"github.com/memoryd/memoryd/pkg/internal/lazyregexp"
)

// rule is one pattern whose match, or a part of it, is a secret.
type rule struct {
	id, what string
	// One of these must stand in the text, or there is nothing to look for; none: always look.
	keywords []string
	folded   bool                   // the keywords are in lower case and the text may be in any
	also     []string               // as well as one of these, in the case of the text
	likely   func(text string) bool // what else is asked of a text before the pattern, which takes longer; may be nil
	pattern  *lazyregexp.Regexp
	reach    int // how far from a keyword a match begins and ends, which each match holds; 0: anywhere
	group    int // of the pattern that is the secret; -1: the first that is not empty, 0: all of it
	judged   int // group that accept is given, 0: the secret
	entropy  float64
	// Where the match ends, a longer word of letters and digits may not go on.
	closed  bool
	accept  func(secret string) bool // nil: everything
	allowed []allowlist
}

// raw is a finding while others may still cover it.
type raw struct {
	start, end int
	id, what   string
	public     int // bytes at the start that may be shown
	strength   int // of overlapping findings, the one of a vendor's format names the kind
}

const (
	generic = iota
	specific
	custom
)

// each yields what a rule finds in a text.
func (r *rule) each(s *subject, strength int, yield func(raw)) {
	text := s.text
	if len(r.keywords) > 0 && !s.holdsAny(r.keywords, r.folded) || len(r.also) > 0 && !s.holdsAny(r.also, false) || r.likely != nil && !r.likely(text) {
		return
	}
	matches := r.pattern.FindAllStringSubmatchIndex
	if r.reach > 0 {
		matches = func(string, int) [][]int { return s.near(r.pattern, r.keywords, r.folded, r.reach) }
	}
	for _, m := range matches(text, -1) {
		start, end := m[0], m[1]
		switch {
		case r.group > 0:
			start, end = m[2*r.group], m[2*r.group+1]
		case r.group < 0:
			for g := 2; g+1 < len(m); g += 2 {
				if m[g] >= 0 && m[g] < m[g+1] {
					start, end = m[g], m[g+1]
					break
				}
			}
		}
		if start < 0 || start == end {
			continue
		}
		secret := text[start:end]
		judged := secret
		if r.judged > 0 {
			judged = text[m[2*r.judged]:m[2*r.judged+1]]
		}
		switch {
		case r.closed && (start > 0 && wordByte(text[start-1]) || end < len(text) && wordByte(text[end])):
		case r.entropy > 0 && entropy(secret) <= r.entropy:
		case r.accept != nil && !r.accept(judged):
		case slices.ContainsFunc(r.allowed, func(a allowlist) bool { return a.allows(text, start, end, m[0], m[1]) }):
		default:
			yield(raw{start: start, end: end, id: r.id, what: r.what, public: r.public(secret), strength: strength})
		}
	}
}

// public is how much of a secret at its start is in every one of its kind, and no more than a third.
func (r *rule) public(secret string) int {
	most := 0
	for _, k := range r.keywords {
		if len(k) <= len(secret)/3 && strings.EqualFold(secret[:len(k)], k) {
			most = max(most, len(k))
		}
	}
	return most
}

func wordByte(b byte) bool {
	return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9' || b == '_'
}

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

// begun lists of which formats a keyword may stand in the text, by how it begins.
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
