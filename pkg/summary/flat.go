package summary

import (
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/memoryd/memoryd/pkg/text"
)

// Flat returns the sentences of text that say most of it, in the order of the text
// and without sections, in at most maxWords words. The title, if there is one,
// helps to rank and is not quoted. Relative dates get the absolute one next to them
// unless ref is zero. The ranking is that of [Summarise]; key terms are not counted.
//
// A word is the text between blanks. Of scripts without blanks, each two
// characters count as a word, and of anything else that runs on, each forty.
//
// Sentences of less than six words, and windows into sentences too long to quote,
// are taken only where whole ones leave more than half of the room. If none fits,
// the one that says most is cut at the limit and marked with "…". The result is
// empty only if text has no [Sentences], or maxWords isn't positive.
func Flat(text, title string, maxWords int, ref time.Time) string {
	return prepare(text, title, 0, ref).flat(maxWords)
}

func (p *plan) flat(maxWords int) string {
	s := p.selection(maxWords, markWords)
	var rounds, fillers, others []candidate
	longest, most := -1, 0.0
	for i, q := range p.quotes {
		if q.text == "" || q.eligibility == excluded {
			continue
		}
		c := p.candidate(i, countWords(q.text))
		switch {
		case s.price(c) > maxWords:
			if gain := s.gain(c); gain > most {
				longest, most = i, gain
			}
		case q.eligibility == routine:
			rounds = append(rounds, c)
		case q.eligibility == alike:
			others = append(others, p.endsFirst(c))
		case q.eligibility == filler, p.sentences[i].cut:
			fillers = append(fillers, c)
		default:
			s.candidates = append(s.candidates, c)
		}
	}
	s.fill()
	s.candidates = append(s.candidates, rounds...)
	s.fill()
	if 2*s.budget > maxWords {
		s.candidates = append(s.candidates, fillers...)
		s.fill()
	}
	s.fillHalf(others, maxWords)
	if len(s.chosen) == 0 {
		return p.clipped(longest, maxWords)
	}
	chosen := s.sentences()
	marks := p.marks(chosen)
	var list []string
	for _, i := range chosen {
		if list = append(list, p.quotes[i].text); marks[i] != "" {
			list = append(list, marks[i])
		}
	}
	return joinSentences(list)
}

// clipped is the start of sentence i, or of the first one if i is none.
func (p *plan) clipped(i, maxWords int) string {
	switch {
	case i >= 0:
		return clip(p.quotes[i].text, maxWords)
	case len(p.sentences) > 0:
		return clip(p.text[p.sentences[0].start:p.sentences[0].end], maxWords)
	}
	return ""
}

// sentences are the indexes of the chosen sentences, in the order of the text.
func (s *selection) sentences() []int {
	chosen := make([]int, len(s.chosen))
	for i, c := range s.chosen {
		chosen[i] = s.candidates[c].index
	}
	slices.Sort(chosen)
	return chosen
}

// wordCount counts words rune by rune, as [Flat] defines them.
type wordCount struct {
	done            int // words of the runs that have ended
	runes, unspaced int // of the run that hasn't
}

func (w *wordCount) add(r rune) {
	switch {
	case unicode.IsSpace(r):
		*w = wordCount{done: w.total()}
		return
	case text.IsUnspaced(r):
		w.unspaced++
	}
	w.runes++
}

func (w *wordCount) total() int {
	const widest = 40 // runes of a word
	return w.done + max((w.unspaced+1)/2, (w.runes+widest-1)/widest)
}

func countWords(text string) int {
	var w wordCount
	for _, r := range text {
		w.add(r)
	}
	return w.total()
}

// clip cuts text after maxWords words, at a blank where there is one, and marks the
// cut with "…".
func clip(text string, maxWords int) string {
	var w wordCount
	end, blank := 0, 0
	for end < len(text) {
		r, size := utf8.DecodeRuneInString(text[end:])
		if unicode.IsSpace(r) {
			blank = end
		}
		w.add(r)
		marked := w
		if marked.add('…'); marked.total() > maxWords {
			break
		}
		end += size
	}
	if end == len(text) || countWords(text) <= maxWords {
		return text
	}
	if blank > 0 && !unicode.IsSpace(firstRune(text[end:])) {
		end = blank
	}
	if cut := strings.TrimRightFunc(text[:end], unicode.IsSpace); cut != "" {
		return cut + "…"
	}
	return ""
}

func firstRune(s string) rune {
	r, _ := utf8.DecodeRuneInString(s)
	return r
}
