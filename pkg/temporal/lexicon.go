package temporal

import (
	"strings"
	"time"
)

// word is what the lexicon knows of a word. One word can be several things:
// "second" is a unit and an ordinal, "march" a month and a verb.
type word struct {
	month   time.Month
	weekday int // 1 Monday to 7 Sunday
	number  int // cardinal
	ordinal int
	unit    unit
	part    string // of a day
	season  int    // first month of the season
	zone    *time.Location

	few      bool  // a number that is an estimate
	shape    Shape // of what is said behind or before it
	role     role
	short    bool    // an abbreviation, or a word that is more often something else
	plural   bool    // of a unit or a weekday
	function bool    // of a closed class: articles, pronouns, prepositions, conjunctions, auxiliaries
	cue      cue     // of tense
	opening  opening // 0 if no expression begins with it
}

// unit is a length of time by the calendar.
type unit byte

const (
	_ unit = iota
	second
	minute
	hour
	day
	week
	fortnight
	month
	quarter
	year
	decade
	century
)

func buildLexicon() map[string]*word {
	lex := map[string]*word{}
	at := func(w string) *word {
		if lex[w] == nil {
			lex[w] = &word{}
		}
		return lex[w]
	}
	// Each list is in the order of the values; "a/b" are spellings of one value.
	each := func(list string, set func(w *word, i int)) {
		for i, spellings := range strings.Fields(list) {
			for _, s := range strings.Split(spellings, "/") {
				set(at(s), i)
			}
		}
	}
	each(`january february march april may june july august september october november december`,
		func(w *word, i int) { w.month = time.Month(i + 1) })
	each(`jan feb mar apr may jun jul aug sep/sept oct nov dec`,
		func(w *word, i int) { w.month, w.short = time.Month(i+1), true })
	at("march").short = true
	each(`monday tuesday wednesday thursday friday saturday sunday`,
		func(w *word, i int) { w.weekday = i + 1 })
	each(`mon tue/tues wed/weds thu/thur/thurs fri sat sun`,
		func(w *word, i int) { w.weekday, w.short = i+1, true })
	each(`mondays tuesdays wednesdays thursdays fridays saturdays sundays`,
		func(w *word, i int) { w.weekday, w.plural = i+1, true })

	each(`one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
		eighteen nineteen`, func(w *word, i int) { w.number = i + 1 })
	each(`twenty thirty forty fifty sixty seventy eighty ninety`, func(w *word, i int) { w.number = 10 * (i + 2) })
	each(`first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth
		fifteenth sixteenth seventeenth eighteenth nineteenth twentieth`, func(w *word, i int) { w.ordinal = i + 1 })
	each(`thirtieth`, func(w *word, i int) { w.ordinal = 30 })

	each(`second/sec minute/min hour/hr/h day week/wk fortnight month quarter/qtr year/yr decade century`,
		func(w *word, i int) { w.unit = unit(i + 1) })
	each(`seconds/secs minutes/mins hours/hrs days weeks/wks fortnights months quarters/qtrs years/yrs decades centuries`,
		func(w *word, i int) { w.unit, w.plural = unit(i+1), true })
	for _, p := range dayparts {
		at(p.name).part = p.name
	}
	each(`spring summer autumn/fall winter`, func(w *word, i int) { w.season = 3*i + 3 })

	for name, minutes := range zones() {
		at(name).zone = time.FixedZone(strings.ToUpper(name), minutes*60)
	}
	for _, w := range strings.Fields(functionWords) {
		at(w).function = true
	}
	for _, w := range strings.Fields(pastWords) {
		at(w).cue = past
	}
	for _, w := range strings.Fields(futureWords) {
		at(w).cue = future
	}
	for _, w := range strings.Fields(openers) {
		at(w).opening |= other
	}
	for _, w := range []string{"a", "an", "the"} {
		at(w).opening |= article
	}
	for _, w := range []string{"noon", "midday", "midnight", "am", "pm", "clock", "oclock"} {
		at(w).role = oclock
	}
	for w, shape := range shapes {
		at(w).shape = shape
	}
	for w := range directions {
		at(w).opening |= deictic
	}
	for _, w := range []string{"few", "couple", "several", "half"} {
		at(w).opening |= numeral
	}
	for _, w := range lex {
		if w.month > 0 || w.weekday > 0 || w.part != "" || w.season > 0 {
			w.opening |= named
		}
		if w.unit >= day && !w.plural {
			w.opening |= other
		}
		if w.number > 0 || w.ordinal > 0 {
			w.opening |= numeral
		}
	}
	return lex
}

// openers begin a range or a time of day without being a name or a number. The first words
// of the rows need not be here.
const openers = `at between from noon midday midnight q h`

// functionWords are what may follow a date or a number that counts nothing:
// after "on the 5th" and "in 2000", any other word is the thing counted.
const functionWords = `a an the this that these those my your his her its our their i you he she it we they me him us
	them who which what when where why how there here and or but nor so yet if because while although though since
	until till unless as than about above across after against along among around at before behind below beneath beside
	between beyond by despite down during except for from in inside into like near of off on onto out outside over past
	per regarding through throughout to toward towards under up upon via with within without am is are was were be been
	being have has had do does did will would shall should can could may might must not no also just only already still
	then too again ago now later earlier s m re ve ll d t`

// zones are offsets from UTC in minutes. Abbreviations that several parts of
// the world share have the offset of the most populous use in English.
func zones() map[string]int {
	return map[string]int{
		"utc": 0, "gmt": 0, "z": 0, "wet": 0, "bst": 60, "cet": 60, "cest": 120, "eet": 120, "eest": 180, "msk": 180,
		"ist": 330, "sgt": 480, "hkt": 480, "jst": 540, "kst": 540, "aest": 600, "aedt": 660, "nzst": 720, "nzdt": 780,
		"est": -300, "edt": -240, "cst": -360, "cdt": -300, "mst": -420, "mdt": -360, "pst": -480, "pdt": -420,
		"et": -300, "ct": -360, "mt": -420, "pt": -480, "akst": -540, "akdt": -480, "hst": -600,
	}
}
