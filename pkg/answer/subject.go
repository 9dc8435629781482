package answer

import (
	"slices"
	"strings"
	"unicode"

	"github.com/memoryd/memoryd/pkg/temporal"
	"github.com/memoryd/memoryd/pkg/text"
)

// subject is what a question is about, and what it wants to know of that. Nothing answers it without all words of the first. The second, the kind of
// thing that it seeks ("which port") and what that does ("listens"), may be said in part.
type subject struct {
	time    bool // the question is for a time
	words   []subjectWord
	counted string // the word of the thing that "how many" asks for
	sought  []subjectWord
	vague   []string      // words of opposites
	uses    bool          // what it seeks is used or needed
	why     bool          // it seeks a reason
	span    bool          // it seeks how long something lasts
	often   bool          // it seeks how often
	when    bool          // it seeks a time that isn't a day
	where   bool          // it seeks a place
	who     bool          // it seeks somebody
	amount  bool          // it seeks a number
	version bool          // it seeks a number of what a name names: which Postgres version
	verbs   []subjectWord // that say nothing of what is sought
	english bool
}

type subjectWord struct {
	said string
	term string
}

// A word of a question as its subject is looked for.
type questionWord struct {
	said, folded, term string
	function           bool
	name               bool // of something, by its capitals
}

// subjectOf reads a question: English by its auxiliaries, other languages by the order of their words, in which the thing sought and what it does
// come before what does it.
func subjectOf(q string, named []temporal.Span, time bool) (s subject) {
	s.time = time
	lang := text.LanguageOf(q)
	english := lang == text.English
	if !lang.Known() {
		for t := range text.Tokens(q) {
			word := text.Fold(q[t.Start:t.End])
			english = english || asking.Has(word) || auxiliaries.Has(word)
		}
		lang = text.English
	}
	var all []questionWord
	for t := range text.Tokens(q) {
		if t.Kind == text.KindSign || slices.ContainsFunc(named, func(n temporal.Span) bool { return n.Start <= t.Start && t.End <= n.End }) {
			continue
		}
		said := q[t.Start:t.End]
		if t.Kind == text.KindUnspaced {
			return subject{} // nobody knows where a word ends
		}
		folded := strings.TrimSuffix(strings.TrimSuffix(text.Fold(said), "'s"), "’s")
		if i := strings.LastIndexAny(folded, "'’"); i >= 0 && i < len(folded)-1 && !english {
			folded = strings.TrimLeft(folded[i:], "'’") // l'imprimante
		}
		term := folded
		if t.Kind == text.KindWord {
			term = lang.Stem(lang.BaseForm(folded))
		}
		all = append(all, questionWord{said: said, folded: folded, term: term, function: lang.IsStopWord(folded) || !english && text.IsStopWord(folded) || auxiliaries.Has(folded) && english || asking.Has(folded) && english})
	}
	s.english = english
	if english {
		for i := range all {
			all[i].name = i > 0 && strings.IndexFunc(all[i].said, unicode.IsUpper) >= 0
		}
	}
	may := othersMayDiffer(all, time)
	if english {
		may = englishMayDiffer(all)
		for i, w := range all {
			may[i] = may[i] && !w.name // which Postgres version: of another program it doesn't count
		}
	}
	s.seek(all, may, english)
	sought := func(w questionWord) bool {
		return slices.ContainsFunc(s.sought, func(x subjectWord) bool { return x.term == w.term })
	}
	for i, w := range all {
		if english && !s.time && i > 1 && all[i-2].folded == "how" && (all[i-1].folded == "many" || all[i-1].folded == "much") && !w.function {
			s.counted, may[i] = w.term, false
		}
		if opposites[w.folded] != "" {
			s.vague = append(s.vague, w.folded)
		}
		if !w.function && !may[i] && !vague.Has(w.folded) && !sought(w) && !slices.ContainsFunc(s.words, func(x subjectWord) bool { return x.term == w.term }) {
			s.words = append(s.words, subjectWord{w.said, w.term})
		}
	}
	return s
}

var (
	auxiliaries = text.NewSet("do does did will would can could should shall may might must has have had is are was were be been being am")
	copulas     = text.NewSet("is are was were be been being am")
	asking      = text.NewSet("who whom whose what which when where why how many much often long far")
	pronouns    = text.NewSet("i we you they he she it one there somebody someone anybody anyone people")
	// vague are words that memories need not repeat.
	vague = text.NewSet(`new old current currently latest now today still exactly exact main usual usually actual actually really ever already right
		name called kind type sort number value way place person time date day please tell know say says remember there here everything anything
		happen happened happens mean means use used uses using get got need needs make made project we our`)
)

