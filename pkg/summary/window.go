package summary

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	quotable = 1000 // runes: a longer sentence is not quoted whole
	window   = 200  // runes of a window into one
)

// tooLong reports whether a sentence is too long to be quoted whole.
func tooLong(text string) bool {
	return len(text) > quotable && utf8.RuneCountInString(text) > quotable
}

// windows cuts s into windows of about 200 runes that end at blanks where there
// are any.
func windows(text string, s sentence) []sentence {
	var out []sentence
	for at := s.start; at < s.end; {
		end, blank := at, 0
		for runes := 0; end < s.end && runes < window; runes++ {
			r, size := utf8.DecodeRuneInString(text[end:])
			end += size
			if unicode.IsSpace(r) && runes > window/2 {
				blank = end
			}
		}
		if end < s.end && blank > 0 {
			end = blank
		}
		w := s
		w.start, w.end = trim(text, at, end)
		w.words = min(max(w.start, s.words), w.end)
		w.cut, w.open, w.closed = true, at == s.start, end == s.end
		if w.end > w.start {
			out = append(out, w)
		}
		at = end
	}
	return out
}

// trim narrows text[start:end] to what is between its blanks.
func trim(text string, start, end int) (int, int) {
	piece := text[start:end]
	end -= len(piece) - len(strings.TrimRightFunc(piece, unicode.IsSpace))
	start += len(piece) - len(strings.TrimLeftFunc(piece, unicode.IsSpace))
	return min(start, end), end
}
