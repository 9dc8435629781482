package similarity

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/memoryd/memoryd/pkg/text"
)

// What is harmless in a known language is decided here.

// weight is what a place is.
type weight uint8

const (
	fact        weight = iota // asked about
	soft                      // words that narrow, place or weaken a statement: a question, but in the revision of a long text of which both wordings stay
	replacement               // ordinary words in place of others: asked about, but in a revision
	detail                    // what one text has more
	ticked                    // the box of a task, ticked in one text
)

// What the sections of a language's file are called whose words change what a sentence states: deciding ones, which no revision may touch,
// and all of them, which no detail may hold.
var (
	deciding = []string{"negation", "restriction", "quantity", "number", "ordinal", "month", "day"}
	turning  = slices.Concat(deciding, []string{"modality", "comparison", "condition"})
	// What not even the revision of a long text may touch.
	telling = []string{"negation", "quantity", "number", "ordinal", "month", "day"}
)

// listed reports whether a word stands in a section of the file of the texts' language.
func (p *pair) listed(word, section string) bool { return p.lang.Has(section, word) }

// sayNothing reports whether a token is a word that may come and go, such as an article.
func (p *pair) sayNothing(t *token) bool {
	return t.kind == kindWord && !t.code && p.listed(t.key, "empty") && !(t.capital && utf8.RuneCountInString(t.key) == 1 && t.gap != gapSentence)
}

// turns reports whether a word changes what a sentence states.
func (p *pair) turns(word string) bool { return p.among(word, turning) }

// among reports whether a word stands in one of the sections, and says something.
func (p *pair) among(word string, sections []string) bool {
	if p.listed(word, "neutral") || p.listed(word, "empty") {
		return false
	}
	for _, section := range sections {
		if p.listed(word, section) {
			return true
		}
	}
	return false
}

// open reports whether a token is a word with a meaning of its own: no function word, and long enough to be none that isn't listed.
func (p *pair) open(t *token) bool {
	return t.kind != kindWord || !p.lang.IsStopWord(t.key) && (t.character || utf8.RuneCountInString(t.key) > p.short() || p.listed(t.key, "frequent"))
}

// short is how many letters a word has that may be a function word which isn't listed.
func (p *pair) short() int {
	if p.lang == text.English {
		return 3
	}
	return 4
}

// weigh tells what a place is. In a language that isn't known each is a fact.
func (p *pair) weigh(h hunk) weight {
	if !p.known() {
		return fact
	}
	switch {
	case h.a1-h.a0 == 1 && h.b1-h.b0 == 1 && isBox(p.a.tokens[h.a0].key) && isBox(p.b.tokens[h.b0].key):
		return ticked
	case softly(p, h):
		return soft
	case h.b0 == h.b1:
		return p.detail(&p.a, h.a0, h.a1)
	case h.a0 == h.a1:
		return p.detail(&p.b, h.b0, h.b1)
	case p.ordinary(&p.a, h.a0, h.a1) && p.ordinary(&p.b, h.b0, h.b1):
		if p.neutral(&p.a, h.a0, h.a1) != p.neutral(&p.b, h.b0, h.b1) {
			if least := min(p.detail(&p.a, h.a0, h.a1), p.detail(&p.b, h.b0, h.b1)); least != fact || !p.generous || p.lang != text.English {
				return least
			}
			return soft
		}
		if p.a.value(h.a0, h.a1) || p.b.value(h.b0, h.b1) || p.contrary(h) {
			return fact
		}
		return replacement
	}
	return fact
}

// known reports whether the language has the lists that the rules below need.
func (p *pair) known() bool { return p.lang.Known() && p.lang.List("negation") != nil }

// softly reports whether a place holds words that narrow, place or weaken a statement, and none that turns it round or names anything; or names
// of code of which one has all parts of the other. It is false where only one wording stays.
func softly(p *pair, h hunk) bool {
	if !p.generous || p.opposed(h) {
		return false
	}
	if sharesParts(p, h) {
		return true
	}
	turned := false
	plain := func(s *side, from, to int) bool {
		for i := from; i < to; i++ {
			t := &s.tokens[i]
			if t.kind != kindWord || t.character || t.code || s.name(i) || p.among(t.key, telling) || negatesElsewhere(p, t) {
				return false
			}
			turned = turned || p.turns(t.key)
		}
		return true
	}
	return plain(&p.a, h.a0, h.a1) && plain(&p.b, h.b0, h.b1) && turned && !p.contrary(h)
}

