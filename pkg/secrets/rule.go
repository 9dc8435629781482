package secrets

import (
	"slices"
	"strings"

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
	for _, m := range r.pattern.FindAllStringSubmatchIndex(text, -1) {
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
