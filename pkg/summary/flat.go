package summary

import (
	"slices"
	"strings"
	"time"
	"unicode"
)

// Flat returns the sentences of text that say most of it, in the order of the text
// and without sections, in at most maxWords words. The title, if there is one,
// helps to rank but is not quoted. Relative dates get the absolute one beside them
// unless ref is zero.
//
// A word is what stands between blanks; in scripts without blanks, each two
// characters count as one. The result is empty if there is nothing to quote in
// maxWords words.
func Flat(text, title string, maxWords int, ref time.Time) string {
	p := prepare(text, len(text), ref)
	s := &selection{weights: p.weights, covered: make([]bool, len(p.weights)), budget: maxWords, exponent: costExponent}
	for i, q := range p.quotes {
		if words := countWords(q.text); q.text != "" && words <= maxWords && !q.signpost && !p.sentences[i].cut {
			s.candidates = append(s.candidates, candidate{i, words, p.covers[i], q.prior})
		}
	}
	s.fill()
	chosen := make([]int, len(s.chosen))
	for i, c := range s.chosen {
		chosen[i] = s.candidates[c].index
	}
	slices.Sort(chosen)
	var list []string
	for _, i := range chosen {
		list = append(list, p.quotes[i].text)
	}
	return joinSentences(list)
}

// countWords counts the words of text as [Flat] does.
func countWords(text string) int {
	n := 0
	for _, field := range strings.FieldsFunc(text, unicode.IsSpace) {
		unspaced := 0
		if !isASCII(field) {
			for _, r := range field {
				if isUnspaced(r) {
					unspaced++
				}
			}
		}
		n += max(1, (unspaced+1)/2)
	}
	return n
}

