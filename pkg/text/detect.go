package text

import (
	"math/bits"
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
	detected     = 128 // words that are looked at
)

// marks are what languages are recognised by: their function words, and letters that only one of them has (line "spelling" of the data file).
type marks struct {
	languages []Language
	scripts   []Script
	words     map[string]vote
	ascii     []spelling // that have only letters of ASCII
	others    []spelling
}

// vote is the languages that have a function word, as bits of their numbers in marks.languages; shared are those for which languages without
// a data file have it, too.
type vote struct{ languages, shared uint64 }

type spelling struct {
	letters  string
	language int
}

// readMarks reads the beginnings of the data files: the rest of a file is parsed when its language is met.
var readMarks = sync.OnceValue(func() *marks {
	m := &marks{languages: Languages(), words: make(map[string]vote, 8192)}
	for i, l := range m.languages {
		var t table
		section := ""
		for line := range strings.Lines(beginning(l.data())) {
			switch line[0] {
			case '#', '\n':
				continue
			case '[':
				section = line[:strings.IndexByte(line, ']')+1]
				continue
			}
			if section == "" {
				words := strings.Fields(line)
				t.header(words[0], words[1:])
				continue
			}
			for w := range strings.FieldsSeq(line) {
				v := m.words[w]
				if section == "[stop]" {
					v.languages |= 1 << i
				} else {
					v.shared |= 1 << i
				}
				m.words[w] = v
			}
		}
		m.scripts = append(m.scripts, t.script)
		for _, letters := range t.spelling {
			if IsASCII(letters) {
				m.ascii = append(m.ascii, spelling{letters, i})
			} else {
				m.others = append(m.others, spelling{letters, i})
			}
		}
	}
	return m
})

// beginning is a data file up to the end of its first sections, "stop" and "shared".
func beginning(content string) string {
	at := 0
	for {
		i := strings.Index(content[at:], "\n[")
		if i < 0 {
			return content
		}
		at += i + 1
		if !strings.HasPrefix(content[at:], "[stop]") && !strings.HasPrefix(content[at:], "[shared]") {
			return content[:at]
		}
	}
}

// spelled is the language of which a word has letters that no other has; false for none.
func (m *marks) spelled(word string) (language int, ok bool) {
	lists := [...][]spelling{m.ascii, m.others}
	if IsASCII(word) {
		lists[1] = nil
	}
	for _, list := range lists {
		for _, s := range list {
			if strings.Contains(word, s.letters) {
				return s.language, true
			}
		}
	}
	return 0, false
}

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
	m := readMarks()
	found := make([]evidence, len(m.languages))
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
		of, ok := m.words[word]
		if !ok { // l'équipe, don't
			of = m.words[word[:max(0, strings.IndexAny(word, "'’"))]]
		}
		share := 1 / float64(max(1, bits.OnesCount64(of.languages)))
		for left := of.languages; left != 0; left &= left - 1 {
			l := bits.TrailingZeros64(left)
			e := &found[l]
			e.words++
			e.weight += share
			if of.shared>>l&1 == 0 {
				e.own += share
			}
		}
		if of.languages != 0 {
			continue
		}
		if l, ok := m.spelled(word); ok {
			e := &found[l]
			*e = evidence{e.words + 1, e.weight + 1, e.own + 1}
		}
	}
	best, most := Unknown, evidence{}
	for i, l := range m.languages {
		if e := found[i]; m.scripts[i] == scripts[script].name && e.own >= 1 && e.weight > most.weight {
			best, most = l, e
		}
	}
	if words < leastWords || float64(most.words) < leastShare*float64(words-names) {
		return Unknown
	}
	return best
}

// IsStopWord reports whether a folded word is a function word of any language that has a data file: the language of
// a few words isn't known.
func IsStopWord(word string) bool { return readMarks().words[word].languages != 0 }
