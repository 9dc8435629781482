package supersession

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/memoryd/memoryd/pkg/similarity"
	"github.com/memoryd/memoryd/pkg/text"
)

// hunk is a place where two sentences differ: a[a0:a1] stands where b[b0:b1] does.
type hunk struct{ a0, a1, b0, b1 int }

// align returns the hunks between two sentences, from a longest common
// subsequence of their words. Sentences are at most maxSentence words long.
func align(a, b []word) []hunk {
	head := 0
	for head < len(a) && head < len(b) && a[head].key == b[head].key {
		head++
	}
	tail := 0
	for tail < len(a)-head && tail < len(b)-head && a[len(a)-1-tail].key == b[len(b)-1-tail].key {
		tail++
	}
	x, y := a[head:len(a)-tail], b[head:len(b)-tail]
	if len(x) == 0 && len(y) == 0 {
		return nil
	}
	// length[i][j] is the longest common subsequence of x[i:] and y[j:].
	width := len(y) + 1
	length := make([]uint8, (len(x)+1)*width)
	for i := len(x) - 1; i >= 0; i-- {
		for j := len(y) - 1; j >= 0; j-- {
			if x[i].key == y[j].key {
				length[i*width+j] = length[(i+1)*width+j+1] + 1
			} else {
				length[i*width+j] = max(length[(i+1)*width+j], length[i*width+j+1])
			}
		}
	}
	var out []hunk
	h := hunk{head, head, head, head}
	flush := func(i, j int) {
		h.a1, h.b1 = head+i, head+j
		if h.a1 > h.a0 || h.b1 > h.b0 {
			out = append(out, h)
		}
	}
	i, j := 0, 0
	for i < len(x) && j < len(y) {
		switch {
		case x[i].key == y[j].key:
			flush(i, j)
			i, j = i+1, j+1
			h = hunk{head + i, 0, head + j, 0}
		case length[(i+1)*width+j] >= length[i*width+j+1]:
			i++
		default:
			j++
		}
	}
	flush(len(x), len(y))
	return out
}

// cosmetic reports whether a hunk changes how something is written and not what
// it says: function words, spelling and inflexion, another form of the same fact.
func cosmetic(a, b *sentence, h hunk) bool {
	x, y := a.words[h.a0:h.a1], b.words[h.b0:h.b1]
	cx, cy := plain(x), plain(y)
	if len(cx) == 0 && len(cy) == 0 {
		return true
	}
	if strings.Join(cx, "") == strings.Join(cy, "") {
		return true
	}
	if hasDigit(x) && hasDigit(y) {
		return sameFacts(excerpt(a.text, x), excerpt(b.text, y), x, y)
	}
	if len(x) != 1 || len(y) != 1 || x[0].digit || y[0].digit {
		return false
	}
	if x[0].capital && y[0].capital && utf8.ValidString(x[0].key) && utf8.ValidString(y[0].key) &&
		!strings.ContainsRune(x[0].key+y[0].key, utf8.RuneError) {
		return false // names of one letter's difference are two names
	}
	return near(x[0].key, y[0].key)
}

// plain lists the words of a hunk that say something.
func plain(ws []word) (out []string) {
	for _, w := range ws {
		if !isFunctionWord(w.key) && !present.Has(w.key) {
			out = append(out, w.key)
		}
	}
	return out
}

func hasDigit(ws []word) bool { return slices.ContainsFunc(ws, func(w word) bool { return w.digit }) }

// hasFigure reports whether there is a number, in digits or in English words.
func hasFigure(ws []word) bool {
	return slices.ContainsFunc(ws, func(w word) bool { return w.digit || text.English.Has("number", w.key) && !isFunctionWord(w.key) })
}

// sameFacts reports whether two pieces of text with figures state the same, such as
// a date written in two ways.
func sameFacts(a, b string, x, y []word) bool {
	return hasDigit(x) && hasDigit(y) && len(similarity.Differences(a, b)) == 0
}

// near reports whether two words are spellings or forms of one: a letter differs,
// or an ending of up to three letters.
func near(a, b string) bool {
	x, y := []rune(a), []rune(b)
	if len(x) > 40 || len(y) > 40 {
		return false
	}
	if a+"s" == b || b+"s" == a || min(len(x), len(y)) >= 4 && distance(x, y) <= 1 {
		return true
	}
	n := 0
	for n < min(len(x), len(y)) && x[n] == y[n] {
		n++
	}
	return n >= 4 && n >= len(x)-3 && n >= len(y)-3
}

// distance is the Levenshtein distance.
func distance(a, b []rune) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i, r := range a {
		diagonal := row[0]
		row[0] = i + 1
		for j, q := range b {
			cost := diagonal
			if r != q {
				cost = 1 + min(diagonal, row[j], row[j+1])
			}
			diagonal, row[j+1] = row[j+1], cost
		}
	}
	return row[len(b)]
}
