package similarity

import (
	"slices"
	"strings"
)

// reading is a text as the guard reads it: its tokens, and what can be said of them without the other text.
type reading struct {
	text   string
	tokens []token
	keys   []uint64 // hashes of the tokens' keys
	leads  []int    // where the text begins once its first, second, … line is dropped as a mere lead: indexes of tokens
	lower  []uint64 // keys of words that stand somewhere without a capital, ascending
	proper []uint64 // keys of words that stand somewhere with a capital that only a name explains, ascending
}

func readText(text string) *reading {
	offsets := leads(text)
	r := &reading{text: text, tokens: lex(text, offsets...)}
	markEnumeration(text, r.tokens)
	r.keys = make([]uint64, len(r.tokens))
	capitalised := capitalised(r.tokens)
	for i := range r.tokens {
		t := &r.tokens[i]
		r.keys[i] = hashWord(t.key)
		switch {
		case t.kind != kindWord:
		case !t.capital:
			r.lower = append(r.lower, r.keys[i])
		case !capitalised && !functionWords[t.key] && (t.gap != gapSentence || subject(r.tokens, i)):
			r.proper = append(r.proper, r.keys[i])
		}
	}
	for _, set := range []*[]uint64{&r.lower, &r.proper} {
		slices.Sort(*set)
		*set = slices.Clip(slices.Compact(*set))
	}
	at := 0
	for _, offset := range offsets {
		for at < len(r.tokens) && r.tokens[at].start < offset {
			at++
		}
		r.leads = append(r.leads, at)
	}
	return r
}

func has(set []uint64, key uint64) bool {
	_, ok := slices.BinarySearch(set, key)
	return ok
}

// side is one of the two texts that are compared, from where the comparison begins.
type side struct {
	*reading
	tokens []token
	keys   []uint64
}

// pair is two texts that are compared.
type pair struct{ a, b side }

// newPair leaves out the leading lines that only repeat, in both texts, how the rest begins.
func newPair(a, b *reading) pair {
	from := func(r *reading, n int) side {
		if n == 0 {
			return side{r, r.tokens, r.keys}
		}
		at := r.leads[n-1]
		return side{r, r.tokens[at:], r.keys[at:]}
	}
	n := min(len(a.leads), len(b.leads))
	return pair{from(a, n), from(b, n)}
}

// kind is the kind of token i of a side: a word is a name when it has a capital for no other reason, somewhere in the two texts,
// and stands nowhere in them without.
func (p *pair) kind(s *side, i int) string {
	t := &s.tokens[i]
	if t.kind != kindWord || !t.capital {
		return t.kind
	}
	if k := s.keys[i]; (has(p.a.proper, k) || has(p.b.proper, k)) && !has(p.a.lower, k) && !has(p.b.lower, k) {
		return kindName
	}
	return kindWord
}

// markEnumeration marks the numbers that count the items of a list within a line: they stand before a full stop or bracket and a
// capital or small word that goes on, and either count up or, as Markdown permits, are all the same. Two in a row are enough where both
// begin a sentence, else it takes three.
func markEnumeration(text string, tokens []token) {
	var run []int
	step := 0
	end := func() {
		begin := func(i int) bool { return tokens[i].gap == gapSentence }
		if len(run) >= 3 || len(run) == 2 && begin(run[0]) && begin(run[1]) {
			for _, i := range run {
				tokens[i].counts = true
			}
		}
		run = run[:0]
	}
	for i := range tokens {
		if !marker(text, tokens, i) {
			continue
		}
		if n := len(run); n > 0 {
			by := atoi(tokens[i].num) - atoi(tokens[run[n-1]].num)
			if by != 0 && by != 1 || n > 1 && by != step {
				end()
			}
			step = by
		}
		run = append(run, i)
	}
	end()
}

// marker reports whether token i has the form of a list item's number: 1. Restart, 2) wait. Where a sentence may end, a capital behind the
// full stop says nothing; that others like it count on does.
func marker(text string, tokens []token, i int) bool {
	t := &tokens[i]
	if t.kind != kindNumber || t.unit != "" || len(t.num) > 3 || !t.digits() || i+1 == len(tokens) {
		return false
	}
	return (tokens[i+1].capital || t.gap == gapSentence) && (strings.HasPrefix(text[t.end:], ". ") || strings.HasPrefix(text[t.end:], ") "))
}
