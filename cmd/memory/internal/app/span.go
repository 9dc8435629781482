package app

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/temporal"
	"github.com/memoryd/memoryd/pkg/text"
	"github.com/memoryd/memoryd/pkg/timestamp"
)

// ErrNoTime: an argument can't be read as a time.
var ErrNoTime = errors.New(`no time: write one such as 2026-03-01, 30d or "last week"`)

// InZone is a moment in the time zone of triggers.timezone, in which days begin and end.
func InZone(at time.Time, settings config.Settings) (time.Time, error) {
	zone, err := settings.Triggers.Zone(time.Local)
	return at.In(zone), err
}

// Minute is the layout of a time for people, with the zone that it is in.
const Minute = "2006-01-02 15:04 MST"

// ParseSpan reads an argument that is a time, as a moment, as how long ago it was ("30d") or as people say it; at is the present, in the time zone in which days are
// counted. Memories are of the past: a day without its year, or of its week, is the last one. A date that can be two days is an error
// that names both.
func ParseSpan(s string, at time.Time) (temporal.Span, error) {
	s = strings.TrimSpace(s)
	if moment, err := time.Parse(time.RFC3339, s); err == nil {
		return temporal.Span{From: moment, To: moment}, nil
	}
	if ago, err := config.ParseDuration(s); err == nil {
		moment := ago.Before(at)
		return temporal.Span{From: moment, To: moment}, nil
	}
	if spans := temporal.Resolve(s, at); len(spans) == 1 && onlyFunctionWords(s[:spans[0].Start]+s[spans[0].End:]) {
		span := lastOne(spans[0], at)
		if span.Confidence != temporal.Guess || span.Relative {
			return span, nil
		}
		if both := spans[0].Readings(); len(both) > 1 {
			return span, fmt.Errorf("%q can be %s or %s: write the one that is meant so", s, both[0].Absolute(), both[1].Absolute())
		}
		return span, fmt.Errorf("%q can be two times: write one such as %s", s, span.From.Format(time.DateOnly))
	}
	// A short number is a year or a day to people, and a moment of 1970 to programs.
	if moment := timestamp.Parse(s); !moment.IsZero() && len(s) >= len("1700000000") {
		return temporal.Span{From: moment, To: moment}, nil
	}
	return temporal.Span{}, fmt.Errorf("%q is %w", s, ErrNoTime)
}

// lastOne is the span a year earlier, or a week, if it is likely that of the future and could be that of the past.
func lastOne(span temporal.Span, at time.Time) temporal.Span {
	if span.Confidence != temporal.Likely || !span.From.After(at) {
		return span
	}
	years, days := -1, 0
	if span.Relative {
		years, days = 0, -7
	}
	span.From, span.To = span.From.AddDate(years, 0, days), span.To.AddDate(years, 0, days)
	return span
}

// onlyFunctionWords reports whether the words around a time are only function words, such as "on" or "le".
func onlyFunctionWords(rest string) bool {
	for t := range text.Tokens(rest) {
		word, known := text.Fold(rest[t.Start:t.End]), false
		for _, l := range text.Languages() {
			known = known || l.IsStopWord(word)
		}
		if !known {
			return false
		}
	}
	return true
}
