package similarity

import "strings"

// single reports whether one token stands for one other.
func single(h hunk) bool { return h.a1-h.a0 == 1 && h.b1-h.b0 == 1 }

// compounds reports whether two words stand for each other within a compound that a hyphen or a slash joins: auth-service and
// billing-service name two things, as db-a and db-b do.
func (p *pair) compounds(i, j int) bool {
	a, b := &p.a.tokens[i], &p.b.tokens[j]
	if p.kind(&p.a, i) != kindWord || p.kind(&p.b, j) != kindWord || sameStem(a.key, b.key) {
		return false
	}
	backA, onA := p.a.joined(i)
	backB, onB := p.b.joined(j)
	return backA && backB || onA && onB
}

// joined reports whether a hyphen or a slash joins token i to the one before it and to the one behind it.
func (s *side) joined(i int) (back, on bool) {
	joins := func(i int) bool {
		if i <= 0 || i >= len(s.tokens) || s.tokens[i].start != s.tokens[i-1].end+1 {
			return false
		}
		c := s.text[s.tokens[i].start-1]
		return c == '-' || c == '/'
	}
	return joins(i), joins(i + 1)
}

// numbered reports whether two facts of different classes are both of the kind that carries a digit: room 12 and room 12a.
func (p *pair) numbered(i, j int) bool {
	class := func(t *token) int {
		switch {
		case t.kind == kindNumber:
			return 1
		case t.kind == kindIdentifier && strings.ContainsAny(t.key, "0123456789"):
			return 2
		}
		return 0
	}
	return class(&p.a.tokens[i])+class(&p.b.tokens[j]) == 3
}
