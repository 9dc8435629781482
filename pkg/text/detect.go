package text

import "strings"

// What [LanguageOf] asks of a text.
const (
	leastLetters = 4   // of a script that names its language
	leastWords   = 5   // of any other
	leastShare   = 0.2 // of these that are stop words of the language
	detected     = 512 // words that are looked at
)

// spells reports whether a word has letters that only this language has.
func (l Language) spells(word string) bool {
	for _, letters := range l.table().spelling {
		if strings.Contains(word, letters) {
			return true
		}
	}
	return false
}

// LanguageOf tells the language of s: by its script if practically one language is written in it, else by the share of its
// words that are stop words of a language of this script, or are spelled as in no other (line "spelling" of the data file). Of these at least
// one must be a word that other languages don't have (section "shared"). It is [Unknown] for less than five words, and for code, names and languages without a data file.
func LanguageOf(s string) Language {
	script, letters := census(s)
	if l := scripts[script].language; l != Unknown {
		if letters < leastLetters {
			return Unknown
		}
		return l
	}
	var words []string
	for t := range Tokens(s) {
		if len(words) == detected {
			break
		}
		if t.Kind == KindWord || t.Kind == KindCompound {
			word, _, _ := strings.Cut(Fold(s[t.Start:t.End]), "'")
			words = append(words, word)
		}
	}
	if len(words) < leastWords {
		return Unknown
	}
	best, most := Unknown, 0
	for _, l := range Languages() {
		stop, shared := l.List("stop"), l.List("shared")
		n, own := 0, false
		for _, w := range words {
			if stop[w] {
				n, own = n+1, own || !shared[w]
			} else if l.spells(w) {
				n, own = n+1, true
			}
		}
		if l.table().script == scripts[script].name && own && n > most {
			best, most = l, n
		}
	}
	if float64(most) < leastShare*float64(len(words)) {
		return Unknown
	}
	return best
}
