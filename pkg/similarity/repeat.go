package similarity

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// repeatedLines returns the offsets at which text goes on after each first line that only repeats how the rest begins: a summary that is
// the beginning of the details says nothing of its own, and may be cut off in the middle of a number.
func repeatedLines(text string) (offsets []int) {
	for offset := 0; ; {
		lead, rest, ok := strings.Cut(text[offset:], "\n")
		if !ok || !begins(rest, lead) {
			return offsets
		}
		offset = len(text) - len(rest)
		offsets = append(offsets, offset)
	}
}

// begins reports whether text begins with lead, white space and a trailing ellipsis of the lead aside.
func begins(text, lead string) bool {
	lead = strings.TrimRightFunc(lead, unicode.IsSpace)
	lead = strings.TrimSuffix(strings.TrimSuffix(lead, "..."), "…")
	for {
		n := 0 // that are the same, and certainly no white space
		for n < min(len(lead), len(text)) && lead[n] == text[n] && ' ' < lead[n] && lead[n] < utf8.RuneSelf {
			n++
		}
		lead, text = lead[n:], text[n:]
		lead = strings.TrimLeftFunc(lead, unicode.IsSpace)
		if lead == "" {
			return true
		}
		text = strings.TrimLeftFunc(text, unicode.IsSpace)
		r, n := utf8.DecodeRuneInString(lead)
		q, m := utf8.DecodeRuneInString(text)
		if r != q || n != m {
			return false
		}
		lead, text = lead[n:], text[m:]
	}
}
