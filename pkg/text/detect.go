package text

import (
	"strings"
	"sync"
)

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

// LanguageOf tells the language of s: by its script if practically one language is written in it, else by its words that are function
// words of a language of this script, or spelled as in no other (line "spelling" of the data file). A function word that n languages
// have counts 1/n. At least one word must be of this language alone; the section "shared" has those that languages without a data file
// have, too. It is [Unknown] for less than five words, and for code, names and languages without a data file.
func LanguageOf(s string) Language {
	script, letters := census(s)
	if l := scripts[script].language; l != Unknown {
		if letters < leastLetters {
			return Unknown
		}
		return l
	}
	words := 0
	found := map[Language]*evidence{}
	for t := range Tokens(s) {
		if words == detected {
			break
		}
		if t.Kind != KindWord && t.Kind != KindCompound {
			continue
		}
		words++
		word := Fold(s[t.Start:t.End])
		all := languagesOf()
		of, ok := all[word]
		if !ok { // l'équipe, don't
			of = all[word[:max(0, strings.IndexAny(word, "'’"))]]
		}
		note := func(l Language, weight float64, own bool) {
			if l.table().script != scripts[script].name {
				return
			}
			e := found[l]
			if e == nil {
				e = &evidence{}
				found[l] = e
			}
			e.words++
			e.weight += weight
			e.own = e.own || own
		}
		for _, l := range of {
			note(l, 1/float64(len(of)), len(of) == 1 && !l.List("shared")[word])
		}
		for _, l := range Languages() {
			if len(of) == 0 && l.spells(word) {
				note(l, 1, true)
			}
		}
	}
	best, most := Unknown, evidence{}
	for _, l := range Languages() {
		if e := found[l]; e != nil && e.own && e.weight > most.weight {
			best, most = l, *e
		}
	}
	if words < leastWords || float64(most.words) < leastShare*float64(words) {
		return Unknown
	}
	return best
}

// evidence is what speaks for a language: how many words of a text, and how much they weigh.
type evidence struct {
	words  int
	weight float64
	own    bool // a word of this language only
}
