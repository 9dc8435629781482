package similarity

import (
	"slices"

	"github.com/memoryd/memoryd/pkg/text"
)

// markNegation marks the tokens that negate. "Whether or not", an answering "No," and "No 5" do not, "fail to" does.
func markNegation(tokens []token) {
	outside := token{gap: gapSentence}
	at := func(i int) *token {
		if i < 0 || i >= len(tokens) {
			return &outside
		}
		return &tokens[i]
	}
	for i := range tokens {
		t := &tokens[i]
		if t.lists&(isRefusal|isNegator) == 0 {
			continue
		}
		next := at(i + 1)
		if t.lists&isRefusal != 0 && t.wordlike() && next.key == "to" {
			t.negative = true
		}
		if t.lists&isNegator == 0 || !t.wordlike() {
			continue
		}
		switch {
		case t.key == "not" && at(i-1).key == "or" && (at(i-2).key == "whether" || next.gap > gapNone):
		case t.key == "no" && (next.gap > gapNone || t.capital && next.kind == kindNumber):
		default:
			t.negative = true
		}
	}
}

// wordlike reports whether the token is a word, perhaps in a code span, or an ordinal.
func (t *token) wordlike() bool {
	return t.kind == kindWord || t.kind == kindIdentifier || t.kind == kindNumber && t.unit == ordinal
}

// negations compares the polarity of two texts in neighbouring hunks. It differs when one side negates more than the other,
// unless as many words were turned into their opposites: "not enabled" is "disabled".
func (p *pair) negations(hunks []hunk) []finding {
	var x, y []int // negating tokens
	var onlyA, onlyB []int
	for _, h := range hunks {
		if p.wholeClause(h) {
			continue
		}
		for i := h.a0; i < h.a1; i++ {
			if p.a.negative(i, h.a1) {
				if h.b0 < h.b1 || !p.a.negatesAddition(i, h.a1) {
					x = append(x, i)
				}
			} else if p.a.tokens[i].wordlike() {
				onlyA = append(onlyA, i)
			}
		}
		for j := h.b0; j < h.b1; j++ {
			if p.b.negative(j, h.b1) {
				if h.a0 < h.a1 || !p.b.negatesAddition(j, h.b1) {
					y = append(y, j)
				}
			} else if p.b.tokens[j].wordlike() {
				onlyB = append(onlyB, j)
			}
		}
	}
	flips := p.flips(onlyA, onlyB)
	surplus := len(x) - len(y)
	if max(surplus, -surplus) == len(flips) {
		return nil
	}
	if len(flips) == 0 && surplus+p.a.denials(onlyA)-p.b.denials(onlyB) == 0 {
		return nil // "does not contain" is "lacks"
	}
	if len(flips) == 0 {
		f := finding{hunk: hunks[0], kind: kindNegation, after: 1}
		f.a1, f.b1 = f.a0, f.b0
		if len(x) > 0 {
			f.a0, f.a1 = x[0], x[0]+1
		}
		if len(y) > 0 {
			f.b0, f.b1 = y[0], y[0]+1
		}
		return []finding{f}
	}
	var out []finding
	for _, f := range flips {
		out = append(out, finding{hunk: hunk{f[0], f[0] + 1, f[1], f[1] + 1}, kind: kindNegation, after: 1})
	}
	return out
}

// denials counts the words among the tokens at indexes that negate by what they mean.
func (s *side) denials(indexes []int) (n int) {
	for _, i := range indexes {
		if denials.Has(s.tokens[i].key) {
			n++
		}
	}
	return n
}

// negative reports whether token i negates. "Not only" does not, when it stands in the hunk as a whole: it ends at end.
func (s *side) negative(i, end int) bool {
	return s.tokens[i].negative && !(s.tokens[i].key == "not" && i+1 < end && focus.Has(s.tokens[i+1].key))
}

var focus = text.NewSet("only just merely simply")

// wholeClause reports whether a hunk adds or removes whole clauses: what is negated in them was not said on the other side.
func (p *pair) wholeClause(h hunk) bool {
	s, from, to := &p.a, h.a0, h.a1
	if from == to {
		s, from, to = &p.b, h.b0, h.b1
	} else if h.b0 != h.b1 {
		return false
	}
	return s.tokens[from].gap > gapNone && (to == len(s.tokens) || s.tokens[to].gap > gapNone)
}

// minScope is how many words with a meaning of their own a negation must have in the clause that one side adds, to negate no more.
const minScope = 3

// negatesAddition reports whether token i negates only what was added together with it, in a hunk that ends at end: words enough follow in one
// clause, and the clause ends before the texts go on together.
func (s *side) negatesAddition(i, end int) bool {
	n := 0
	for i++; i < end && s.tokens[i].gap == gapNone; i++ {
		if !functionWords.Has(s.tokens[i].key) {
			n++
		}
	}
	return n >= minScope && (i < end || i == len(s.tokens) || s.tokens[i].gap > gapNone)
}

// flips pairs the tokens of one side with their opposites on the other, the first maxFacts of each.
func (p *pair) flips(x, y []int) (out [][2]int) {
	x, y = x[:min(len(x), maxFacts)], slices.Clone(y[:min(len(y), maxFacts)])
	for _, i := range x {
		key := p.a.tokens[i].key
		if slices.ContainsFunc(y, func(j int) bool { return p.a.keys[i] == p.b.keys[j] }) {
			continue // moved
		}
		opposite := opposites()[key]
		contrary := func(j int) bool {
			other := p.b.tokens[j].key
			return slices.Contains(opposite, other) || negates(key, other)
		}
		if at := slices.IndexFunc(y, contrary); at >= 0 {
			out = append(out, [2]int{i, y[at]})
			y = slices.Delete(y, at, at+1)
		}
	}
	return out
}

// contrary reports whether one word states the contrary of the other.
func contrary(x, y string) bool { return slices.Contains(opposites()[x], y) || negates(x, y) }
