package temporal

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/memoryd/memoryd/pkg/text"
)

// languageSet says in which languages a text may speak of time, by their places in codes.
type languageSet uint64

const (
	inFigures languageSet = 1 << 63 // numbers that may be of a date or a time of day
	kana      languageSet = 1 << 62 // letters of Japanese
)

// cut is the length of the first n bytes of s, with the last character whole.
func cut(s string, n int) int {
	for n = min(n, len(s)); n < len(s) && n > 0 && !utf8.RuneStart(s[n]); n-- {
	}
	return n
}

func (s languageSet) has(code string) bool {
	for i, c := range codes {
		if c == code {
			return s&(1<<i) != 0
		}
	}
	return false
}

// wordsOfTime are the words without which no expression is written, with their languages.
type wordsOfTime struct {
	words map[string]languageSet
	dense map[rune]languageSet // the first characters of those in scripts without spaces
}

// vocabularies are made when they are first asked for: most programs that link this package read no times, and most texts are written in the
// Latin script.
var latin, allScripts = sync.OnceValue(func() *wordsOfTime { return vocabularyOf(codes[:latinCodes]) }), sync.OnceValue(func() *wordsOfTime { return vocabularyOf(codes) })

const greek = 0x370 // the first character of the scripts behind the Latin one

// vocabulary is the one with the languages in whose scripts s may be written.
func vocabulary(s string) *wordsOfTime {
	for _, r := range s {
		if r >= greek && unicode.IsLetter(r) {
			return allScripts()
		}
	}
	return latin()
}

func vocabularyOf(codes []string) *wordsOfTime {
	v := &wordsOfTime{make(map[string]languageSet, 4000), map[rune]languageSet{}}
	for i, code := range codes {
		l := parseLanguage(text.Language(code))
		for w, x := range l.lexicon {
			if x.month > 0 || x.weekday > 0 || x.unit > 0 || x.season > 0 || x.part != "" || x.ordinal > 0 || x.role&(oclock|am|pm) != 0 {
				v.add(w, 1<<i)
			}
		}
		for w, alone := range l.literals() {
			if x := l.lexicon[w]; alone || code == "en" && (x == nil || !x.function) {
				v.add(w, 1<<i)
			}
		}
	}
	return v
}

// literals are the words of the patterns of a language, true for those that speak of time by themselves: the longest of a pattern without
// classes.
func (l *language) literals() map[string]bool {
	all := make(map[string]bool, 400)
	for _, r := range l.grammar {
		var longest []string
		for field := range strings.FieldsSeq(r.pattern) {
			name, optional := strings.CutSuffix(field, "?")
			if name[0] == '<' {
				continue
			}
			words := strings.Split(name, "|")
			for _, w := range words {
				if !all[w] {
					all[w] = false
				}
			}
			if !optional && (longest == nil || len(words[0]) > len(longest[0])) {
				longest = words
			}
		}
		if !strings.Contains(r.pattern, "<") {
			for _, w := range longest {
				all[w] = true
			}
		}
	}
	return all
}

func (v *wordsOfTime) add(w string, in languageSet) {
	if r, _ := utf8.DecodeRuneInString(w); isDense(r) {
		v.dense[r] |= in
		return
	}
	v.words[w[:wordLength(w)]] |= in
}

// scan looks for words of time. It finds none in a text that has no expression in any language.
func (v *wordsOfTime) scan(s string) (found languageSet) {
	var buffer [64]byte
	for i := 0; i < len(s); {
		c := s[i]
		switch {
		case digit(c):
			j := i + 1
			for j < len(s) && digit(s[j]) {
				j++
			}
			if j-i == 4 && (c == '1' || c == '2') || i > 0 && isLetter(s[i-1]) || j < len(s) && (isLetter(s[j]) || j+1 < len(s) && digit(s[j+1]) && (s[j] == '-' || s[j] == '/' || s[j] == ':' || s[j] == '.')) ||
				j+3 < len(s) && s[j] == ' ' && s[j+1] == '/' {
				found |= inFigures
			}
			i = j
		case c < utf8.RuneSelf && !isLetter(c):
			i++
		default:
			word := buffer[:0]
			for i < len(s) {
				if c = s[i]; c < utf8.RuneSelf {
					if !isLetter(c) {
						break
					}
					if c >= 'A' && c <= 'Z' {
						c += 'a' - 'A'
					}
					if len(word) < len(buffer)-utf8.UTFMax {
						word = append(word, c)
					}
					i++
					continue
				}
				r, size := utf8.DecodeRuneInString(s[i:])
				if isDense(r) {
					found |= v.dense[r]
					if r >= 0x3040 && r < 0x3100 {
						found |= kana
					}
				} else if unicode.Is(unicode.Nd, r) {
					found |= inFigures
				} else if !isWord(r) {
					if len(word) > 0 {
						break
					}
				} else if len(word) < len(buffer)-utf8.UTFMax {
					word = utf8.AppendRune(word, unicode.ToLower(r))
				}
				i += size
			}
			found |= v.words[string(word)]
		}
	}
	return found
}

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }
