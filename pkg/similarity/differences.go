package similarity

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"
)

// Difference is one place where two texts state different facts, or may.
type Difference struct {
	// Kind is number, unit, date, version, identifier, path, url, sign or name; negation, for what turns a statement round; order, for
	// words that changed places; word, for any other word.
	Kind string
	A, B string // the differing words of each text with a word or two around them; "" where that text has none
}

// Differences is DistinctFacts of two texts.
func Differences(a, b string) []Difference { return DistinctFacts(Prepare(a), Prepare(b)) }

// DistinctFacts returns the places where two texts differ in more than is known to be harmless, in the order of the texts; nil when there
// are none. It is symmetric and takes time linear in the texts.
func DistinctFacts(a, b *Features) []Difference { return symmetric(a, b, differences) }

// symmetric compares two texts in one order, whichever comes first.
func symmetric(a, b *Features, differ func(a, b string) []Difference) []Difference {
	if a == nil || b == nil {
		return nil // against nothing there is only what one side has more
	}
	x, y := a.body(), b.body()
	if x == y {
		return nil
	}
	if x < y {
		return differ(x, y)
	}
	out := differ(y, x)
	for i, d := range out {
		out[i].A, out[i].B = d.B, d.A
	}
	return out
}

func differences(a, b string) []Difference {
	p := newPair(newDocument(a), newDocument(b))
	hunks := p.forms(align(&p.a, &p.b))
	if len(hunks) == 0 {
		return nil
	}
	p.lang = p.language()
	return report(&p, p.weighed(p.places(p.rewritten(hunks))))
}

// report tells places in the words of the texts, in their order.
func report(p *pair, found []place) (out []Difference) {
	slices.SortStableFunc(found, func(x, y place) int { return cmp.Or(cmp.Compare(x.a0, y.a0), cmp.Compare(x.b0, y.b0)) })
	for _, f := range found[:min(len(found), maxDifferences)] {
		out = append(out, Difference{Kind: f.kind.String(), A: p.a.excerpt(f.a0, f.a1, f.kind), B: p.b.excerpt(f.b0, f.b1, f.kind)})
	}
	return out
}

// maxDifferences bounds what is reported of one pair.
const maxDifferences = 50

// excerpt is the verbatim text of tokens[from:to] with the token before it, and behind a negation the one that it negates, behind a
// number its unit, as far as they stand in the same clause.
func (s *side) excerpt(from, to int, kind kind) string {
	if from == to {
		return ""
	}
	if from > 0 && s.tokens[from].gap <= gapHyphen {
		from--
	}
	if to < len(s.tokens) && s.tokens[to].gap <= gapHyphen && (kind == kindNegation || s.tokens[to].kind == kindUnit) {
		to++
	}
	text := strings.Join(strings.Fields(s.text[s.tokens[from].start:s.tokens[to-1].end]), " ")
	if len(text) <= maxExcerpt {
		return text
	}
	n := maxExcerpt
	for n > 0 && !utf8.RuneStart(text[n]) { // to 0 in a text that is not UTF-8
		n--
	}
	return text[:n] + "…"
}

const maxExcerpt = 120
