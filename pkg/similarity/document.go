package similarity

import "strings"

// document is a text as it is compared: its tokens, and what can be said of them without the other text.
type document struct {
	text    string
	tokens  []token
	keys    []uint64 // hashes of the tokens' keys
	numbers []int    // the tokens of this kind
	repeats []int    // where the text begins once its first, second, … line is dropped as a mere repetition: indexes of tokens
	titled  bool     // practically all words but function words have a capital, as in headlines

	capitals map[uint64]capitals // of words, by the hash of their key; made when it is first asked for
}

// newDocument reads a text, in time linear in its length.
func newDocument(body string) *document {
	offsets := repeatedLines(body)
	tokens := tokenize(body, offsets)
	d := &document{text: body, tokens: tokens, keys: make([]uint64, 0, len(tokens))}
	words, capitals := 0, 0
	for i := range tokens {
		t := &tokens[i]
		d.keys = append(d.keys, t.hash)
		if t.kind == kindNumber {
			d.numbers = append(d.numbers, i)
		} else if t.kind == kindWord && t.gap != gapSentence && t.lists&isFunction == 0 {
			words++
			if t.capital {
				capitals++
			}
		}
	}
	d.titled = words >= 5 && 10*capitals > 9*words
	at := 0
	for _, offset := range offsets {
		for at < len(tokens) && tokens[at].start < offset {
			at++
		}
		d.repeats = append(d.repeats, at)
	}
	d.markEnumeration()
	return d
}

// capitals is how a word is written in a text, all occurrences together.
type capitals struct {
	proper bool // with a capital that only a name explains
	lower  bool // without a capital
}

// capitalsOf is how the word with a key is written in the text.
func (d *document) capitalsOf(key uint64) capitals {
	if d.capitals == nil {
		d.capitals = map[uint64]capitals{}
		for i := range d.tokens {
			t := &d.tokens[i]
			if t.kind != kindWord {
				continue
			}
			c := d.capitals[t.hash]
			c.lower = c.lower || !t.capital
			c.proper = c.proper || t.capital && !d.titled && t.lists&isFunction == 0 && (t.gap != gapSentence || subject(d.tokens, i))
			d.capitals[t.hash] = c
		}
	}
	return d.capitals[key]
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
	from := func(d *document, n int) side {
		if n == 0 {
			return side{d, d.tokens, d.keys}
		}
		at := d.repeats[n-1]
		return side{d, d.tokens[at:], d.keys[at:]}
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
	a, b := p.a.capitalsOf(s.keys[i]), p.b.capitalsOf(s.keys[i])
	if (a.proper || b.proper) && (t.capitals || !a.lower && !b.lower) {
		return kindName
	}
	return kindWord
}

// markEnumeration marks the numbers that count the items of a list within a line. They count up, three of them or two that begin
// sentences, or three are all the same, as Markdown permits. A repeated line is not counted with what it repeats.
func (d *document) markEnumeration() {
	var run []int
	step := 0
	end := func() {
		begins := func(i int) bool { return d.tokens[i].gap == gapSentence }
		if len(run) >= 3 || len(run) == 2 && step == 1 && begins(run[0]) && begins(run[1]) {
			for _, i := range run {
				d.tokens[i].itemNumber = true
			}
		}
		run = run[:0]
	}
	repeats := d.repeats
	for _, i := range d.numbers {
		for len(repeats) > 0 && repeats[0] <= i {
			end()
			repeats = repeats[1:]
		}
		if !d.marker(i) {
			continue
		}
		if n := len(run); n > 0 {
			by := atoi(d.tokens[i].num) - atoi(d.tokens[run[n-1]].num)
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
func (d *document) marker(i int) bool {
	t := &d.tokens[i]
	if t.unit != "" || len(t.num) > 3 || !t.digits() || i+1 == len(d.tokens) {
		return false
	}
	behind := d.text[t.end:]
	return (d.tokens[i+1].capital || t.gap == gapSentence) && (strings.HasPrefix(behind, ". ") || strings.HasPrefix(behind, ") "))
}