// sharesParts reports whether both sides are a name of code and one has all parts of the other, none of those it has more being a number:
// observed_key_id, key_id.
func sharesParts(p *pair, h hunk) bool {
	parts := func(s *side, from, to int) ([]string, bool) {
		code := false
		for i := from; i < to; i++ {
			t := &s.tokens[i]
			code = code || t.kind == kindIdentifier || t.code
			if t.kind != kindIdentifier && t.kind != kindWord || i > from && t.gap > gapComma {
				return nil, false
			}
		}
		if !code {
			return nil, false
		}
		return codeParts(s.text[s.tokens[from].start:s.tokens[to-1].end]), true
	}
	if h.a0 == h.a1 || h.b0 == h.b1 {
		return false
	}
	x, okX := parts(&p.a, h.a0, h.a1)
	y, okY := parts(&p.b, h.b0, h.b1)
	if len(x) > len(y) {
		x, y = y, x
	}
	if !okX || !okY || len(x) == 0 || len(x) == len(y) {
		return false
	}
	for _, part := range y {
		switch {
		case len(x) > 0 && part == x[0]:
			x = x[1:]
		case strings.ContainsAny(part, "0123456789") || p.turns(strings.ToLower(part)):
			return false
		}
	}
	return len(x) == 0
}

// codeParts parts a name of code at its signs, and before its capitals.
func codeParts(name string) (parts []string) {
	for _, word := range strings.FieldsFunc(name, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		from, lower := 0, false
		for i, r := range word {
			if lower && unicode.IsUpper(r) {
				parts, from = append(parts, word[from:i]), i
			}
			lower = !unicode.IsUpper(r)
		}
		parts = append(parts, word[from:])
	}
	return parts
}

// detail is the class of tokens that one text has and the other has not.
func (p *pair) detail(s *side, from, to int) weight {
	says := false
	for i := from; i < to; i++ {
		t := &s.tokens[i]
		switch {
		case t.character, p.turns(t.key):
			return fact
		case p.lang != text.English && !p.open(t) && !p.lang.IsStopWord(t.key) && !p.listed(t.key, "neutral"):
			return fact // a short word that isn't listed: it may negate in a language that is like this one
		case t.kind == kindWord:
			says = says || p.open(t) || p.listed(t.key, "neutral")
		case t.kind == kindIdentifier || t.kind == kindPath || t.kind == kindURL:
			if strings.ContainsAny(t.key, "0123456789") || strings.IndexByte("-+!", t.key[0]) >= 0 {
				return fact
			}
			says = true
		default:
			return fact
		}
	}
	if !says && p.generous && p.lang == text.English {
		return soft // a short word, which may say little or much
	}
	if !says || p.lang != text.English && to-from == 1 && !p.listed(s.tokens[from].key, "neutral") {
		return fact
	}
	return detail
}

// ordinary reports whether tokens are words that name nothing and turn nothing round.
func (p *pair) ordinary(s *side, from, to int) bool {
	for i := from; i < to; i++ {
		t := &s.tokens[i]
		if t.kind != kindWord || t.character || t.code || s.name(i) || p.among(t.key, deciding) {
			return false
		}
	}
	return true
}

func isBox(key string) bool { return key == "[ ]" || key == "[x]" }

// value reports whether tokens are all that a line says, or all that follows a colon: the value of a field.
func (s *side) value(from, to int) bool {
	const most = 4
	return to-from <= most && s.tokens[from].gap >= gapClause && (to == len(s.tokens) || s.tokens[to].gap == gapSentence)
}

// contrary reports whether words that could stand for each other are opposites, or one word with another beginning.
func (p *pair) contrary(h hunk) bool {
	return p.eachTwo(h, func(x, y string) bool { return p.lang.Opposites(x, y) || prefixed(x, y) || prefixed(y, x) })
}

// opposed reports whether the two sides hold listed opposites.
func (p *pair) opposed(h hunk) bool {
	lang := p.lang
	if lang == text.Unknown {
		lang = text.English
	}
	return p.eachTwo(h, func(x, y string) bool { return lang.Has("opposite", x) && lang.Opposites(x, y) })
}

// eachTwo reports whether something holds for some word of one side and some word of the other, among the first ones.
func (p *pair) eachTwo(h hunk, holds func(x, y string) bool) bool {
	for _, x := range p.a.tokens[h.a0:min(h.a1, h.a0+maxRefined)] {
		for _, y := range p.b.tokens[h.b0:min(h.b1, h.b0+maxRefined)] {
			if x.kind == kindWord && y.kind == kindWord && holds(x.key, y.key) {
				return true
			}
		}
	}
	return false
}

