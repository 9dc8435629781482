package similarity

import "unicode/utf8"

// shortTokens is up to how many tokens a text is short. doc.go has the figures.
const shortTokens = 12

// shortText returns the ordinary words that stand for each other in a short text. Above a similarity of 0.8 a short text has room for
// one or two other words, and these may be all that it is about: the user prefers tabs, the user prefers spaces.
func (p *pair) shortText(hunks []hunk) (out []finding) {
	if max(len(p.a.tokens), len(p.b.tokens)) > shortTokens {
		return nil
	}
	for _, h := range hunks {
		x, y := p.content(&p.a, h.a0, h.a1), p.content(&p.b, h.b0, h.b1)
		for n := range min(len(x), len(y)) {
			a, b := p.a.tokens[x[n]].key, p.b.tokens[y[n]].key
			if !sameStem(a, b) && !contrary(a, b) { // contraries that are left over mean the same: not enabled, disabled
				out = append(out, finding{hunk: hunk{x[n], x[n] + 1, y[n], y[n] + 1}, kind: kindShort})
			}
		}
	}
	return out
}

// content returns the words of s.tokens[from:to] that say something.
func (p *pair) content(s *side, from, to int) (out []int) {
	for i := from; i < to; i++ {
		if t := &s.tokens[i]; !functionWords[t.key] && !indefinite[t.key] && !t.negative && !t.counts {
			out = append(out, i)
		}
	}
	return out
}

// indefinite stand for a value that is left open.
var indefinite = set("someone somebody something anyone anybody anything everyone everybody everything somewhere anywhere certain various")

// sameStem reports whether two words begin alike and differ in their endings at most, or in a letter or two, as a slip of the pen.
func sameStem(x, y string) bool {
	if len(x) > len(y) {
		x, y = y, x
	}
	n := 0
	for n < len(x) && x[n] == y[n] {
		n++
	}
	m := 0
	for m < len(x)-n && x[len(x)-1-m] == y[len(y)-1-m] {
		m++
	}
	letters := utf8.RuneCountInString(x)
	return n >= 3 && len(y)-n <= 4 && n >= letters-1 || letters >= 5 && len(y)-n-m <= 2
}
