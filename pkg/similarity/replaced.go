package similarity

import (
	"strings"
	"unicode/utf8"

	"github.com/memoryd/memoryd/pkg/text"
)

// shortTokens is up to how many tokens a text is short. doc.go has the figures.
const shortTokens = 12

// replacedWords returns the ordinary words that stand for each other where a word is likely to be all that is said: in a short text,
// which above a similarity of 0.8 has room for one or two other words (the user prefers tabs, the user prefers spaces), and in a field
// (Owner: platform, Owner: search).
func (p *pair) replacedWords(hunks []hunk) (out []finding) {
	short := max(len(p.a.tokens), len(p.b.tokens)) <= shortTokens
	for _, h := range hunks {
		if !short && !(p.a.field(h.a0, h.a1) && p.b.field(h.b0, h.b1)) {
			continue
		}
		x, y := p.content(&p.a, h.a0, h.a1), p.content(&p.b, h.b0, h.b1)
		for n := range min(len(x), len(y)) {
			a, b := p.a.tokens[x[n]].key, p.b.tokens[y[n]].key
			if !sameStem(a, b) && !contrary(a, b) { // contraries that are left over mean the same: not enabled, disabled
				out = append(out, finding{hunk: hunk{x[n], x[n] + 1, y[n], y[n] + 1}, kind: kindReplaced})
			}
		}
	}
	return out
}

// maxField is up to how many tokens the value of a field has; more are a sentence, or an item of a list.
const maxField = 2

// field reports whether s.tokens[from:to] stands in the value of a field: in all that is between a colon and the end of the line.
func (s *side) field(from, to int) bool {
	if from == to {
		return false
	}
	for from > 0 && to-from <= maxField && !strings.ContainsAny(s.between(from), ":\n") {
		from--
	}
	for to < len(s.tokens) && to-from <= maxField && !strings.Contains(s.between(to), "\n") {
		to++
	}
	return from > 0 && to-from <= maxField && strings.Contains(s.between(from), ":") && !strings.Contains(s.between(from), "\n")
}

// between is what stands in the text between token i and the one before it; a contraction is two tokens with nothing between.
func (s *side) between(i int) string {
	return s.text[min(s.tokens[i-1].end, s.tokens[i].start):s.tokens[i].start]
}

// content returns the words of s.tokens[from:to] that say something.
func (p *pair) content(s *side, from, to int) (out []int) {
	for i := from; i < to; i++ {
		if t := &s.tokens[i]; !functionWords.Has(t.key) && !indefinite.Has(t.key) && !t.negative && !t.itemNumber {
			out = append(out, i)
		}
	}
	return out
}

// indefinite stand for a value that is left open.
var indefinite = text.NewSet("someone somebody something anyone anybody anything everyone everybody everything somewhere anywhere certain various")

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
