package answer

import (
	"slices"
	"strings"
	"sync"

	"github.com/memoryd/memoryd/pkg/text"
)

// phrases are how questions begin, and what may stand anywhere in them, of a section of the languages.
type phrases struct{ first, anywhere []string }

var (
	when = sync.OnceValue(func() phrases { return phrasesOf("when") })
	ago  = sync.OnceValue(func() phrases { return phrasesOf("ago") })
)

// asksTime are the words of these phrases: a question has them whatever it is about.
var asksTime = sync.OnceValue(func() map[string]bool {
	all := map[string]bool{}
	for _, p := range []phrases{when(), ago()} {
		for _, phrase := range slices.Concat(p.first, p.anywhere) {
			for _, word := range strings.Fields(phrase) {
				all[word] = true
			}
		}
	}
	return all
})

func phrasesOf(section string) (p phrases) {
	for _, l := range text.Languages() {
		for _, line := range l.Lines(section) {
			for phrase := range strings.SplitSeq(line, ",") {
				if phrase, ok := strings.CutPrefix(strings.TrimSpace(phrase), "…"); ok {
					p.anywhere = append(p.anywhere, text.Fold(phrase))
				} else {
					p.first = append(p.first, plain(words(phrase)))
				}
			}
		}
	}
	return p
}

// fit reports whether a question is one of these.
func (p phrases) fit(question string) bool {
	for clause := range strings.FieldsFuncSeq(question, func(r rune) bool { return text.IsSentenceEnd(r) || strings.ContainsRune(",:;¿¡(", r) }) {
		said := plain(words(clause))
		if slices.ContainsFunc(p.first, func(phrase string) bool {
			return strings.HasPrefix(said, phrase) || strings.HasPrefix(said, " and"+phrase)
		}) {
			return true
		}
	}
	folded := text.Fold(question)
	return slices.ContainsFunc(p.anywhere, func(phrase string) bool { return strings.Contains(folded, phrase) })
}

// AsksWhen reports whether a question asks for a time: "when did", "what day", "how long ago" and their kin in the languages that have them.
func AsksWhen(question string) bool { return when().fit(question) || ago().fit(question) }

// unitOf is the unit of English in which a question wants to be told how long ago something was; "" if it names none.
func unitOf(question string) string {
	said := plain(words(question))
	for _, d := range distances {
		if strings.Contains(said, " how many "+d.name+"s ago ") {
			return d.name
		}
	}
	return ""
}

// side is on which side of its telling a question expects something; zero is on either.
type side int

const (
	past side = iota + 1
	coming
)

// sideOf reads the tense of an English question; another one may be about either side.
func sideOf(question string, ago bool) side {
	said := plain(words(question))
	has := func(list ...string) bool {
		return slices.ContainsFunc(list, func(word string) bool { return strings.Contains(said, word) })
	}
	switch {
	case has(" will ", " going to ", " planning ", " plan ", " plans ", " planned "):
		return coming
	case ago, has(" did ", " was ", " were ", " had "):
		return past
	}
	return 0
}

// words are the words of a text, folded.
func words(s string) (all []string) {
	for t := range text.Tokens(s) {
		if t.Kind != text.KindSign {
			all = append(all, text.Fold(s[t.Start:t.End]))
		}
	}
	return all
}
