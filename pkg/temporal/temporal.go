package temporal

import "time"

// Span is one expression of time in a text and the interval it means.
type Span struct {
	Start, End int       // byte offsets in the text
	From, To   time.Time // the interval [From, To), in the reference's location
	Grain      string    // how finely the expression is said: GrainDay, …
	Text       string    // the expression as written: text[Start:End]
	Shape      Shape     // how the interval bounds what is said
	// Relative: the expression says where it lies from the speaker (yesterday,
	// next week, on Friday) and loses its meaning with the date of the text. It is
	// false for one that names a date of the calendar, be it without the year.
	Relative   bool
	Confidence Confidence

	note     int  // where Annotate writes
	noteDay  bool // a time of day was said too, but the note is about the day
	noteSure bool // the day is certain, even if the time of day isn't
}

// Grains of a [Span], from fine to coarse.
const (
	GrainMinute  = "minute"
	GrainHour    = "hour"
	GrainDaypart = "daypart"
	GrainDay     = "day"
	GrainWeekend = "weekend"
	GrainWeek    = "week"
	GrainMonth   = "month"
	GrainSeason  = "season"
	GrainQuarter = "quarter"
	GrainHalf    = "half"
	GrainYear    = "year"
	GrainDecade  = "decade"
	GrainCentury = "century"
	GrainRange   = "range" // of any other length
)

// Shape says how the interval of a [Span] bounds what the text says of it.
type Shape byte

const (
	Point  Shape = iota // at some time in, or all through, the interval
	Range               // from From to To, both named in the text or counted from the reference
	Since               // from the interval on, up to the reference
	Until               // up to the interval
	Before              // before the interval
	After               // after the interval
)

func (s Shape) String() string {
	if int(s) < len(shapeNames) {
		return shapeNames[s]
	}
	return "unknown"
}

var shapeNames = [...]string{"point", "range", "since", "until", "before", "after"}

// Confidence says how much of a [Span] is a conclusion. More is larger.
type Confidence int8

const (
	Sure   Confidence = 0  // one reading only
	Likely Confidence = -1 // the likeliest of several: the tense decides between last and next Friday
	Guess  Confidence = -2 // maybe no date at all: "at night", a time of day without its day
)

func (c Confidence) String() string {
	switch c {
	case Sure:
		return "sure"
	case Likely:
		return "likely"
	}
	return "guess"
}

// Resolve finds the expressions of time in text, relative and absolute, and
// resolves them against ref, in ref's location. It reports all it can read: who
// must not err takes the spans that are [Sure]. The spans are in the order of
// the text and don't overlap; where several readings start at the same word, the
// longest is taken. A range whose last end is a date in its own right ("from 3 to
// 5 May") gives two spans: the first, up to there, has the whole interval and Shape
// [Range], the second the last end alone, with Shape [Until]. Results outside the years 1 to 9999 are left out.
func Resolve(text string, ref time.Time) []Span {
	if year := ref.Year(); year < 1 || year > 9999 {
		return nil
	}
	tokens, notes := tokenize(text)
	p := &parser{text: text, tokens: tokens, ref: ref}
	var spans []Span
	for i := 0; i < len(p.tokens); {
		w, n := p.read(i)
		if n == 0 {
			i++
			continue
		}
		span := p.spanOf(w, i, n)
		if !span.valid() || !p.standsAlone(span.Start, span.End) {
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
		if n := len(all); n > 0 && (all[n-1].End > note.start || all[n-1].note == note.start && all[n-1].Relative && all[n-1].noteSure && all[n-1].absolute() == date) {
			continue
		}
		for _, s := range Resolve(date, p.ref) {
			s.Start, s.End, s.note = s.Start+at, s.End+at, s.note+at
			all = append(all, s)
		}
	}
	return append(all, spans...)
}

// valid reports whether the interval is one, and of the calendar.
func (s Span) valid() bool {
	return s.To.After(s.From) && s.From.Year() >= 1 && s.To.Year() <= 10000
}

// spanOf is the span of the reading w of n tokens from i on.
func (p *parser) spanOf(w when, i, n int) Span {
	start, end := p.tokens[i].start, p.tokens[i+n-1].end
	end += possessive(p.text[end:])
	s := Span{
		Start: start, End: end, From: w.from, To: w.to, Grain: w.grain, Text: p.text[start:end],
		Shape: w.shape, Relative: w.relative, Confidence: w.confidence,
		note: end, noteSure: w.confidence == Sure,
	}
	if w.clock.set {
		s.noteDay, s.noteSure = true, w.dayEnd > 0 && w.dayConfidence == Sure
		if w.dayEnd > 0 {
			s.note = p.tokens[w.dayEnd-1].end + possessive(p.text[p.tokens[w.dayEnd-1].end:])
		}
	}
	if s.Shape == Point {
		s.Shape = shapes[p.word(p.before(i))]
	}
	return s
}

// shapes are the prepositions that make an interval a bound.
var shapes = map[string]Shape{
	"since": Since, "until": Until, "till": Until, "til": Until, "by": Until, "before": Before, "after": After,
}

// quoted lowers the confidence of what stands in quotation marks: somebody
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
