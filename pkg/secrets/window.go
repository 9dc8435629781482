package secrets

import (
	"cmp"
	"slices"
	"strings"

	"github.com/memoryd/memoryd/pkg/internal/lazyregexp"
)

// longText is how long a text is of which only what is near a keyword is searched, in bytes. A pattern takes a time that grows with the text,
// and the longer a text is, the more keywords stand in it.
const longText = 4 << 10

// window is a part of a text.
type window struct{ from, to int }

// near finds what matches a pattern of which every match holds one of some words, and begins and ends within reach of it: it searches the
// windows around these words, or all of a text that is short, or in which a match ends where a window does.
func (s *subject) near(p *lazyregexp.Regexp, words []string, folded bool, reach int) [][]int {
	if len(s.text) > longText {
		if around, ok := s.around(words, folded, reach); ok {
			if found, whole := matchesIn(p, s.text, around); whole {
				return found
			}
		}
	}
	return p.FindAllStringSubmatchIndex(s.text, -1)
}

// around are the windows around some words, in their order and apart; it is not ok where they are most of the text, or not known.
func (s *subject) around(words []string, folded bool, reach int) (all []window, ok bool) {
	text := s.text
	if folded {
		if text = s.folded(); len(text) != len(s.text) { // places are others there
			return nil, false
		}
	}
	for _, w := range words {
		if !s.holds(w, folded) {
			continue
		}
		for at := 0; ; {
			i := strings.Index(text[at:], w)
			if i < 0 {
				break
			}
			from, to := max(0, at+i-reach), min(len(text), at+i+len(w)+reach)
			if last := len(all) - 1; last >= 0 && from <= all[last].to && from >= all[last].from {
				all[last].to = max(all[last].to, to)
			} else {
				all = append(all, window{from, to})
			}
			at += i + len(w)
		}
	}
	slices.SortFunc(all, func(a, b window) int { return cmp.Compare(a.from, b.from) })
	apart, size := all[:0], 0
	for _, w := range all {
		if last := len(apart) - 1; last >= 0 && w.from <= apart[last].to {
			apart[last].to = max(apart[last].to, w.to)
			continue
		}
		apart = append(apart, w)
	}
	for _, w := range apart {
		size += w.to - w.from
	}
	return apart, size < len(text)*3/4
}

// matchesIn are the matches in some windows of a text. They are not whole where one begins or ends with a window and not with the text: more of
// it may stand outside.
func matchesIn(p *lazyregexp.Regexp, text string, windows []window) (found [][]int, whole bool) {
	for _, w := range windows {
		for _, m := range p.FindAllStringSubmatchIndex(text[w.from:w.to], -1) {
			for i := range m {
				if m[i] >= 0 {
					m[i] += w.from
				}
			}
			if m[0] == w.from && w.from > 0 || m[1] == w.to && w.to < len(text) {
				return nil, false
			}
			found = append(found, m)
		}
	}
	return found, true
}
