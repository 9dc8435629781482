package temporal

import (
	"cmp"
	"slices"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/memoryd/memoryd/pkg/text"
)

// Resolve finds the expressions of time in text, relative and absolute, and
// resolves them against ref, in ref's location. It reports all it can read: who
// must not err takes the spans that are [Sure]. The spans are in the order of
// the text and don't overlap; where several readings start at the same word, the
// longest is taken. A range whose last end is a date in its own right ("from 3 to
// 5 May") gives two spans: the first, up to there, has the whole interval and Shape
// [Range], the second the last end alone, with Shape [Until]. Results outside the years 1 to 9999 are left out.
func Resolve(s string, ref time.Time) []Span {
	found := vocabulary(s).scan(s)
	if year := ref.Year(); year < 1 || year > 9999 || found == 0 {
		return nil
	}
	return resolve(s, ref, found)
}

const detected = 240 // bytes that tell the language of a text

// resolve reads s in its language. Where that isn't known, or has no word for time in s, an expression that only one language has decides
// for itself, and so does one that several read alike.
func resolve(s string, ref time.Time, found languageSet) []Span {
	code := text.LanguageOf(s[:cut(s, detected)])
	known := languageOf(code)
	mixed := found.has("zh") && found.has("ja") && found&kana == 0 // Han characters alone
	if known != nil && !mixed {
		if spans := resolveIn(s, ref, known, true); len(spans) > 0 || code == text.English {
			return spans
		}
	}
	var all []Span
	for i, c := range codes {
		if c != "en" && !found.has(c) {
			continue
		}
		spans := resolveIn(s, ref, languageOf(text.Language(c)), false)
		if code != text.Unknown && !mixed { // English words in another language
			spans = slices.DeleteFunc(spans, func(s Span) bool { return s.Confidence == Guess })
		}
		if i == 0 {
			all = spans
		} else {
			all = agreed(all, spans)
		}
	}
	return all
}

// agreed unites the spans of two languages. Of two that overlap the longer one counts unless they mean the same, and neither if none holds the other and they differ.
func agreed(a, b []Span) []Span {
	all := slices.Concat(a, b)
	slices.SortStableFunc(all, func(x, y Span) int { return cmp.Or(cmp.Compare(x.Start, y.Start), cmp.Compare(y.End, x.End)) })
	kept := all[:0]
	for _, s := range all {
		n := len(kept)
		switch {
		case n == 0 || kept[n-1].End <= s.Start:
			kept = append(kept, s)
		case kept[n-1].From.Equal(s.From) && kept[n-1].To.Equal(s.To): // with a preposition in one, without it in the other
			kept[n-1] = s
		case kept[n-1].End-kept[n-1].Start > s.End-s.Start && kept[n-1].End >= s.End:
		default:
			kept = kept[:n-1]
		}
	}
	return kept
}

// resolveIn reads text as one of a language. Where that isn't sure, words that other languages have too say nothing.
func resolveIn(text string, ref time.Time, lang *language, sure bool) []Span {
	tokens, notes := tokenize(text, protected(text, lang), lang)
	p := &parser{text: text, lang: lang, sure: sure, tokens: tokens, calendar: calendar{ref}, order: func() string { return lang.order }}
	if !sure {
		p.order = sync.OnceValue(func() string { return likelyOrder(text) })
	}
	var spans []Span
	for i := 0; i < len(p.tokens); {
		w, n := p.read(i)
		if n == 0 {
			i++
			continue
		}
		span := p.spanOf(w, i, n)
		if !span.valid() || !p.standsAlone(span.Start, span.End) || isGivenName(p, i, n) || !p.ends(i+n) || !sure && !p.decides(i, i+n) {
			i++
			continue
		}
		if w.last != nil {
			span.End = p.tokens[w.split-1].end
			span.Text = text[span.Start:span.End]
		}
		spans = append(spans, span)
		i += n
		if w.last != nil {
			if end := p.spanOf(*w.last, w.lastAt, i-w.lastAt); end.valid() {
				end.Shape = Until
				spans = append(spans, end)
			}
		}
	}
	p.quoted(spans)
	return p.noted(spans, notes)
}