// prefixed reports whether a word is another one with up to four letters before it: unused, used; deactivate, activate.
func prefixed(long, short string) bool {
	n := len(long) - len(short)
	return n > 0 && n <= 4 && len(short) > 2 && strings.HasSuffix(long, short)
}

// neutral reports whether tokens are no more than pronouns, prepositions and the like. What stands in the place of these is not another word for
// the same.
func (p *pair) neutral(s *side, from, to int) bool {
	for _, t := range s.tokens[from:to] {
		if !p.listed(t.key, "neutral") && !p.listed(t.key, "empty") {
			return false
		}
	}
	return true
}

// What a revision has at least. Where texts are the same but for a word or two, these may be what the texts are about.
const (
	revisionPlaces = 2
	revisionTokens = 30
	generousTokens = 24 // the same where both wordings stay
	longTokens     = 30 // of a text in which a word that narrows the statement, next to another change, only revises it
)

// revision reports whether so many places with other words, and so many details, look like one text that was revised; or like one list of
// tasks that went on, if several were ticked.
func (p *pair) revision(softly, replaced, details, ticked int) bool {
	size := min(len(p.a.tokens), len(p.b.tokens))
	switch {
	case softly > 0 && size < longTokens:
		return false
	case softly+replaced == 0:
		return ticked != 1
	case p.generous && size < generousTokens, !p.generous && (details == 0 || size < revisionTokens):
		return false
	}
	return softly+replaced+details >= revisionPlaces
}

// alike reports whether two tokens say the same: equal keys, two forms of a word, a spelling mistake, a number written in two ways.
func (p *pair) alike(a, b *token) bool {
	if a.kind != b.kind || a.code != b.code {
		return false
	}
	switch {
	case a.key == b.key:
		return a.kind != kindWord || sameForm(p.a.text, p.b.text, a, b)
	case a.kind == kindNumber:
		return p.a.counts(a) && p.b.counts(b) || sameNumber(p, a.key, b.key)
	case a.kind != kindWord || a.character || b.character || a.code:
		return false
	}
	if a.capital && b.capital && (a.gap != gapSentence || b.gap != gapSentence || p.lang != text.English) {
		return false // names have no endings: Martin, Martine
	}
	return (p.known() && p.sameWord(a.key, b.key) || p.misspelt(a.key, b.key)) && !p.turns(a.key) && !p.turns(b.key)
}

// sameNumber compares two numbers as the language writes them.
func sameNumber(p *pair, a, b string) bool {
	if a == b {
		return true
	}
	x, y := numberIn(p, a), numberIn(p, b)
	return x.ok && y.ok && x.plain == y.plain
}

func numberIn(p *pair, s string) number {
	if p.lang == text.English {
		return readNumber(s, '.')
	}
	if p.known() && !pointLanguages.Has(string(p.lang)) {
		return readNumber(s, ',')
	}
	return number{}
}

// pointLanguages write a point before the fraction of a number.
var pointLanguages = text.NewSet("en zh ja ko hi th he")

// sameWord reports whether two words are forms of one, or synonyms.
func (p *pair) sameWord(a, b string) bool {
	head := p.lang.Head("synonym", a)
	return head != "" && head == p.lang.Head("synonym", b) || p.lang.SameStem(a, b)
}

// surelyMisspelt is the length in letters from which on a word with a letter more or less is not another word.
const surelyMisspelt = 9

// misspelt reports whether one of two words is a misspelling of the other, or its American spelling: a listed one, or of a long word.
func (p *pair) misspelt(a, b string) bool {
	if p.lang != text.English || min(len(a), len(b)) < 4 {
		return false
	}
	switch x, y := apart(a, b); {
	case len(x) > 3 || len(y) > 3:
		return false
	case min(len(a), len(b)) >= surelyMisspelt && len(x)+len(y) == 1 && a[:2] == b[:2]:
		return true
	}
	return listedSlip(a, b)
}

// apart is what is left of two words without what they have in common at the beginning and at the end.
func apart(a, b string) (x, y string) {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	a, b = a[n:], b[n:]
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	return a, b
}

// values

type value struct {
	kind kind
	key  string
	unit unit
}