// Words of English that are sought, by what else a sentence may say them.
var (
	naming = text.NewSet("name names named called")
	using  = text.NewSet("use used uses using need needs")
	owning = text.NewSet("own owns owned owner owners ownership responsible responsibility maintain maintains maintained maintainer maintainers")
	// measured are kinds of things that a number is given for.
	measured = text.NewSet(`port ports version versions price prices cost costs budget limit limits timeout size height width length depth weight distance
		temperature percentage rate fee age amount quota threshold interval capacity`)
	colouring = text.NewSet("colour color colours colors")
	colours   = text.NewSet("black white grey gray red green blue yellow orange purple violet pink brown turquoise beige gold silver")
	// general are verbs that tell nothing of what is sought.
	general = text.NewSet("take takes took taken last lasts come comes came go goes went work works live lives lie lies stay stays stand stands sit sits put puts set")
	// things are the words that ask for somebody or something; there are too many ways to give places and reasons.
	things = text.NewSet("who whom whose what which why how")
	// persons ask for somebody in other languages; a verb follows.
	persons = text.NewSet("wer wen wem qui quién quiénes quien quienes quem chi vem hvem hvem кто")
	// reasons are words with which a sentence gives one.
	reasons = text.NewSet("because since due reason reasons cause caused causes owing thanks so hence therefore after")
	// spans are the words with which a sentence says how long something lasts.
	spans = text.NewSet(`second seconds minute minutes hour hours hourly day days daily night nights week weeks weekend month months quarter year years decade
		decades century ms s min h d until since forever always permanently permanent never overnight short long`)
	// sizes follow "how" where a question seeks a number.
	sizes = text.NewSet("heavy tall high wide big large deep fast thick old hot cold far strong expensive")
	// oftens are the words, next to recurring ones, with which a sentence says how often.
	oftens = text.NewSet("once twice times per rarely seldom sometimes regularly")
	// whens are the words, next to spans and recurring ones, with which it says when.
	whens = text.NewSet(`when whenever if after before once during at until by as midnight noon morning evening night today tomorrow yesterday monday tuesday wednesday
		thursday friday saturday sunday january february march april may june july august september october november december spring summer autumn winter`)
	// places are the words with which it says where.
	places = text.NewSet(`in at on under behind near to into inside above below between next by with from via outside across upstairs downstairs here there
		everywhere nowhere beneath over within against along`)
	// opposites are words of which a sentence with one is not about a thing with the other.
	opposites = map[string]string{"new": "old", "old": "new"}
	// recurring are words of what happens again and again.
	recurring = text.NewSet(`every each daily weekly monthly hourly nightly yearly always mondays tuesdays wednesdays thursdays fridays saturdays sundays
		weekdays jeden jede jedes jeder täglich wöchentlich monatlich chaque tous toutes cada todos todas ogni elke iedere varje hver`)
)

// seek notes which words of a question say what it wants to know: the kinds and verbs that may differ, names and owners.
func (s *subject) seek(all []questionWord, may []bool, english bool) {
	first := func(word string) bool {
		return english && !s.time && slices.ContainsFunc(all, func(w questionWord) bool { return w.folded == word })
	}
	s.span, s.often = first("how") && followed(all, "how", "long"), first("how") && followed(all, "how", "often")
	s.amount = first("how") && (followed(all, "how", "much") || slices.ContainsFunc(all, func(w questionWord) bool { return sizes.Has(w.folded) && followed(all, "how", w.folded) }))
	s.when, s.where, s.who, s.why = first("when"), first("where"), first("who"), first("why")
	if !s.time && english && !slices.ContainsFunc(all, func(w questionWord) bool { return things.Has(w.folded) }) {
		return
	}
	for i, w := range all {
		s.version = s.version || measured.Has(w.folded) && i > 0 && all[i-1].name
		named := english && (w.folded == "called" || naming.Has(w.folded) && i > 0 && all[i-1].function) // not: the domain name
		switch {
		case named, english && owning.Has(w.folded), may[i] && !w.function && !vague.Has(w.folded) && !general.Has(w.folded) && !sizes.Has(w.folded):
			s.sought = append(s.sought, subjectWord{w.said, w.term})
		case may[i] && general.Has(w.folded):
			s.verbs = append(s.verbs, subjectWord{w.said, w.term})
		}
		s.uses = s.uses || english && using.Has(w.folded)
	}
	if who := len(all) > 0 && persons.Has(all[0].folded); !english && len(s.sought) < 2 && !who { // a verb, or a kind: nobody knows
		s.sought = nil
	}
}

