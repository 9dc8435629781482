package similarity

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"
)

// Difference is one place where two texts state different facts.
type Difference struct {
	// Kind is number, unit, date, version, identifier, path, url or name; negation, for what turns a statement round; order, for
	// two parts that changed places; word, for another word where a word is likely to be all that is said.
	Kind string
	A, B string // the differing words of each text with a word or two around them; "" where that text has none
}

// Differences is DistinctFacts of two texts.
func Differences(a, b string) []Difference { return DistinctFacts(Prepare(a), Prepare(b)) }

// DistinctFacts returns the facts in which two texts contradict each other, in the order of the texts; nil when they differ in
// wording only. It is symmetric and takes time linear in the texts.
func DistinctFacts(a, b *Features) []Difference {
	if a == nil || b == nil {
		return nil // against nothing there is only what one side has more
	}
	x, y := a.body(), b.body()
	if x == y {
		return nil
	}
	if x < y {
		return differences(x, y)
	}
	out := differences(y, x) // one order for both directions, so that the answer is symmetric
	for i, d := range out {
		out[i].A, out[i].B = d.B, d.A
	}
	return out
}

func differences(a, b string) []Difference {
	p := newPair(newDocument(a), newDocument(b))
	hunks := align(&p.a, &p.b)
	var found []finding
	for rest := hunks; len(rest) > 0; {
		n := 1
		for n < len(rest) && p.near(rest[n-1], rest[n]) {
			n++
		}
		found = append(found, p.negations(rest[:n])...)
		found = append(found, p.conflicts(rest[:n])...)
		rest = rest[n:]
	}
	found = append(found, p.exchanges(hunks, found)...)
	if len(found) == 0 {
		found = p.replacedWords(hunks)
	}
	slices.SortStableFunc(found, func(x, y finding) int { return cmp.Or(cmp.Compare(x.a0, y.a0), cmp.Compare(x.b0, y.b0)) })
	found = slices.CompactFunc(found, func(x, y finding) bool { return x.hunk == y.hunk }) // one name for each place
	var out []Difference
	for _, f := range found {
		out = append(out, Difference{Kind: f.kind.String(), A: p.a.excerpt(f.a0, f.a1, f.after), B: p.b.excerpt(f.b0, f.b1, f.after)})
	}
	return out
}

// finding is a difference by its tokens, and how many behind them are shown.
type finding struct {
	hunk
	kind  kind
	after int
}

// reach is how many equal tokens may stand between two hunks that are looked at together: a negation or a number that was moved
// by so many words counts as moved, not as added and removed.
const reach = 2

// near reports whether two hunks that follow each other stand in one clause, at most reach tokens apart.
func (p *pair) near(h, next hunk) bool {
	if next.a0-h.a1 > reach {
		return false
	}
	for i := h.a1; i < next.a0; i++ {
		if p.a.tokens[i].gap > gapNone {
			return false
		}
	}
	return !(next.a0 < next.a1 && p.a.tokens[next.a0].gap > gapNone) && !(next.b0 < next.b1 && p.b.tokens[next.b0].gap > gapNone)
}

// excerpt is the verbatim text of tokens[from:to] with the token before it and after tokens behind it, as far as they stand
// in the same clause.
func (s *side) excerpt(from, to, after int) string {
	if from == to {
		return ""
	}
	if from > 0 && s.tokens[from].gap == gapNone {
		from--
	}
	for ; after > 0 && to < len(s.tokens) && s.tokens[to].gap == gapNone; after-- {
		to++
	}
	text := strings.Join(strings.Fields(s.text[s.tokens[from].start:s.tokens[to-1].end]), " ")
	if len(text) <= maxExcerpt {
		return text
	}
	n := maxExcerpt
	for !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n] + "…"
}

const maxExcerpt = 120
