package temporal

import (
	"strings"
	"time"
)

// Annotate writes the absolute date next to each relative expression in text
// that has one reading only, in parentheses: a day as 2006-01-02, weeks and
// weekends as their first and last day, months as 2006-01, quarters as 2006-Q1,
// years as 2006, decades and centuries as their first and last year, hours and minutes as 2006-01-02 15:04. An expression that
// already has its absolute date next to it is left alone, so annotating is
// idempotent.
func Annotate(text string, ref time.Time) string {
	spans := Resolve(text, ref)
	var b strings.Builder
	written := 0
	for i, s := range spans {
		if !s.Relative || !s.noteSure || dated(text, spans, i) {
			continue
		}
		b.WriteString(text[written:s.note])
		b.WriteString(" (" + s.Absolute() + ")")
		written = s.note
	}
	if written == 0 {
		return text
	}
	b.WriteString(text[written:])
	return b.String()
}

// Absolute is the interval as a date, as Annotate writes it: 2026-03-10, 2026-03-02 to 2026-03-08, 2026-01, 2026. It ends in the form of
// its language: a slash, as ISO 8601 has it, where that is not English.
func (s Span) Absolute() string {
	const day = "2006-01-02"
	if s.noteDay {
		return s.From.Format(day)
	}
	switch s.Grain {
	case GrainMinute, GrainHour:
		return s.From.Format(day + " 15:04")
	case GrainWeek, GrainWeekend:
		return s.From.Format(day) + s.to + s.To.AddDate(0, 0, -1).Format(day)
	case GrainMonth:
		return s.From.Format("2006-01")
	case GrainQuarter:
		return s.From.Format("2006-Q") + string(rune('1'+(s.From.Month()-1)/3))
	case GrainYear:
		return s.From.Format("2006")
	case GrainDecade, GrainCentury:
		return s.From.Format("2006") + s.to + s.To.AddDate(-1, 0, 0).Format("2006")
	}
	return s.From.Format(day)
}

// dated reports whether spans[i] has an absolute date next to it already.
func dated(text string, spans []Span, i int) bool {
	s := spans[i]
	for _, end := range []int{s.note, s.End} {
		if note, ok := parenthesis(text[end:]); ok && hasDate(note, s) {
			return true
		}
	}
	if i+1 < len(spans) && spans[i+1].names() {
		switch strings.TrimSpace(text[s.End:spans[i+1].Start]) {
		case "", ",", ":", "-", "–", "—", "on", ", on", "=", "i.e.", ", i.e.":
			return true
		}
	}
	if i > 0 && spans[i-1].names() {
		switch strings.TrimSpace(text[spans[i-1].End:s.Start]) {
		case "", ",", ":", "-", "–", "—", "(", "=":
			return true
		}
	}
	return false
}

// names reports whether the span names a date of the calendar.
func (s Span) names() bool { return !s.Relative }

// parenthesis returns the inside of the parentheses that open at the start of
// text, blanks aside, when they close within a reasonable distance.
func parenthesis(text string) (string, bool) {
	const reach = 80
	text = strings.TrimLeft(text, " \t\r\n")
	if !strings.HasPrefix(text, "(") {
		return "", false
	}
	if end := strings.IndexByte(text[:min(len(text), reach)], ')'); end > 0 {
		return text[1:end], true
	}
	return "", false
}

// hasDate reports whether the note next to a span holds a year or a date.
func hasDate(note string, beside Span) bool {
	lang := languageOf("en")
	tokens, _ := tokenize(note, protected(note, lang), lang)
	for _, t := range tokens {
		if t.digits == 4 && (t.value >= 1900 && t.value <= 2100 || t.value == beside.From.Year()) {
			return true
		}
	}
	for _, s := range Resolve(note, beside.From) {
		if s.names() {
			return true
		}
	}
	return false
}

// possessive is the length of a possessive ending ("'s") at the start of text.
func possessive(text string) int {
	for _, ending := range []string{"'s", "’s", "'S", "’S"} {
		if rest, ok := strings.CutPrefix(text, ending); ok && !wordAt(rest, 0) {
			return len(ending)
		}
	}
	return 0
}
