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

	note     int    // where Annotate writes
	noteDay  bool   // a time of day was said too, but the note is about the day
	to       string // between two dates of the note
	noteSure bool   // the day is certain, even if the time of day isn't
	swaps    bool   // day and month may be the other way round
}

// Readings are the span itself and, where nobody can tell whether the day or the month comes
// first in "3/4/2026", the span of the other order as well. Such a span is a [Guess]: who
// acts upon a time must not act upon one of the two.
func (s Span) Readings() []Span {
	if !s.swaps {
		return []Span{s}
	}
	other, from := s, s.From
	other.From = time.Date(from.Year(), time.Month(from.Day()), int(from.Month()), from.Hour(), from.Minute(), from.Second(), 0, from.Location())
	if other.To = other.From.Add(s.To.Sub(from)); s.Grain == GrainDay {
		other.To = other.From.AddDate(0, 0, 1)
	}
	return []Span{s, other}
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

// valid reports whether the interval is one, and of the calendar.
func (s Span) valid() bool {
	return s.To.After(s.From) && s.From.Year() >= 1 && s.To.Year() <= 10000
}
