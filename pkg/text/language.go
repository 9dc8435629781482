package text

import (
	"embed"
	"slices"
	"strings"
	"sync"

	"github.com/blevesearch/snowballstem"
)

// Language is a language by its code (ISO 639-1). A language without a data file has no lists, and words are their own stems.
type Language string

// English has a data file. Unknown is the language of a text that is too short, or in no language with a data file.
const (
	English Language = "en"
	Unknown Language = ""
)

//go:embed languages/*.txt
var files embed.FS

// table is what the data file of a language says.
type table struct {
	script       Script
	stem         func(*snowballstem.Env) bool // nil for none
	spelling     []string                     // letters, one or more together, by which its words are recognised among those of other languages
	lists        map[string]map[string]bool
	heads        map[string]map[string]string // of a grouped section: the first word of the line on which a word stands
	affixes      map[string][]affix           // the patterns of a section
	opposites    map[string][]int             // numbers of the pairs of which a word is a side, negative for the right one
	opposedStems map[string][]int             // the same by the stems of the words
	swaps        [][2]affix                   // what makes a word its opposite
	derived      [][]string                   // endings that make a word of another, with their inflections
	numerals     map[string]numeral
	longest      int // of the words of numerals, in bytes
}

// affix is a pattern: "ne*", "*less", "*ない*", or a whole word.
type affix struct {
	core          string
	before, after bool // there is a "*"
}

