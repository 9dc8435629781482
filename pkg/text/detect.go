package text

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// What [LanguageOf] asks of a text.
const (
	leastLetters = 4   // of a script that names its language
	leastWords   = 5   // of any other
	leastShare   = 0.2 // of these that are stop words of the language
	detected     = 512 // words that are looked at
)

// spellings are the letters that only one language has (line "spelling" of the data file).
var spellings = sync.OnceValue(func() (all []spelling) {
	for _, l := range Languages() {
		for _, letters := range l.table().spelling {
			all = append(all, spelling{letters, l})
		}
	}
	return all
})

type spelling struct {
	letters  string
	language Language
}

// languagesOf are the languages that have a function word.
var languagesOf = sync.OnceValue(func() map[string][]Language {
	m := map[string][]Language{}
	for _, l := range Languages() {
		for w := range l.List("stop") {
			m[w] = append(m[w], l)
		}
	}
	return m
})

// evidence is what speaks for a language: how many words of a text, how much they weigh, and how much without those that are shared.
type evidence struct {
	words       int
	weight, own float64
}

// LanguageOf tells the language of s: by its script if practically one language is written in it, else by its words that are function
// words of a language of this script, or spelled as in no other (line "spelling" of the data file). A function word that n languages
// have counts 1/n. They must count 1 without those of the section "shared", which languages without a data file have, too. It is [Unknown] for less than five words, and for code, names and languages without a data file.
func LanguageOf(s string) Language {
	script, letters := census(s)
	if l := scripts[script].language; l != Unknown {
		if letters < leastLetters {
			return Unknown
		}
		return l
	}
	words, names, begins := 0, 0, true
	found := map[Language]evidence{}
	for t := range Tokens(s) {
		if words == detected {
			break
		}
		if t.Kind != KindWord && t.Kind != KindCompound {
			begins = t.Kind == KindSign && s[t.Start] != ','
			continue
		}
		words++
		first, _ := utf8.DecodeRuneInString(s[t.Start:])
		name := !begins && unicode.IsUpper(first)
		if begins = false; name { // Bo, Los Angeles
			names++
			continue
		}
		word := Fold(s[t.Start:t.End])
		of, ok := languagesOf()[word]
		if !ok { // l'équipe, don't
			of = languagesOf()[word[:max(0, strings.IndexAny(word, "'’"))]]
		}
		share := 1 / float64(len(of))
		for _, l := range of {
			e := found[l]
			e.words++
			e.weight += share
			if !l.List("shared")[word] {
				e.own += share
			}
			found[l] = e
		}
		if len(of) > 0 {
			continue
		}
		for _, sp := range spellings() {
			if strings.Contains(word, sp.letters) {
				e := found[sp.language]
				found[sp.language] = evidence{e.words + 1, e.weight + 1, e.own + 1}
				break
			}
		}
	}
	best, most := Unknown, evidence{}
	for _, l := range Languages() {
		if e := found[l]; l.table().script == scripts[script].name && e.own >= 1 && e.weight > most.weight {
			best, most = l, e
		}
	}
	if words < leastWords || float64(most.words) < leastShare*float64(words-names) {
		return Unknown
	}
	return best
}
