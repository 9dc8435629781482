package temporal

import (
	"strings"
	"time"
)

// Span is one expression of time in a text and the interval it means.
type Span struct {
	Start, End int       // byte offsets in the text
	From, To   time.Time // the interval [From, To), in the reference's location
	Grain      string    // minute, hour, daypart, day, weekend, week, month, quarter, year
	Text       string    // the expression as written: text[Start:End]
	Relative   bool      // the interval depends on the reference, not on the text alone
}

// Grains of a [Span], from fine to coarse.
const (
	grainMinute  = "minute"
	grainHour    = "hour"
	grainDaypart = "daypart"
	grainDay     = "day"
	grainWeekend = "weekend"
	grainWeek    = "week"
	grainMonth   = "month"
	grainQuarter = "quarter"
	grainYear    = "year"
)

// Resolve finds the expressions of time in text, relative and absolute, and
// resolves them against ref, in ref's location. The spans are in the order of
// the text and don't overlap; where two readings start at the same word, the
// longer one is taken. Results outside the years 1 to 9999 are left out.
func Resolve(text string, ref time.Time) []Span {
	if year := ref.Year(); year < 1 || year > 9999 {
		return nil
	}
	p := &parser{text: text, tokens: tokenize(text), ref: ref}
	var spans []Span
	for i := 0; i < len(p.tokens); {
		reading, n := p.read(i)
		if n == 0 {
			i++
			continue
		}
		start, end := p.tokens[i].start, p.tokens[i+n-1].end
		end += possessive(text[end:])
		if reading.to.After(reading.from) && reading.from.Year() >= 1 && reading.to.Year() <= 10000 && p.standsAlone(start, end) {
			spans = append(spans, Span{
				Start: start, End: end, From: reading.from, To: reading.to,
				Grain: reading.grain, Text: text[start:end], Relative: reading.relative,
			})
		}
		i += n
	}
	return spans
}

// Annotate writes the absolute date beside each relative expression in text,
// in parentheses: a day as 2006-01-02, weeks and weekends as their first and
// last day, months as 2006-01, quarters as 2006-Q1, years as 2006, hours and
// minutes as 2006-01-02 15:04. An expression that already has its absolute
// date beside it is left alone, so annotating is idempotent.
func Annotate(text string, ref time.Time) string {
	spans := Resolve(text, ref)
	var b strings.Builder
	written := 0
	for i, s := range spans {
		if !s.Relative || dated(text, spans, i) {
			continue
		}
		b.WriteString(text[written:s.End])
		b.WriteString(" (" + s.absolute() + ")")
		written = s.End
	}
	if written == 0 {
		return text
	}
	b.WriteString(text[written:])
	return b.String()
}

// absolute is the form in which Annotate writes the interval.
func (s Span) absolute() string {
	const day = "2006-01-02"
	switch s.Grain {
	case grainMinute, grainHour:
		return s.From.Format(day + " 15:04")
	case grainWeek, grainWeekend:
		return s.From.Format(day) + " to " + s.To.AddDate(0, 0, -1).Format(day)
	case grainMonth:
		return s.From.Format("2006-01")
	case grainQuarter:
		return s.From.Format("2006-Q") + string(rune('1'+(s.From.Month()-1)/3))
	case grainYear:
		return s.From.Format("2006")
	}
	return s.From.Format(day)
}

// dated reports whether spans[i] has an absolute date beside it already.
func dated(text string, spans []Span, i int) bool {
	s := spans[i]
	if note, ok := parenthesis(text[s.End:]); ok && hasDate(note, s) {
		return true
	}
	if i+1 < len(spans) && !spans[i+1].Relative {
		switch strings.TrimSpace(text[s.End:spans[i+1].Start]) {
		case "", ",", ":", "-", "–", "—", "on", ", on", "=", "i.e.", ", i.e.":
			return true
		}
	}
	if i > 0 && !spans[i-1].Relative {
		switch strings.TrimSpace(text[spans[i-1].End:s.Start]) {
		case "", ",", ":", "-", "–", "—", "(", "=":
			return true
		}
	}
	return false
}

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

// hasDate reports whether the note beside a span holds a year or a date.
func hasDate(note string, beside Span) bool {
	for _, t := range tokenize(note) {
		if t.digits && t.end-t.start == 4 && (t.value >= 1900 && t.value <= 2100 || t.value == beside.From.Year()) {
			return true
		}
	}
	for _, s := range Resolve(note, beside.From) {
		if !s.Relative {
			return true
		}
	}
	return false
}

// possessive is the length of a possessive ending ("'s") at the start of text.
func possessive(text string) int {
	for _, ending := range []string{"'s", "’s", "'S", "’S"} {
		if rest, ok := strings.CutPrefix(text, ending); ok && !startsWithLetter(rest) {
			return len(ending)
		}
	}
	return 0
}
