package similarity

import (
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/memoryd/memoryd/pkg/text"
)

// document is a text as it is compared: its tokens, and what can be said of them without the other text.
type document struct {
	text    string
	tokens  []token
	keys    []uint64 // hashes of the tokens' keys
	repeats []int    // where the text begins once its first, second, … line is dropped as a mere repetition: indexes of tokens
}

// newDocument reads a text, in time linear in its length.
func newDocument(body string) *document {
	body = norm.NFC.String(body)
	offsets := repeatedLines(body)
	d := &document{text: body, tokens: tokenize(body, offsets)}
	d.keys = make([]uint64, len(d.tokens))
	for i := range d.tokens {
		d.keys[i] = d.tokens[i].hash
	}
	at := 0
	for _, offset := range offsets {
		for at < len(d.tokens) && d.tokens[at].start < offset {
			at++
		}
		d.repeats = append(d.repeats, at)
	}
	return d
}

// side is one of the two texts that are compared, from where the comparison begins.
type side struct {
	*document
	tokens []token
	keys   []uint64
}

// counts reports whether a number counts the items of a list that has lost its lines: "1. Restart 2. Wait". There are two of them or more.
func (s *side) counts(t *token) bool {
	if !s.marks(t) {
		return false
	}
	n := 0
	for i := range s.tokens {
		if s.marks(&s.tokens[i]) {
			n++
		}
	}
	return n > 1
}

func (s *side) marks(t *token) bool {
	behind := s.text[t.end:]
	return t.kind == kindNumber && t.gap == gapSentence && len(t.key) < 3 && (strings.HasPrefix(behind, ". ") || strings.HasPrefix(behind, ") "))
}

// words lists the keys of tokens[from:to].
func (s *side) words(from, to int) []string {
	out := make([]string, 0, to-from)
	for _, t := range s.tokens[from:to] {
		out = append(out, t.key)
	}
	return out
}

// name reports whether a token is a name by its capital: no sentence begins with it.
func (s *side) name(i int) bool {
	return s.tokens[i].capital && s.tokens[i].gap != gapSentence && !text.English.IsStopWord(s.tokens[i].key)
}

// pair is two texts that are compared.
type pair struct {
	a, b     side
	lang     text.Language // of both; Unknown if they differ, or nobody knows
	generous bool          // both wordings stay, whatever is decided
}

// newPair leaves out the leading lines that only repeat, in both texts, how the rest begins.
func newPair(a, b *document) pair {
	n := min(len(a.repeats), len(b.repeats))
	from := func(d *document) side {
		if n == 0 {
			return side{d, d.tokens, d.keys}
		}
		at := d.repeats[n-1]
		return side{d, d.tokens[at:], d.keys[at:]}
	}
	return pair{a: from(a), b: from(b)}
}

// language tells the language of the two texts, by the beginning of the longer one.
func (p *pair) language() text.Language {
	body := p.a.text
	if len(p.b.text) > len(body) {
		body = p.b.text
	}
	return text.LanguageOf(body[:min(len(body), enough)])
}

// enough is how many bytes tell the language of a text.
const enough = 640
