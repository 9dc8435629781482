package similarity

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Difference is one place where two texts state different facts.
type Difference struct {
	Kind string // number, unit, date, version, identifier, path, url, name or negation
	A, B string // the differing words of each text with a word or two around them; "" where that text has none
}

// Differences returns the facts in which two texts contradict each other, in the order of the texts; nil when they differ
// in wording only.
func Differences(a, b string) []Difference {
	if a == b {
		return nil
	}
	if a < b {
		return differences(a, b)
	}
	out := differences(b, a) // one order for both directions, so that the answer is symmetric
	for i, d := range out {
		out[i].A, out[i].B = d.B, d.A
	}
	return out
}

func differences(a, b string) []Difference {
	a, b = dropLead(a, b)
	p := pair{a: side{text: a, tokens: lex(a)}, b: side{text: b, tokens: lex(b)}}
	p.markNames()
	var out []Difference
	hunks := align(p.a.tokens, p.b.tokens)
	for len(hunks) > 0 {
		n := 1
		for n < len(hunks) && p.near(hunks[n-1], hunks[n]) {
			n++
		}
		out = append(out, p.negations(hunks[:n])...)
		out = append(out, p.conflicts(hunks[:n])...)
		hunks = hunks[n:]
	}
	return out
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

type side struct {
	text   string
	tokens []token
}

type pair struct{ a, b side }

// conflicts returns the facts that replace each other in neighbouring hunks. What stands on one side only is a detail, not
// a contradiction; what both sides have in another order is one.
func (p *pair) conflicts(hunks []hunk) []Difference {
	var out []Difference
	first, last := hunks[0], hunks[len(hunks)-1]
	for _, class := range [][]string{
		{kindNumber, kindDate, kindVersion},
		{kindIdentifier, kindPath, kindURL, kindName},
	} {
		x, y := p.a.facts(first.a0, last.a1, class), p.b.facts(first.b0, last.b1, class)
		x, y = p.unmatched(x, y)
		x, y = x[:min(len(x), maxFacts)], y[:min(len(y), maxFacts)]
		for len(x) > 0 && len(y) > 0 {
			at := max(0, slices.IndexFunc(y, func(j int) bool { return p.b.tokens[j].kind == p.a.tokens[x[0]].kind }))
			out = append(out, p.conflict(x[0], y[at]))
			x, y = x[1:], slices.Delete(y, at, at+1)
		}
	}
	return out
}

// facts returns the indexes of the tokens of a class in tokens[from:to].
func (s *side) facts(from, to int, class []string) (out []int) {
	for i := from; i < to; i++ {
		if k := s.tokens[i].kind; k != kindWord && slices.Contains(class, k) {
			out = append(out, i)
		}
	}
	return out
}

// unmatched returns the facts of each list that the other has not, when both have some, else those that changed places.
func (p *pair) unmatched(x, y []int) (restX, restY []int) {
	if len(x) == 0 || len(y) == 0 {
		return nil, nil
	}
	restX, commonX := p.a.split(x, p.b.count(y))
	restY, commonY := p.b.split(y, p.a.count(x))
	if len(restX) <= maxFacts && len(restY) <= maxFacts {
		restX = slices.DeleteFunc(restX, func(i int) bool {
			j := slices.IndexFunc(restY, func(j int) bool { return agree(p.a.tokens[i], p.b.tokens[j]) })
			if j >= 0 {
				restY = slices.Delete(restY, j, j+1)
			}
			return j >= 0
		})
	}
	if len(restX) > 0 && len(restY) > 0 {
		return restX, restY
	}
	restX, restY = nil, nil
	for n, i := range commonX {
		if p.a.tokens[i].key != p.b.tokens[commonY[n]].key {
			restX, restY = append(restX, i), append(restY, commonY[n])
		}
	}
	return restX, restY
}

// count counts the tokens at indexes by key.
func (s *side) count(indexes []int) map[string]int {
	m := make(map[string]int, len(indexes))
	for _, i := range indexes {
		m[s.tokens[i].key]++
	}
	return m
}

// split parts the tokens at indexes into those beyond what other counts and those within.
func (s *side) split(indexes []int, other map[string]int) (rest, common []int) {
	for _, i := range indexes {
		if k := s.tokens[i].key; other[k] > 0 {
			other[k]--
			common = append(common, i)
		} else {
			rest = append(rest, i)
		}
	}
	return rest, common
}

// maxFacts bounds the facts of one place that are compared for saying the same in other words, and that are reported.
const maxFacts = 200

// agree reports whether two facts with different keys can state the same: 60 s and 1 min, March 2026 and 5 March 2026.
func agree(a, b token) bool {
	switch {
	case a.kind == kindNumber && b.kind == kindNumber:
		return sameQuantity(a, b)
	case a.kind == kindDate && b.kind == kindDate:
		return sameDate(a.date, b.date)
	case a.kind == kindNumber && b.kind == kindDate:
		return inDate(a, b.date)
	case a.kind == kindDate && b.kind == kindNumber:
		return inDate(b, a.date)
	case a.kind == kindName && b.kind == kindName:
		x, y := unmarked(a.key), unmarked(b.key)
		return x == y || x+"s" == y || y+"s" == x // Chrétien and Chretien, Bronte's and Brontes
	}
	return a.key == b.key
}

func (p *pair) conflict(i, j int) Difference {
	a, b := p.a.tokens[i], p.b.tokens[j]
	kind := a.kind
	switch {
	case a.kind == kindNumber && b.kind == kindNumber && a.num == b.num:
		kind = kindUnit
	case a.kind == kindNumber || a.kind == kindName:
		kind = b.kind // the more particular of the two
	}
	return Difference{Kind: kind, A: p.a.excerpt(i, i+1, 0), B: p.b.excerpt(j, j+1, 0)}
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
