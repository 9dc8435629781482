package summary

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/memoryd/memoryd/pkg/text"
)

// capitalsShare is the share of capitalised words within sentences above which a text
// writes its nouns so, as German does: there a capital alone makes no name.
const capitalsShare = 0.15

// letterCase is how a text uses capitals.
type letterCase struct {
	small map[string]bool // words that it also writes small
	nouns bool            // nouns have a capital
}

func readCase(s string) letterCase {
	c := letterCase{small: map[string]bool{}}
	capitals, all, inside := 0, 0, false
	for t := range text.Tokens(s) {
		word := s[t.Start:t.End]
		if t.Kind == text.KindWord {
			capital := isCapitalised(word)
			if !capital {
				c.small[word] = true
			}
			if inside {
				all++
				if capital {
					capitals++
				}
			}
		}
		inside = goesOn(t.Kind, word)
	}
	c.nouns = float64(capitals) > capitalsShare*float64(all)
	return c
}

// isNamed reports whether a word has a capital and is never written small.
func (c letterCase) isNamed(word string) bool {
	return isCapitalised(word) && !c.small[strings.ToLower(word)]
}

// isCapitalised reports whether word starts with a capital and is longer than it.
func isCapitalised(word string) bool {
	r, n := utf8.DecodeRuneInString(word)
	return unicode.IsUpper(r) && n < len(word)
}

// goesOn reports whether a word after this token has no capital because of its place.
func goesOn(k text.Kind, token string) bool { return k != text.KindSign || token == "," }

// isFact reports whether a token states a fact by its form: a number, an identifier, a
// URL, or Latin letters amid another script.
func isFact(k text.Kind, word string, script text.Script) bool {
	switch k {
	case text.KindNumber, text.KindIdentifier, text.KindURL:
		return true
	case text.KindWord, text.KindCompound:
		r, n := utf8.DecodeRuneInString(word)
		return script != text.Latin && n < len(word) && text.RuneScript(r) == text.Latin
	}
	return false
}

// hanNumbers lists the numbers in a run of Han and kana that are written in Han and
// belong to a date, a time, a sum or a count: 九月, 三十分, 七つ.
func hanNumbers(run string) []string {
	var out []string
	start := -1
	for i, r := range run {
		switch {
		case strings.ContainsRune("〇一二三四五六七八九十百千万億亿", r):
			if start < 0 {
				start = i
			}
			continue
		case start >= 0 && run[start:i] != "一" && strings.ContainsRune("年月日号時时点分円元倍割つ", r):
			out = append(out, run[start:i+utf8.RuneLen(r)])
		}
		start = -1
	}
	return out
}

// cutLabel cuts a paragraph that begins with a label of one or two words: "Decision: …",
// "決定：…".
func cutLabel(s string) (rest string, ok bool) {
	const longest, unspaced = 24, 6 // characters
	i := strings.IndexAny(s, ":：.。!?！？,，;；、")
	if i <= 0 {
		return "", false
	}
	r, n := utf8.DecodeRuneInString(s[i:])
	label := s[:i]
	rest = s[i+n:]
	length := utf8.RuneCountInString(label)
	switch {
	case r != ':' && r != '：', r == ':' && !strings.HasPrefix(rest, " "), len(strings.Fields(label)) > 2,
		length > longest, text.IsUnspaced(firstRune(label)) && length > unspaced, strings.ContainsFunc(label, unicode.IsDigit):
		return "", false
	}
	return rest, true
}
