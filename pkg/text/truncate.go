package text

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Truncate returns a text of at most n characters. The last of a text that is cut is "…".
func Truncate(s string, n int) string {
	start, cut := beforeMark(s, n)
	if !cut {
		return s
	}
	return start + "…"
}

// TruncateWords is [Truncate], and cuts between words if there is a blank in the second half.
func TruncateWords(s string, n int) string {
	start, cut := beforeMark(s, n)
	if !cut {
		return s
	}
	next, _ := utf8.DecodeRuneInString(s[len(start):])
	if i := strings.LastIndexFunc(start, unicode.IsSpace); i > len(start)/2 && !unicode.IsSpace(next) {
		start = start[:i]
	}
	return strings.TrimRightFunc(start, unicode.IsSpace) + "…"
}

// beforeMark is what fits in front of "…" in n characters; cut is false where the whole text fits.
func beforeMark(s string, n int) (start string, cut bool) {
	if len(s) <= n || utf8.RuneCountInString(s) <= n {
		return s, false
	}
	at := 0
	for i := range s {
		if at == n-1 {
			return s[:i], true
		}
		at++
	}
	return "", true // n is 0 or less
}

// Plural is a word for n things: memory, or memories.
func Plural(n int, word string) string {
	switch {
	case n == 1:
		return word
	case strings.HasSuffix(word, "y") && !strings.HasSuffix(word, "ay"):
		return strings.TrimSuffix(word, "y") + "ies"
	case strings.HasSuffix(word, "ex"):
		return word + "es"
	}
	return word + "s"
}
