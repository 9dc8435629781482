package temporal

import (
	"embed"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/memoryd/memoryd/pkg/text"
)

const latinCodes = 21 // of the codes, those of languages in the Latin script

//go:embed languages/*.txt
var files embed.FS

var (
	codes     = strings.Fields("en de fr es it pt nl pl tr sv da nb cs sk fi hu hr ro ca id vi ru uk bg el he ar fa hi bn th ja zh ko")
	languages sync.Map // of *language by code
)

// languageOf reads the data file of a language when it is first asked for; nil for a language without.
func languageOf(code text.Language) *language {
	if l, ok := languages.Load(code); ok {
		return l.(*language)
	}
	l := parseLanguage(code)
	if l == nil {
		return nil
	}
	l.index = l.compile(l.grammar)
	l.open()
	kept, _ := languages.LoadOrStore(code, l)
	return kept.(*language)
}

// parseLanguage reads a data file, whose grammar is still to be compiled: words alone tell whether a text may speak of time in a language.
// It is nil for a language without a file.
func parseLanguage(code text.Language) *language {
	content, err := files.ReadFile("languages/" + string(code) + ".txt")
	if err != nil {
		return nil
	}
	l := &language{code: code, lexicon: make(map[string]*word, 800)}
	inRows := false
	for line := range strings.Lines(string(content)) {
		line = strings.TrimSpace(line)
		key, list, ok := strings.Cut(line, ": ")
		switch {
		case line == "[rows]":
			inRows = true
		case !ok || line[0] == '#':
		case inRows:
			name, arg, _ := strings.Cut(key, " ")
			k, _ := strconv.Atoi(arg)
			read := readings()[name]
			if read == nil && unitNames[name] == 0 {
				l.unknown = append(l.unknown, key)
				continue
			}
			if u := unitNames[name]; u > 0 {
				read = func(m *match, k int) when { return m.around(u, k) }
			}
			patterns := strings.Split(list, " ; ")
			if name == "holiday" {
				patterns = holidayRows(patterns)
			}
			for _, pattern := range patterns {
				l.grammar = append(l.grammar, row{pattern, read, k})
			}
		default:
			l.words(key, strings.Fields(list))
		}
	}
	return l
}

// open notes what the words of the lexicon can begin.
func (l *language) open() {
	l.at("q").opening |= other // of Q3
	for w := range letters {
		l.at(w).kinds |= aUnit
	}
	for w, x := range l.lexicon {
		l.longest, x.kinds = max(l.longest, len(w)), x.kinds|x.kindsOf()
		if x.month > 0 || x.weekday > 0 || x.part != "" || x.season > 0 {
			x.opening |= named
		}
		if x.number > 0 || x.ordinal > 0 {
			x.opening |= numeral
		}
		if l.index.words[w] != nil && l.code != text.English || x.unit >= day && !x.plural {
			x.opening |= other
		}
	}
}

// words takes in a line of words. A list of names is in the order of their values, with "a/b" for spellings of one.
func (l *language) words(key string, list []string) {
	key, arg, _ := strings.Cut(key, " ")
	kind, from, two := strings.Cut(arg, " ") // "short 3"
	if !two {
		from = arg
	}
	first, err := strconv.Atoi(from)
	if err != nil {
		first = 1
	}
	for i, spellings := range list {
		for s := range strings.SplitSeq(spellings, "/") {
			w, value := l.at(s), i+first
			w.short, w.plural = w.short || kind == "short", w.plural || kind == "plural"
			switch set := properties()[key]; {
			case set != nil:
				set(w, value)
			case key == "order":
				l.order = s
			case key == "writing":
				l.dense, l.suffix, l.behind = l.dense || s == "dense", l.suffix || s == "suffixes", l.behind || s == "postpositions"
			case key == "part":
				w.part = arg
			case key == "zone":
				w.zone = time.FixedZone(strings.ToUpper(s), 60*first)
			case key == "endings":
				l.pastEndings = append(l.pastEndings, s)
			default:
				if _, ok := roles()[key]; !ok {
					l.unknown = append(l.unknown, key)
				}
				w.role |= roles()[key]
			}
		}
	}
}

// properties are what a line of words says of each, with its value.
var properties = sync.OnceValue(func() map[string]func(w *word, value int) {
	return map[string]func(w *word, value int){
		"month":    func(w *word, value int) { w.month = time.Month(value) },
		"weekday":  func(w *word, value int) { w.weekday = value },
		"number":   func(w *word, value int) { w.number = value },
		"tens":     func(w *word, value int) { w.number = 10 * (value + 2) },
		"few":      func(w *word, _ int) { w.number, w.few = 3, true },
		"ordinal":  func(w *word, value int) { w.ordinal = value },
		"unit":     func(w *word, value int) { w.unit = unit(value) },
		"season":   func(w *word, value int) { w.season = value },
		"step":     func(w *word, value int) { w.step, w.opening = value, w.opening|deictic },
		"article":  func(w *word, _ int) { w.opening |= article },
		"numeral":  func(w *word, _ int) { w.opening |= numeral },
		"opener":   func(w *word, _ int) { w.opening |= other },
		"function": func(w *word, _ int) { w.function = true },
		"from":     func(w *word, _ int) { w.shape, w.role = Since, w.role|start },
		"since":    func(w *word, _ int) { w.shape = Since },
		"until":    func(w *word, _ int) { w.shape = Until },
		"before":   func(w *word, _ int) { w.shape = Before },
		"after":    func(w *word, _ int) { w.shape = After },
		"past":     func(w *word, _ int) { w.cue = past },
		"future":   func(w *word, _ int) { w.cue = future },
	}
})

var roles = sync.OnceValue(func() map[string]role {
	return map[string]role{
		"weak": weak, "every": every, "whole": 0, "at": at, "clock": oclock, "half": halfHour, "am": am, "pm": pm, "particle": particle, "on": on, "length": length, "noun": noun, "adverb": adverb, "not-verb": notVerb, "measure": measure, "hour": hourly | at,
	}
})
