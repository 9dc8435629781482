package similarity

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// dropLead removes the first line from both texts as long as it only repeats, in both, how the rest begins: a summary that
// is the beginning of the details says nothing of its own, and may be cut off in the middle of a number.
func dropLead(a, b string) (string, string) {
	for {
		leadA, restA, okA := strings.Cut(a, "\n")
		leadB, restB, okB := strings.Cut(b, "\n")
		if !okA || !okB || !begins(restA, leadA) || !begins(restB, leadB) {
			return a, b
		}
		a, b = restA, restB
	}
}

// begins reports whether text begins with lead, white space and a trailing ellipsis of the lead aside.
func begins(text, lead string) bool {
	lead = strings.TrimRightFunc(lead, unicode.IsSpace)
	lead = strings.TrimSuffix(strings.TrimSuffix(lead, "..."), "…")
	for {
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