// likelyOrder is the order of the numbers of a date in a text whose language isn't known: the day first, if it has two function words of one
// language and none of English; else nobody can tell.
func likelyOrder(s string) string {
	const enough = 2
	n := map[text.Language]int{}
	for t := range text.Tokens(s[:cut(s, detected)]) {
		word := text.Fold(s[t.Start:t.End])
		if text.English.IsStopWord(word) {
			return ""
		}
		for _, l := range text.Languages() {
			if l.IsStopWord(word) {
				n[l]++
			}
		}
	}
	for _, count := range n {
		if count >= enough {
			return "dmy"
		}
	}
	return ""
}

// ends reports whether a word may end before the token at i: a letter of Hangul goes on with a word unless it begins a particle.
func (p *parser) ends(i int) bool {
	t := p.at(i)
	return t.sep != sepNone || t.word.role&particle != 0 || t.word.shape != Point || !joined(p.text, t.start) && (i == 0 || p.at(i-1).digits == 0 || p.lang.code != "ko" || t.lower == "")
}

// decides reports whether the tokens [i,j) tell the language by themselves: by a word that English doesn't have, by two that are short or
// stand in other languages as well, or by the name of a month in lower case next to a number ("31 mars").
func (p *parser) decides(i, j int) bool {
	const short, enough = 3, 2
	n := 0
	for k := i; k < j; k++ {
		t := p.at(k)
		switch r, _ := utf8.DecodeRuneInString(t.lower); {
		case t.word == none.word || languageOf("en").lexicon[t.lower] != nil:
		case t.word.role&weak == 0 && (isDense(r) || len(t.lower) > short || t.word.month > 0):
			return true
		case t.word.month > 0 && !t.capital && (p.at(k-1).digits > 0 && k > i || p.at(k+1).digits > 0 && k+1 < j):
			return true
		default:
			n++
		}
	}
	return p.english() || n >= enough
}

// noted adds the dates in parentheses that are not the notes of Annotate.
func (p *parser) noted(spans []Span, notes []region) []Span {
	if len(notes) == 0 {
		return spans
	}
	all := make([]Span, 0, len(spans)+len(notes))
	for _, note := range notes {
		for len(spans) > 0 && spans[0].Start < note.start {
			all, spans = append(all, spans[0]), spans[1:]
		}
		at := note.start + len(" (")
		date := p.text[at : note.end-len(")")]
		if n := len(all); n > 0 && (all[n-1].End > note.start || all[n-1].note == note.start && all[n-1].Relative && all[n-1].noteSure && all[n-1].Absolute() == date) {
			continue
		}
		for _, s := range resolveIn(date, p.ref, languageOf("en"), true) {
			s.Start, s.End, s.note = s.Start+at, s.End+at, s.note+at
			all = append(all, s)
		}
	}
	return append(all, spans...)
}

// spanOf is the span of the reading w of n tokens from i on.
func (p *parser) spanOf(w when, i, n int) Span {
	start, end := p.tokens[i].start, p.tokens[i+n-1].end
	if p.english() {
		end += possessive(p.text[end:])
	}
	s := Span{
		Start: start, End: end, From: w.from, To: w.to, Grain: w.grain, Text: p.text[start:end],
		Shape: w.shape, Relative: w.relative, Confidence: w.confidence,
		note: end, to: " to ", noteSure: w.confidence == Sure, swaps: w.eitherWay && w.last == nil && w.shape == Point && w.clock.zone == nil,
	}
	if !p.english() {
		s.to = "/" // as ISO 8601 writes an interval
	}
	if w.clock.set {
		s.noteDay, s.noteSure = true, w.dayEnd > 0 && w.dayConfidence == Sure
		if w.dayEnd > 0 {
			if s.note = p.tokens[w.dayEnd-1].end; p.english() {
				s.note += possessive(p.text[s.note:])
			}
		}
	}
	if s.Shape == Point {
		if s.Shape = p.at(p.before(i)).word.shape; s.Shape == Point && p.lang.behind {
			s.Shape = p.known(i + n).shape
		}
		if in := p.at(i).word.shape; !p.english() && (in == Since || in == Until) {
			s.Shape = in
		}
	}
	return s
}

// quoted lowers the confidence of text in quotation marks: somebody
// else's words, said at another time.
func (p *parser) quoted(spans []Span) {
	if len(spans) == 0 {
		return
	}
	marks := quotes(p.text)
	for i := range spans {
		for len(marks) > 0 && marks[0].end <= spans[i].Start {
			marks = marks[1:]
		}
		if len(marks) > 0 && marks[0].start < spans[i].End && spans[i].Relative {
			spans[i].Confidence = min(spans[i].Confidence, Likely)
			spans[i].noteSure = false
		}
	}
}
