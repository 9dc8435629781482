package temporal

import "time"

// when is what an expression, or a part of one, says of time: an interval, or
// the fields of a date that the context has yet to place.
type when struct {
	from, to time.Time // the interval, once grain is set
	grain    string

	year, month, day, weekday int // 0: not said
	clock                     clock

	shape      Shape
	relative   bool
	eitherWay  bool // day and month may be the other way round
	confidence Confidence

	dayEnd        int        // the token after the words that say the day
	dayConfidence Confidence // of these

	last          *when // of a range: its last end,
	split, lastAt int   // the token after the first end, and that of the last
}

func (w when) likely() when { w.confidence = min(w.confidence, Likely); return w }
func (w when) guess() when  { w.confidence = Guess; return w }

// clock is a time of day, or a span of one.
type clock struct {
	set      bool
	from, to int    // minutes after midnight; to is 0 but for a span
	hourly   bool   // said to the hour
	half     bool   // the half of the day is known: am, pm, 15:00
	weak     bool   // by one letter only, as in "3a" and "8h"
	part     string // of the day: "morning", with or without a time
	zone     *time.Location
}