// sameValues reports whether both sides state the same numbers, dates and amounts.
func (p *pair) sameValues(h hunk) bool {
	valued := func(t token) bool { return t.kind == kindNumber || t.kind == kindDate || numeral(p, &t) }
	if !slices.ContainsFunc(p.a.tokens[h.a0:h.a1], valued) || !slices.ContainsFunc(p.b.tokens[h.b0:h.b1], valued) {
		return false
	}
	x, y := values(p, &p.a, h.a0, h.a1), values(p, &p.b, h.b0, h.b1)
	return x != nil && slices.EqualFunc(x, y, func(a, b value) bool {
		if a.kind == kindNumber && b.kind == kindNumber {
			if a.unit.name == "" && b.unit.name == "" {
				return sameNumber(p, a.key, b.key)
			}
			m, n := numberIn(p, a.key), numberIn(p, b.key)
			return m.ok && n.ok && sameQuantity(m.plain, n.plain, a.unit, b.unit)
		}
		return a.kind == b.kind && a.key == b.key
	})
}

// values reads tokens as values; words stay as they are. It is nil without any number or date.
func values(p *pair, s *side, from, to int) (out []value) {
	some := false
	for i := from; i < to; {
		v, n := valueAt(p, s.tokens[i:to])
		some = some || v.kind != kindWord
		out = append(out, v)
		i += n
	}
	if !some {
		return nil
	}
	return out
}

func valueAt(p *pair, t []token) (value, int) {
	at := func(i int) token {
		if i < len(t) {
			return t[i]
		}
		return token{kind: kindSign}
	}
	first, second := t[0], at(1)
	switch {
	case first.kind == kindUnit && second.kind == kindNumber:
		return value{kindNumber, second.key, units()[first.key]}, 2
	case first.kind == kindNumber && second.kind == kindUnit:
		if d := dayMonth(t[0].key, at(2)); second.key == "th" && d.month > 0 {
			return withYear(d, t, 3)
		}
		if half := second.key; half == "am" || half == "pm" {
			return value{kind: kindDate, key: date{clock: clockHour(first.key, half)}.key()}, 2
		}
		u := units()[second.key]
		u.name = second.key
		return value{kindNumber, first.key, u}, 2
	case first.kind == kindNumber && second.kind == kindWord:
		if d := dayMonth(first.key, second); d.month > 0 {
			return withYear(d, t, 2)
		}
	case first.kind == kindWord && second.kind == kindNumber:
		if d := dayMonth(second.key, first); d.month > 0 {
			if at(2).key == "th" {
				return withYear(d, t, 3)
			}
			return withYear(d, t, 2)
		}
	case first.kind == kindDate && (second.key == "am" || second.key == "pm"):
		if c, ok := clockOf(strings.TrimPrefix(first.key, "date-0-0-0") + second.key); ok {
			return value{kind: kindDate, key: date{clock: c}.key()}, 2
		}
	}
	if num, n := spelled(p, t); n > 0 {
		digits, ordinal := strings.CutSuffix(num, "th")
		v := value{kind: kindNumber, key: digits}
		if u, ok := units()[at(n).key]; ordinal {
			v.unit.name = "th"
		} else if ok && at(n).kind == kindWord {
			v.unit, n = u, n+1
		}
		return v, n
	}
	return value{kind: first.kind, key: first.key}, 1
}

// numeral reports whether a spelled number may begin with a token.
func numeral(p *pair, t *token) bool {
	return t.kind == kindWord && (p.listed(t.key, "number") || p.listed(t.key, "ordinal"))
}

// spelled reads the spelled number with which tokens begin, and how many of them it takes.
func spelled(p *pair, t []token) (num string, n int) {
	const most = 8
	if !numeral(p, &t[0]) {
		return "", 0
	}
	var words []string
	for i := 0; i < min(len(t), most) && t[i].kind == kindWord && (i == 0 || t[i].gap <= gapHyphen); i++ {
		words = append(words, t[i].key)
	}
	return p.lang.Number(words)
}

func clockHour(n, half string) string {
	c, _ := clockOf(n + ":00" + half)
	return c
}

// dayMonth is the date of a day and a month.
func dayMonth(day string, month token) date {
	m := monthOf(month.key)
	if n := atoi(day); m > 0 && n > 0 && n < 32 {
		return date{month: m, day: n}
	}
	return date{}
}

func withYear(d date, t []token, n int) (value, int) {
	if n < len(t) && t[n].kind == kindNumber && len(t[n].key) == 4 {
		d.year = atoi(t[n].key)
		n++
	}
	return value{kind: kindDate, key: d.key()}, n
}

// monthOf is the number of a month by its English name, of three letters or more; 0 for other words.
func monthOf(word string) int {
	for i, name := range monthNames {
		if len(word) >= 3 && strings.HasPrefix(name, word) && (len(word) == 3 || word == name || word == "sept") {
			return i + 1
		}
	}
	return 0
}

var monthNames = strings.Fields("january february march april may june july august september october november december")
