package similarity

import (
	"slices"
	"strings"
)

// single reports whether one token stands for one other.
func single(h hunk) bool { return h.a1-h.a0 == 1 && h.b1-h.b0 == 1 }

// compounds reports whether what a hyphen or a slash joins stands for something else that is joined, as a whole or in one of its words:
// auth-service and billing-service name two things, as db-a and db-b do.
func (p *pair) compounds(h hunk) bool {
	if single(h) {
		if p.kind(&p.a, h.a0) != kindWord || p.kind(&p.b, h.b0) != kindWord || sameStem(p.a.tokens[h.a0].key, p.b.tokens[h.b0].key) {
			return false
		}
		return p.a.joined(h.a0) && p.b.joined(h.b0) || p.a.joined(h.a1) && p.b.joined(h.b1)
	}
	return p.a.compound(h.a0, h.a1) && p.b.compound(h.b0, h.b1)
}

// compound reports whether all of s.tokens[from:to], two or more, is joined.
func (s *side) compound(from, to int) bool {
	for i := from + 1; i < to; i++ {
		if !s.joined(i) || s.tokens[i].kind != kindWord {
			return false
		}
	}
	return to-from > 1
}

// joined reports whether a hyphen or a slash joins token i to the one before it.
func (s *side) joined(i int) bool {
	if i <= 0 || i >= len(s.tokens) || s.tokens[i].start != s.tokens[i-1].end+1 {
		return false
	}
	c := s.text[s.tokens[i].start-1]
	return c == '-' || c == '/'
}

// capitals reports whether two words that have a capital within a sentence stand for each other, one of which is no name by kind because
// it stands elsewhere without.
func (p *pair) capitals(i, j int) bool {
	return p.a.capital(i) && p.b.capital(j) && (p.kind(&p.a, i) == kindWord || p.kind(&p.b, j) == kindWord) &&
		!sameName(p.a.tokens[i].key, p.b.tokens[j].key)
}

func (s *side) capital(i int) bool {
	t := &s.tokens[i]
	return t.kind == kindWord && t.capital && t.gap != gapSentence && !s.titled && !functionWords.Has(t.key)
}

// differInDigits reports whether two facts of different classes are both of the kind that carries a digit: room 12 and room 12a, 3/4/2026 and
// 3/44/2026, which is a path.
func (p *pair) differInDigits(i, j int) bool {
	class := func(t *token) int {
		switch {
		case t.kind == kindWord:
			return 0
		case slices.Contains(classes[0], t.kind):
			return 1
		case strings.ContainsAny(t.key, "0123456789"):
			return 2
		}
		return 0
	}
	return class(&p.a.tokens[i])+class(&p.b.tokens[j]) == 3
}
