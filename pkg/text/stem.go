package text

import (
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/arabic"
	"github.com/blevesearch/snowballstem/danish"
	"github.com/blevesearch/snowballstem/dutch"
	"github.com/blevesearch/snowballstem/english"
	"github.com/blevesearch/snowballstem/finnish"
	"github.com/blevesearch/snowballstem/french"
	"github.com/blevesearch/snowballstem/german"
	"github.com/blevesearch/snowballstem/hungarian"
	"github.com/blevesearch/snowballstem/italian"
	"github.com/blevesearch/snowballstem/norwegian"
	"github.com/blevesearch/snowballstem/portuguese"
	"github.com/blevesearch/snowballstem/romanian"
	"github.com/blevesearch/snowballstem/russian"
	"github.com/blevesearch/snowballstem/spanish"
	"github.com/blevesearch/snowballstem/swedish"
	"github.com/blevesearch/snowballstem/turkish"
)

// snowball are the stemmers that a data file may name.
var snowball = map[string]func(*snowballstem.Env) bool{
	"arabic":     arabic.Stem,
	"danish":     danish.Stem,
	"dutch":      dutch.Stem,
	"english":    english.Stem,
	"finnish":    finnish.Stem,
	"french":     french.Stem,
	"german":     german.Stem,
	"hungarian":  hungarian.Stem,
	"italian":    italian.Stem,
	"norwegian":  norwegian.Stem,
	"portuguese": portuguese.Stem,
	"romanian":   romanian.Stem,
	"russian":    russian.Stem,
	"spanish":    spanish.Stem,
	"swedish":    swedish.Stem,
	"turkish":    turkish.Stem,
}

// longestStem is the longest word, in bytes, that is stemmed. What is longer is not a word of a language.
const longestStem = 64

var stemmers = sync.Pool{New: func() any { return snowballstem.NewEnv("") }}

// Stem is the stem of a word in lower case, by the Snowball stemmer of the language. A word of English with letters beyond ASCII is
// taken to be of another language, and stays as it is.
func (l Language) Stem(word string) string {
	if l == English && !IsASCII(word) {
		return word
	}
	return l.core().stemmed(word)
}

func (t *table) stemmed(word string) string {
	if t.stem == nil || len(word) > longestStem {
		return word
	}
	env := stemmers.Get().(*snowballstem.Env)
	defer stemmers.Put(env)
	env.SetCurrent(word)
	t.stem(env)
	return env.Current()
}

// BaseForm is the base form of an irregular word in lower case ("buy" of "bought"), the word itself if it is regular.
func (l Language) BaseForm(word string) string {
	if base := l.Head("irregular", word); base != "" {
		return base
	}
	return word
}

// SameStem reports whether two folded words are forms of one word that differ by inflection only. Neither may be negated by its form
// where the other isn't, nor be derived from the other: "employer" is not a form of "employ". It is false where that isn't known.
func (l Language) SameStem(a, b string) bool {
	if a == b {
		return true
	}
	return l.oneWord(a, b) && l.Has("negation", a) == l.Has("negation", b) && !l.Opposites(a, b)
}

// oneWord reports whether two words are forms of one, by their base forms, stems or endings.
func (l Language) oneWord(a, b string) bool {
	t, x, y := l.table(), l.BaseForm(a), l.BaseForm(b)
	return x == y || (t.stem != nil && mayShareStem(x, y) && l.Stem(x) == l.Stem(y) || t.inflected(a, b)) && t.derivation(a) == t.derivation(b)
}

// mayShareStem tells most words apart by their first letters. A stemmer takes endings off, and may take the accent off a first letter; one
// of ASCII it leaves as it is.
func mayShareStem(a, b string) bool {
	letter := func(s string) bool { return s != "" && class[s[0]]&letterByte != 0 }
	return !letter(a) || !letter(b) || a[0] == b[0]
}

// derivation is the line of the section "derivation" with the longest ending that a word has, -1 for none.
func (t *table) derivation(word string) int {
	line, longest := -1, 0
	for i, endings := range t.derived {
		for _, e := range endings {
			if len(e) > longest && strings.HasSuffix(word, e) {
				line, longest = i, len(e)
			}
		}
	}
	return line
}

// inflected reports whether two words have a beginning in common behind which both have nothing or an ending of the section "suffix".
func (t *table) inflected(a, b string) bool {
	endings := t.lists["suffix"]
	if len(endings) == 0 {
		return false
	}
	n, letters := 0, 0
	for n < len(a) && n < len(b) {
		r, size := utf8.DecodeRuneInString(a[n:])
		if !strings.HasPrefix(b[n:], a[n:n+size]) {
			break
		}
		n, letters = n+size, letters+1
		if script := RuneScript(r); letters < 3 && (script != "Hangul" || letters < 2) {
			continue
		}
		if x, y := a[n:], b[n:]; (x == "" || endings[x]) && (y == "" || endings[y]) {
			return true
		}
	}
	return false
}
