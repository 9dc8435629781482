package summary

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/memoryd/memoryd/pkg/internal/lazymap"
)

// boundaries returns the byte offsets at which the sentences of a paragraph end;
// the last one is the paragraph's length. Nothing ends before byte from. With
// lowerCase, a sentence may begin in lower case.
func boundaries(text string, from int, lowerCase bool) []int {
	var ends []int
	inside := 0   // no sentence ends before this byte: a bracket closes there
	spans := true // a run of backticks may open a code span
	for i := from; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		switch {
		case r == '`':
			ticks := text[i : len(text)-len(strings.TrimLeft(text[i:], "`"))]
			i += len(ticks)
			if !spans {
				continue
			}
			if end := strings.Index(text[i:], ticks); end >= 0 {
				i += end + len(ticks)
			} else {
				spans = false // it never closes: what follows is text
			}
			continue
		case r == '(', r == '[', r == '（':
			inside = max(inside, i+closing(text[i:], r))
		case r == ' ' && i >= inside && endsClause(text, i):
			if start := lastEnd(ends, from); i-start >= clause {
				ends = append(ends, i)
			}
		case isWideEnd(r):
			i = closers(text, i+size)
			if i >= inside {
				ends = append(ends, i)
			}
			continue
		case isEnd(r) && i >= inside:
			stop := i + size
			for stop < len(text) && isEnd(rune(text[stop])) {
				stop++
			}
			after := closers(text, stop)
			if endsHere(text, i, stop, after, lowerCase) {
				ends = append(ends, after)
			}
			i = after
			continue
		}
		i += size
	}
	if len(ends) == 0 || ends[len(ends)-1] < len(text) {
		ends = append(ends, len(text))
	}
	return ends
}

// clause is the least length in bytes of what a blank ends in Thai or Lao, twenty
// characters.
const clause = 60

// endsClause reports whether the blank at byte i stands between words of Thai or
// Lao, where it ends a clause or sentence: there are no other marks.
func endsClause(text string, i int) bool {
	before, _ := utf8.DecodeLastRuneInString(text[:i])
	return isMarkless(before) && isMarkless(nextRune(text[i+1:]))
}

func isMarkless(r rune) bool { return r >= 0x0e00 && r <= 0x0eff }

func lastEnd(ends []int, from int) int {
	if len(ends) == 0 {
		return from
	}
	return ends[len(ends)-1]
}

func isEnd(r rune) bool { return r == '.' || r == '!' || r == '?' || r == '…' }

// isWideEnd knows the marks that end a sentence with or without a blank after
// them, in East and South Asian, Arabic and Ethiopic writing.
func isWideEnd(r rune) bool {
	return r > 0x7f && strings.ContainsRune("。！？｡।॥؟۔።។", r)
}

// closers steps over quotation marks, brackets and emphasis that close after the
// end of a sentence.
func closers(text string, i int) int {
	for i < len(text) {
		r, size := utf8.DecodeRuneInString(text[i:])
		if !strings.ContainsRune("\"'’”»」』）)]*_", r) {
			break
		}
		i += size
	}
	return i
}

// closing is the distance from the bracket at the start of text to the one that
// closes it, 0 if there is none soon: prose forgets to close them.
func closing(text string, open rune) int {
	const reach = 300
	mark := ")"
	switch open {
	case '[':
		mark = "]"
	case '（':
		mark = "）"
	}
	return max(0, strings.Index(text[:min(len(text), reach)], mark))
}

// endsHere decides whether the mark text[mark:stop], followed by closers up to
// after, ends a sentence.
func endsHere(text string, mark, stop, after int, lowerCase bool) bool {
	rest := strings.TrimLeftFunc(text[after:], unicode.IsSpace)
	if rest == "" {
		return true
	}
	if len(rest) == len(text)-after {
		return false // no blank: a decimal, a version, a file name
	}
	next, _ := utf8.DecodeRuneInString(strings.TrimLeft(rest, "\"'“‘«([*_—–- "))
	starts := !unicode.IsLower(next)
	if text[mark] != '.' || stop > mark+1 {
		return starts
	}
	before := text[:mark]
	word := before
	if i := strings.LastIndexFunc(before, unicode.IsSpace); i >= 0 {
		_, size := utf8.DecodeRuneInString(before[i:])
		word = before[i+size:]
	}
	word = strings.TrimLeft(word, "\"'“‘«([*_")
	letters := utf8.RuneCountInString(word)
	lead := strings.TrimRightFunc(before[:len(before)-len(word)], unicode.IsSpace)
	capital := word != "" && !unicode.IsLower(nextRune(word))
	word = strings.ToLower(word)
	switch {
	case word == "":
		return starts || lowerCase // a transcript's " . "
	case abbreviations.Has(word), titles.Has(word) && capital:
		return false
	case letters <= 2 && !strings.ContainsFunc(word, unicode.IsLetter) && (lead == "" || strings.HasSuffix(lead, ":")):
		return false // the 1. of an enumeration
	case closedAbbreviations.Has(word):
		return starts && opensSentence(rest)
	case beforeNumber.Has(word):
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
func opensSentence(text string) bool {
	end := strings.IndexFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && r != '\'' })
	if end < 0 {
		end = len(text)
	}
	return openers.Has(text[:end])
}

var openers = lazymap.Phrases(`The, This, That, These, Those, It, In, On, At, We, He, She, They, I, You, A, An, But, And, So, If,
	When, After, Before, Then, There, No, Not, As, For, From, To, Our, Its, Their, His, Her, Once, Since, While, However,
	Some, Each, Both, All, Now, Here, What, How, Why, Who, Can, Did, Do`)

// abbreviations never end a sentence.
var abbreviations = lazymap.Phrases(`vs, e.g, i.e, eg, ie, cf, approx, resp, viz, incl, excl, ca, esp, al, ref, refs, eq, eqs, ch,
	dept, misc, z.b, d.h, u.a`)

// titles don't either, with a capital: Ms. Lee, but 120 ms.
var titles = lazymap.Phrases(`mr, mrs, ms, dr, prof, sr, st, mt, gen, col, sgt, capt, lt, rev, hon`)

// closedAbbreviations may, when what follows opens a sentence.
var closedAbbreviations = lazymap.Phrases(`etc, est, min, max, sec, inc, ltd, corp, co, jr, bros, ph.d, m.d, b.a, m.a, u.s, u.k, a.m, p.m`)

// beforeNumber are abbreviations only before a number: No. 5, Jan. 5, Fig. 2.
var beforeNumber = lazymap.Phrases(`no, nos, fig, figs, vol, pp, p, nr, art, v, ver, jan, feb, mar, apr, jun, jul, aug, sep, sept,
	oct, nov, dec, mon, tue, wed, thu, fri, sat, sun`)

// informal reports whether sentences in text commonly begin in lower case.
func informal(text string) bool {
	lower, all := 0, 0
	for i := 1; i+2 < len(text); i++ {
		if text[i] == '.' && text[i+1] == ' ' && text[i-1] >= 'a' && text[i-1] <= 'z' {
			all++
			if text[i+2] >= 'a' && text[i+2] <= 'z' {
				lower++
			}
		}
	}
	return lower >= 3 && 3*lower > all
}
