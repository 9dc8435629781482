package text

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// SentenceEnds returns the byte offsets at which the sentences of a paragraph end;
// the last one is the paragraph's length. Nothing ends before byte from. With
// informal, a sentence may begin in lower case (see [Informal]).
//
// A sentence ends at . ! ? or … before white space and what looks like a beginning, and
// at 。！？ and their kin anywhere. It doesn't end inside a code span or brackets, after
// an abbreviation or an initial, or within a number or version. Thai and Lao have no marks:
// there a space ends a clause of at least twenty characters.
func SentenceEnds(s string, from int, informal bool) []int {
	var ends []int
	inside := 0   // no sentence ends before this byte: a bracket closes there
	spans := true // a run of backticks may open a code span
	for i := from; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == '`':
			ticks := s[i : len(s)-len(strings.TrimLeft(s[i:], "`"))]
			i += len(ticks)
			if !spans {
				continue
			}
			if end := strings.Index(s[i:], ticks); end >= 0 {
				i += end + len(ticks)
			} else {
				spans = false // it never closes: what follows is text
			}
			continue
		case r == '(', r == '[', r == '（':
			inside = max(inside, i+closing(s[i:], r))
		case r == ' ' && i >= inside && endsClause(s, i):
			if start := lastEnd(ends, from); i-start >= clause {
				ends = append(ends, i)
			}
		case isWideEnd(r):
			i = closers(s, i+size)
			if i >= inside {
				ends = append(ends, i)
			}
			continue
		case isEnd(r) && i >= inside:
			stop := i + size
			for stop < len(s) && isEnd(rune(s[stop])) {
				stop++
			}
			after := closers(s, stop)
			if endsHere(s, i, stop, after, informal) {
				ends = append(ends, after)
			}
			i = after
			continue
		}
		i += size
	}
	if len(ends) == 0 || ends[len(ends)-1] < len(s) {
		ends = append(ends, len(s))
	}
	return ends
}

// clause is the least length in bytes of what a blank ends in Thai or Lao, twenty
// characters.
const clause = 60

// endsClause reports whether the blank at byte i stands between words of Thai or
// Lao, where it ends a clause or sentence: there are no other marks.
func endsClause(s string, i int) bool {
	before, _ := utf8.DecodeLastRuneInString(s[:i])
	return IsThaiOrLao(before) && IsThaiOrLao(firstRune(s[i+1:]))
}

// IsSentenceEnd reports whether r is a mark that ends a sentence.
func IsSentenceEnd(r rune) bool { return isEnd(r) || isWideEnd(r) }

// IsThaiOrLao reports the letters of Thai and Lao, whose sentences end without marks.
func IsThaiOrLao(r rune) bool { return r >= 0x0e00 && r <= 0x0eff }

func lastEnd(ends []int, from int) int {
	if len(ends) == 0 {
		return from
	}
	return ends[len(ends)-1]
}

// isEnd reports the marks that end a sentence before white space.
func isEnd(r rune) bool { return r == '.' || r == '!' || r == '?' || r == '…' }

// isWideEnd knows the marks that end a sentence with or without a blank after
// them, in East and South Asian, Arabic and Ethiopic writing.
func isWideEnd(r rune) bool {
	return r > 0x7f && strings.ContainsRune("。！？｡।॥؟۔።។", r)
}

// closers steps over quotation marks, brackets and emphasis that close after the
// end of a sentence.
func closers(s string, i int) int {
	for i < len(s) {
		r, size := utf8.DecodeRuneInString(s[i:])
		if !strings.ContainsRune("\"'’”»」』）)]*_", r) {
			break
		}
		i += size
	}
	return i
}

// closing is the distance from the bracket at the start of text to the one that
// closes it, 0 if there is none soon: prose forgets to close them.
func closing(s string, open rune) int {
	const reach = 300
	mark := ")"
	switch open {
	case '[':
		mark = "]"
	case '（':
		mark = "）"
	}
	return max(0, strings.Index(s[:min(len(s), reach)], mark))
}

// endsHere decides whether the mark text[mark:stop], followed by closers up to
// after, ends a sentence.
func endsHere(s string, mark, stop, after int, lowerCase bool) bool {
	rest := strings.TrimLeftFunc(s[after:], unicode.IsSpace)
	if rest == "" {
		return true
	}
	if len(rest) == len(s)-after {
		return false // no blank: a decimal, a version, a file name
	}
	next, _ := utf8.DecodeRuneInString(strings.TrimLeft(rest, "\"'“‘«([*_—–- "))
	starts := !unicode.IsLower(next)
	if s[mark] != '.' || stop > mark+1 {
		return starts
	}
	before := s[:mark]
	word := before
	if i := strings.LastIndexFunc(before, unicode.IsSpace); i >= 0 {
		_, size := utf8.DecodeRuneInString(before[i:])
		word = before[i+size:]
	}
	word = strings.TrimLeft(word, "\"'“‘«([*_")
	letters := utf8.RuneCountInString(word)
	list := English.List
	lead := strings.TrimRightFunc(before[:len(before)-len(word)], unicode.IsSpace)
	capital := word != "" && !unicode.IsLower(firstRune(word))
	word = strings.ToLower(word)
	switch {
	case word == "":
		return starts || lowerCase // a transcript's " . "
	case list("abbreviation")[word], list("title")[word] && capital:
		return false
	case letters <= 2 && !strings.ContainsFunc(word, unicode.IsLetter) && (lead == "" || strings.HasSuffix(lead, ":")):
		return false // the 1. of an enumeration
	case letters <= 2 && isOrdinal(word, lead):
		return false
	case list("abbreviation.closing")[word]:
		return starts && opensSentence(rest)
	case list("abbreviation.number")[word]:
		return starts && !unicode.IsDigit(next)
	case letters == 1 && word != "i" && strings.ContainsFunc(word, unicode.IsLetter):
		return starts && opensSentence(rest) // an initial, or plan B
	case strings.Contains(word, ".") && letters <= 5 && !strings.ContainsFunc(word, unicode.IsDigit):
		return starts && opensSentence(rest) // U.S., a.m.
	}
	return starts || lowerCase && letters > 1
}

// opensSentence reports whether text starts with a word that commonly opens a
// sentence: after an abbreviation, a capital alone doesn't tell.
func opensSentence(s string) bool {
	end := strings.IndexFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && r != '\'' })
	if end < 0 {
		end = len(s)
	}
	return English.List("opener")[s[:end]]
}

// Informal reports whether sentences in text commonly begin in lower case.
func Informal(s string) bool {
	lower, all := 0, 0
	for i := 1; i+2 < len(s); i++ {
		if s[i] == '.' && s[i+1] == ' ' && s[i-1] >= 'a' && s[i-1] <= 'z' {
			all++
			if s[i+2] >= 'a' && s[i+2] <= 'z' {
				lower++
			}
		}
	}
	return lower >= 3 && 3*lower > all
}

func firstRune(s string) rune {
	r, _ := utf8.DecodeRuneInString(s)
	return r
}

// isOrdinal reports whether a number with a full stop is an ordinal by the word before it, as in German: "am 3. Mai".
func isOrdinal(word, lead string) bool {
	if strings.ContainsFunc(word, func(r rune) bool { return r < '0' || r > '9' }) {
		return false
	}
	return beforeOrdinal.Has(strings.ToLower(lead[strings.LastIndexFunc(lead, unicode.IsSpace)+1:]))
}

// beforeOrdinal are the words before an ordinal in German, which alone writes a capital after its full stop.
var beforeOrdinal = NewSet("am zum vom dem den der die das des im seit ab beim")
