package text

import (
	"embed"
	"strings"
	"sync"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/english"
)

// Language is a language by its code (ISO 639-1). A language without a data file has no lists, and words are their own stems.
type Language string

// English has a data file. Unknown is the language of what is too short or unlike all that is known.
const (
	English Language = "en"
	Unknown Language = ""
)

//go:embed languages/*.txt
var files embed.FS

// table is what the data file of a language says.
type table struct {
	script    Script
	stem      func(*snowballstem.Env) bool // nil for none
	lists     map[string]map[string]bool
	lines     map[string][]string
	irregular map[string]string
}

var (
	none   = &table{}
	tables sync.Map // of *table by Language
)

// Languages lists the languages that have a data file, by their codes.
var Languages = sync.OnceValue(func() (all []Language) {
	entries, err := files.ReadDir("languages")
	if err != nil {
		return nil // cannot happen: the folder is embedded
	}
	for _, e := range entries {
		all = append(all, Language(strings.TrimSuffix(e.Name(), ".txt")))
	}
	return all
})

// table reads the data file of the language when it is first asked for.
func (l Language) table() *table {
	if t, ok := tables.Load(l); ok {
		return t.(*table)
	}
	content, err := files.ReadFile("languages/" + string(l) + ".txt")
	if err != nil {
		return none // the language has no file
	}
	t, _ := tables.LoadOrStore(l, parseTable(string(content)))
	return t.(*table)
}

func parseTable(content string) *table {
	t := &table{lists: map[string]map[string]bool{}, lines: map[string][]string{}, irregular: map[string]string{}}
	section := ""
	for line := range strings.Lines(content) {
		words := strings.Fields(line)
		switch {
		case len(words) == 0 || line[0] == '#':
		case line[0] == '[':
			section = strings.Trim(words[0], "[]")
			t.lists[section] = map[string]bool{}
		case section == "" && words[0] == "script":
			t.script = Script(words[len(words)-1])
		case section == "" && words[0] == "stemmer":
			t.stem = stemmerOf(words[len(words)-1])
		case section == "": // its name
		case section == "change":
			t.lines[section] = append(t.lines[section], strings.TrimSpace(line))
		case section == "irregular":
			for _, form := range words[1:] {
				t.irregular[form] = words[0]
			}
		default:
			for _, w := range words {
				t.lists[section][w] = true
			}
		}
	}
	return t
}

// stemmerOf is the Snowball stemmer that a data file names.
func stemmerOf(name string) func(*snowballstem.Env) bool {
	switch name {
	case "english":
		return english.Stem
	}
	return nil
}

// List returns the words of a section of the language's data file, which nobody may change; nil if it has none of this name.
func (l Language) List(section string) map[string]bool { return l.table().lists[section] }

// Lines returns the lines of a section whose lines are phrases ("change"), which nobody may change.
func (l Language) Lines(section string) []string { return l.table().lines[section] }

// IsStopWord reports whether a word in lower case is a function word of the language, which says nothing of a text's subject.
func (l Language) IsStopWord(word string) bool { return l.List("stop")[word] }

// BaseForm is the base form of an irregular word in lower case ("buy" of "bought"), the word itself if it is regular.
func (l Language) BaseForm(word string) string {
	if base, ok := l.table().irregular[word]; ok {
		return base
	}
	return word
}

// longestStem is the longest word, in bytes, that is stemmed. What is longer is no word of a language.
const longestStem = 64

var stemmers = sync.Pool{New: func() any { return snowballstem.NewEnv("") }}

// Stem is the stem of a word in lower case, by the Snowball stemmer of the language. A word of English with letters beyond ASCII is
// taken to be of another language, and stays as it is.
func (l Language) Stem(word string) string {
	t := l.table()
	if t.stem == nil || len(word) > longestStem || l == English && !IsASCII(word) {
		return word
	}
	env := stemmers.Get().(*snowballstem.Env)
	defer stemmers.Put(env)
	env.SetCurrent(word)
	t.stem(env)
	return env.Current()
}

// What [LanguageOf] asks of a text.
const (
	leastLetters = 4   // of a script that names its language
	leastWords   = 5   // of any other
	leastShare   = 0.2 // of these that are stop words of the language
	detected     = 512 // words that are looked at
)

// LanguageOf tells the language of s: by its script if practically one language is written in it, else by the share of its
// words that are stop words of a language of this script. Of these at least one must be a word that other languages don't have
// (section "shared" of the data file). It is [Unknown] for less than five words, and for code, names and languages without a data file.
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
