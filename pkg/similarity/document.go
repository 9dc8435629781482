package similarity

import (
	"slices"
	"strings"
)

// document is a text as it is compared: its tokens, and what can be said of them without the other text.
type document struct {
	text    string
	tokens  []token
	keys    []uint64 // hashes of the tokens' keys
	numbers []int    // the tokens of this kind
	repeats []int    // where the text begins once its first, second, … line is dropped as a mere repetition: indexes of tokens
	titled  bool     // practically all words but function words have a capital, as in headlines

	asked  int      // how often asName was
	lower  []uint64 // keys of words that stand somewhere without a capital; see asName
	proper []uint64 // keys of words that stand somewhere with a capital that only a name explains
}

// newDocument reads a text, in time linear in its length.
func newDocument(body string) *document {
	offsets := repeatedLines(body)
	tokens := tokenize(body, offsets)
	r := &document{text: body, tokens: tokens, keys: make([]uint64, 0, len(tokens))}
	words, capitals := 0, 0
	for i := range tokens {
		t := &tokens[i]
		r.keys = append(r.keys, t.hash)
		if t.kind == kindNumber {
			r.numbers = append(r.numbers, i)
		} else if t.kind == kindWord && t.gap != gapSentence && t.lists&isFunction == 0 {
			words++
			if t.capital {
				capitals++
			}
		}
	}
	r.titled = words >= 5 && 10*capitals > 9*words
	at := 0
	for _, offset := range offsets {
		for at < len(tokens) && tokens[at].start < offset {
			at++
		}
		r.repeats = append(r.repeats, at)
	}
	r.markEnumeration()
	return r
}

// asName reports whether a word stands in the text with a capital that only a name explains, and whether it stands there without one.
// Most texts are asked for a few words at most.
func (r *document) asName(key uint64) (proper, lower bool) {
	const few = 16
	if r.asked++; r.asked <= few {
		for i, k := range r.keys {
			if k == key {
				p, l := r.written(i)
				proper, lower = proper || p, lower || l
			}
		}
		return proper, lower
	}
	if r.asked == few+1 {
		for i, k := range r.keys {
			switch p, l := r.written(i); {
			case p:
				r.proper = append(r.proper, k)
			case l:
				r.lower = append(r.lower, k)
			}
		}
		slices.Sort(r.lower)
		slices.Sort(r.proper)
	}
	return has(r.proper, key), has(r.lower, key)
}

// written reports whether token i is a word with a capital that only a name explains, or one without a capital.
func (r *document) written(i int) (proper, lower bool) {
	t := &r.tokens[i]
	switch {
	case t.kind != kindWord:
		return false, false
	case !t.capital:
		return false, true
	}
	return !r.titled && t.lists&isFunction == 0 && (t.gap != gapSentence || subject(r.tokens, i)), false
}

func has(set []uint64, key uint64) bool {
	_, ok := slices.BinarySearch(set, key)
	return ok
}

// side is one of the two texts that are compared, from where the comparison begins.
type side struct {
	*document
	tokens []token
	keys   []uint64
}

// pair is two texts that are compared.
type pair struct{ a, b side }

// newPair leaves out the leading lines that only repeat, in both texts, how the rest begins.
func newPair(a, b *document) pair {
	from := func(r *document, n int) side {
		if n == 0 {
			return side{r, r.tokens, r.keys}
		}
		at := r.repeats[n-1]
		return side{r, r.tokens[at:], r.keys[at:]}
	}
	n := min(len(a.repeats), len(b.repeats))
	return pair{from(a, n), from(b, n)}
}

// kind is the kind of token i of a side: a word is a name when it has a capital for no other reason, somewhere in the two texts,
// and stands nowhere in them without, unless it is all capitals: DNS.
func (p *pair) kind(s *side, i int) kind {
	t := &s.tokens[i]
	if t.kind != kindWord || !t.capital {
		return t.kind
	}
	properA, lowerA := p.a.asName(s.keys[i])
	properB, lowerB := p.b.asName(s.keys[i])
	if (properA || properB) && (t.capitals || !lowerA && !lowerB) {
		return kindName
	}
	return kindWord
}

// markEnumeration marks the numbers that count the items of a list within a line. They count up, three of them or two that begin
// sentences, or three are all the same, as Markdown permits. A repeated line is not counted with what it repeats.
func (r *document) markEnumeration() {
	var run []int
	step := 0
	end := func() {
		begins := func(i int) bool { return r.tokens[i].gap == gapSentence }
		if len(run) >= 3 || len(run) == 2 && step == 1 && begins(run[0]) && begins(run[1]) {
			for _, i := range run {
				r.tokens[i].counts = true
			}
		}
		run = run[:0]
	}
	repeats := r.repeats
	for _, i := range r.numbers {
		for len(repeats) > 0 && repeats[0] <= i {
			end()
			repeats = repeats[1:]
		}
		if !r.marker(i) {
			continue
		}
		if n := len(run); n > 0 {
			by := atoi(r.tokens[i].num) - atoi(r.tokens[run[n-1]].num)
			if by != 0 && by != 1 || n > 1 && by != step {
				end()
			}
			step = by
		}
		run = append(run, i)
	}
	end()
}

// marker reports whether token i, a number, has the form of a list item's number: 1. Restart, 2) Wait.
func (r *document) marker(i int) bool {
	t := &r.tokens[i]
	if t.unit != "" || len(t.num) > 3 || !t.digits() || i+1 == len(r.tokens) {
		return false
	}
	behind := r.text[t.end:]
	return (r.tokens[i+1].capital || t.gap == gapSentence) && (strings.HasPrefix(behind, ". ") || strings.HasPrefix(behind, ") "))
}