var (
	none          = &table{}
	tables, cores sync.Map // of *table by Language
	texts         sync.Map // of the data files, by Language
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

// Known reports whether the language has a data file: whether its function words are known.
func (l Language) Known() bool { return slices.Contains(Languages(), l) }

// The sections that searching and summarising need. They are parsed by themselves: the others are several times as long.
var searched = NewSet("stop shared frequent filler abbreviation abbreviation.closing abbreviation.number title opener irregular")

// table parses the data file of the language when it is first asked for.
func (l Language) table() *table { return l.parsed(&tables, nil) }

// core parses what is searched of it.
func (l Language) core() *table { return l.parsed(&cores, searched.Has) }

func (l Language) parsed(known *sync.Map, wanted func(section string) bool) *table {
	if t, ok := known.Load(l); ok {
		return t.(*table)
	}
	content := l.data()
	if content == "" {
		return none
	}
	t, _ := known.LoadOrStore(l, parseTable(content, wanted))
	return t.(*table)
}

// data is the data file of the language; "" where it has none.
func (l Language) data() string {
	if known, ok := texts.Load(l); ok {
		return known.(string)
	}
	content, err := files.ReadFile("languages/" + string(l) + ".txt")
	if err != nil {
		return "" // the language has no file
	}
	known, _ := texts.LoadOrStore(l, string(content))
	return known.(string)
}

// The sections whose lines belong together: the first word of a line is what the others are forms of, or their value.
var grouped = NewSet("irregular synonym number ordinal unit month day")

// The sections whose lines are patterns or lists of phrases (see [Language.Lines]).
var phrases = NewSet("change update outcome lesson outcome.title lesson.title when ago")

// parseTable parses the wanted sections of a data file, all with nil.
func parseTable(content string, wanted func(section string) bool) *table {
	t := &table{
		lists: map[string]map[string]bool{}, heads: map[string]map[string]string{},
		affixes: map[string][]affix{}, opposites: map[string][]int{}, opposedStems: map[string][]int{}, numerals: map[string]numeral{},
	}
	section, pairs, skips := "", 0, false
	for line := range strings.Lines(content) {
		if skips && line[0] != '[' {
			continue
		}
		words := strings.Fields(line)
		switch {
		case len(words) == 0 || line[0] == '#':
		case line[0] == '[':
			section = strings.Trim(words[0], "[]")
			if skips = wanted != nil && !wanted(section); skips {
				continue
			}
			t.lists[section], t.heads[section] = map[string]bool{}, map[string]string{}
		case section == "":
			t.header(words[0], words[1:])
		case phrases.Has(section):
			// Lines reads them, without the rest
		case section == "derivation":
			t.derived = append(t.derived, words)
		case section == "opposite":
			pairs++
			t.pair(withForms(words), pairs)
		case grouped.Has(section):
			t.group(section, words[0], withForms(words[1:]))
		default:
			for _, w := range withForms(words) {
				if strings.Contains(w, "*") {
					t.affixes[section] = append(t.affixes[section], newAffix(w))
				} else {
					t.lists[section][w] = true
				}
			}
		}
	}
	return t
}

func (t *table) header(key string, values []string) {
	switch {
	case key == "spelling":
		t.spelling = values
	case key == "script" && len(values) == 1:
		t.script = Script(values[0])
	case key == "stemmer" && len(values) == 1:
		t.stem = snowball[values[0]]
	}
}

// group takes a line of a grouped section.
func (t *table) group(section, head string, forms []string) {
	if section == "number" || section == "ordinal" {
		t.addNumerals(head, forms, section == "ordinal")
	} else if section != "month" && section != "day" {
		forms = append(forms, head)
	}
	for _, w := range forms {
		t.lists[section][w], t.heads[section][w] = true, head
	}
}

// pair takes a line of the section "opposite": "left words | right words". With patterns it says what makes a word its opposite.
func (t *table) pair(words []string, number int) {
	at := max(0, slices.Index(words, "|"))
	if len(words) == 3 && strings.Contains(words[0]+words[2], "*") {
		t.swaps = append(t.swaps, [2]affix{newAffix(words[0]), newAffix(words[2])})
		return
	}
	for i, w := range words {
		side := number
		if i > at {
			side = -number
		}
		if i != at {
			stem := t.stemmed(w)
			t.opposites[w], t.opposedStems[stem] = append(t.opposites[w], side), append(t.opposedStems[stem], side)
			t.lists["opposite"][w] = true
		}
	}
}

func newAffix(pattern string) affix {
	return affix{strings.Trim(pattern, "*"), strings.HasPrefix(pattern, "*"), strings.HasSuffix(pattern, "*")}
}

// rest is what a word has but the affix, and whether it has the affix.
func (a affix) rest(word string) (string, bool) {
	switch {
	case a.before && a.after:
		before, after, ok := strings.Cut(word, a.core)
		return before + after, ok
	case a.before:
		return strings.CutSuffix(word, a.core)
	case a.after:
		return strings.CutPrefix(word, a.core)
	}
	return "", word == a.core
}

// List returns the words of a section of the language's data file, which nobody may change; nil if it has none of this name.
func (l Language) List(section string) map[string]bool {
	if searched.Has(section) {
		return l.core().lists[section]
	}
	return l.table().lists[section]
}

// Has reports whether a folded word is in a section, or is made by one of the section's patterns, such as Czech "ne*" of "negation".
// Function words are made by none. Numbers and ordinals may be composed: einundzwanzig.
func (l Language) Has(section, word string) bool {
	t := l.table()
	if section == "number" || section == "ordinal" {
		return t.spells(word, section == "ordinal")
	}
	if t.lists[section][word] {
		return true
	}
	for _, a := range t.affixes[section] {
		if rest, ok := a.rest(word); ok && rest != "" && !t.lists["stop"][word] && !t.lists["except."+section][word] {
			return true
		}
	}
	return false
}

// Head returns the first word of the line on which a folded word stands in a section whose lines belong together: of "unit" and
// "synonym" one name for all, of "month" and "day" the number, 1 for January and Monday. It is "" for other words.
func (l Language) Head(section, word string) string {
	if searched.Has(section) {
		return l.core().heads[section][word]
	}
	return l.table().heads[section][word]
}

// Opposites reports whether two folded words say the opposite of each other: by the pairs of the section "opposite", which stand for
// other forms of their words as well, and by what makes a word its opposite there, such as "un*".
func (l Language) Opposites(a, b string) bool {
	t := l.table()
	sides := t.sides(b)
	for _, i := range t.sides(a) {
		if slices.Contains(sides, -i) {
			return true
		}
	}
	for _, s := range t.swaps {
		for _, w := range [...][2]string{{a, b}, {b, a}} {
			left, ok := s[0].rest(w[0])
			right, has := s[1].rest(w[1])
			if ok && has && left == right && left != "" {
				return true
			}
		}
	}
	return false
}

// sides are the numbers of the pairs of which a word is a side, or a word with its stem if it is in none itself.
func (t *table) sides(word string) []int {
	if s, ok := t.opposites[word]; ok {
		return s
	}
	return t.opposedStems[t.stemmed(word)]
}

// Lines returns the lines of a section whose lines are patterns ("change", "update") or phrases between commas ("outcome"). It looks at them at
// each call, and at nothing else of the language's data file.
func (l Language) Lines(section string) (lines []string) {
	_, rest, found := strings.Cut(l.data(), "\n["+section+"]")
	if !found {
		return nil
	}
	rest, _, _ = strings.Cut(rest, "\n[")
	for line := range strings.Lines(rest) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			lines = append(lines, line)
		}
	}
	return lines
}

// IsStopWord reports whether a word in lower case is a function word of the language, which says nothing of a text's subject.
func (l Language) IsStopWord(word string) bool { return l.List("stop")[word] }