// wants is the word that a sentence lacks which does not say what the question seeks.
func (s *subject) wants() string {
	if len(s.sought) > 0 {
		return s.sought[0].said
	}
	return "what is sought"
}

// followed reports whether one word of a question comes right before another.
func followed(all []questionWord, one, other string) bool {
	for i := range len(all) - 1 {
		if all[i].folded == one && all[i+1].folded == other {
			return true
		}
	}
	return false
}

// tells reports whether a sentence says what the question seeks: one of its words, or another word for it. A number is a port only where the sentence
// says what the port does. What is used may be of any other kind.
func (s *subject) tells(sentence string, terms map[string]bool) bool {
	said := words(sentence)
	has := func(set *text.Set) bool { return slices.ContainsFunc(said, set.Has) }
	digit := strings.ContainsFunc(sentence, unicode.IsDigit)
	switch {
	case s.span && !has(&spans),
		s.often && !has(&recurring) && !has(&oftens),
		s.when && !digit && !has(&whens) && !has(&spans) && !has(&recurring),
		s.where && !has(&places),
		s.amount && !digit && !numbered(said),
		s.who && s.passive(said):
		return false
	case len(s.sought) == 0:
		return true
	}
	number, does := false, s.why && has(&reasons) || s.where || s.span || s.version || slices.ContainsFunc(s.verbs, func(w subjectWord) bool { return w.in(terms) })
	for _, w := range s.sought {
		folded := text.Fold(w.said)
		switch said := w.in(terms); {
		case said && measured.Has(folded):
			return true
		case measured.Has(folded):
			number = true
		case naming.Has(folded): // a call isn't a name
			does = does || has(&naming)
		case said, owning.Has(folded) && has(&owning), colouring.Has(folded) && (has(&colouring) || has(&colours)):
			does = true
		}
	}
	if number {
		return does && digit
	}
	return does || s.uses && has(&using)
}

// passive reports whether the words of a sentence say that what the question seeks somebody for was done, and not by whom.
func (s *subject) passive(said []string) bool {
	for i := range said {
		if i == 0 || !copulas.Has(said[i-1]) || !isParticiple(said[i]) || slices.Contains(said[i:], "by") {
			continue
		}
		for _, w := range s.sought {
			if w.term == text.English.Stem(text.English.BaseForm(said[i])) {
				return true
			}
		}
	}
	return false
}

// numbered reports whether one of some words is a number of English.
func numbered(said []string) bool {
	for i := range said {
		if _, n := text.English.Number(said[i:]); n > 0 {
			return true
		}
	}
	return false
}

// gives reports whether a sentence, or the rest of a memory that has several, can give the reason that a question seeks.
func (s *subject) gives(sentence string, several bool) bool {
	if !s.why || several || strings.ContainsAny(sentence, ":;–—") {
		return true
	}
	said := words(sentence)
	for i, w := range said {
		if reasons.Has(w) || w == "to" && i+1 < len(said) && !text.IsStopWord(said[i+1]) {
			return true
		}
	}
	return false
}

// opposed reports whether a sentence is about the new one where the question is about the old one, or the other way round.
func (s *subject) opposed(said []string) bool {
	for _, w := range s.vague {
		if slices.Contains(said, opposites[w]) && !slices.Contains(said, w) {
			return true
		}
	}
	return false
}

// englishMayDiffer tells which words of an English question are the kind of thing that it seeks, or a verb.
func englishMayDiffer(all []questionWord) []bool {
	may := make([]bool, len(all))
	run := func(from int) (end int) {
		for end = from; end < len(all) && !all[end].function; end++ {
		}
		return end
	}
	for i := 0; i < len(all); i++ {
		w := all[i]
		switch {
		case asking.Has(w.folded):
			end := run(i + 1)
			switch {
			case end == i+1:
			case end < len(all) && auxiliaries.Has(all[end].folded): // which port does …
				for k := i + 1; k < end; k++ {
					may[k] = true
				}
			default: // who owns …, which server runs …
				may[i+1] = true
				if w.folded == "which" && i+2 < end {
					may[i+2] = true
				}
			}
		case auxiliaries.Has(w.folded):
			from := i + 1
			pronoun := false
			for from < len(all) && all[from].function && !auxiliaries.Has(all[from].folded) {
				pronoun = pronouns.Has(all[from].folded)
				from++
			}
			end := run(from)
			switch {
			case end == from:
			case pronoun: // did we move …
				may[from] = true
			case copulas.Has(w.folded): // is the door closed
				for k := from; k < end; k++ {
					may[k] = may[k] || isParticiple(all[k].folded) && k == end-1
				}
			case end-from > 1 && (end == len(all) || !auxiliaries.Has(all[end].folded)): // does the printer listen
				may[end-1] = true
			}
		}
	}
	if n := len(all) - 1; n > 1 && isParticiple(all[n].folded) && slices.ContainsFunc(all, func(w questionWord) bool { return copulas.Has(w.folded) }) {
		may[n] = true // where are the parts for it kept
	}
	return may
}

// isParticiple reports whether a word of English looks like one: closed, kept, using.
func isParticiple(word string) bool {
	return strings.HasSuffix(word, "ed") || strings.HasSuffix(word, "ing") || text.English.BaseForm(word) != word
}

// othersMayDiffer tells the same of another language: the first word that says something, and the one right behind it.
// In a question for a time it is the last one of several.
func othersMayDiffer(all []questionWord, time bool) []bool {
	may := make([]bool, len(all))
	if time {
		verb := len(all) - 1
		if len(all) > 2 && !all[1].function && asksTime()[all[0].folded] && !asksTime()[all[1].folded] {
			verb = 1 // wann endet …
		}
		if verb > 0 {
			may[verb] = true
		}
		for i, w := range all {
			may[i] = may[i] || asksTime()[w.folded]
		}
		return may
	}
	first := slices.IndexFunc(all, func(w questionWord) bool { return !w.function })
	if first < 0 || first == 0 && len(all) > 1 && !all[1].function {
		return may
	}
	may[first] = true
	if first+2 < len(all) && !all[first+1].function {
		may[first+1] = true
	}
	return may
}

// missing is the first word of the subject that some terms lack; "" for none. Of the many words of a question for a time
// half may be missing, but for the first: it tells of what happened, and sets the scene besides.
func (s *subject) missing(terms map[string]bool) string {
	lacks, n := "", 0
	for i, w := range s.words {
		if w.in(terms) {
			continue
		}
		if n++; lacks == "" {
			lacks = w.said
		}
		if i == 0 {
			return lacks
		}
	}
	if s.time && len(s.words) >= manyWords && n <= len(s.words)/2 {
		return ""
	}
	return lacks
}

// manyWords are so many that they may tell more of what happened than who tells of it does.
const manyWords = 3

// in reports whether some terms, of a sentence whose language may not be known, have the word.
func (w subjectWord) in(terms map[string]bool) bool {
	folded := text.Fold(w.said)
	return terms[w.term] || terms[folded] || terms[text.English.Stem(text.English.BaseForm(folded))] || hasLike(terms, w.term)
}

// hasLike reports whether one of some terms is another form of a term, a part of it or a compound of it.
func hasLike(terms map[string]bool, term string) bool {
	for t := range terms {
		short, long := t, term
		if len(short) > len(long) {
			short, long = long, short
		}
		switch n := len(short); {
		case (n >= 5 || n == 4 && len(long) == 5) && strings.HasPrefix(long, short) && 10*n >= 6*len(long):
			return true
		case n >= 5 && strings.HasSuffix(long, short):
			return true
		case n >= 6 && strings.HasPrefix(long, short[:n-2]) && len(long)-n <= 2:
			return true
		}
	}
	return false
}

// counts reports whether a sentence says a number of what is counted: "three gateways", "gateways: 3".
func (s *subject) counts(sentence string) bool {
	if s.counted == "" {
		return true
	}
	words := words(sentence)
	number := func(i int) bool {
		if i < 0 || i >= len(words) {
			return false
		}
		if text.IsDigit(words[i][0]) {
			return true
		}
		_, n := text.English.Number(words[i : i+1])
		return n > 0
	}
	for i, w := range words {
		if term := text.English.Stem(text.English.BaseForm(w)); term == s.counted {
			for back := 1; back <= 3; back++ {
				if number(i - back) {
					return true
				}
			}
			if number(i + 1) {
				return true
			}
		}
	}
	return false
}
