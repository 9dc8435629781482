package temporal

import "time"

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
	kinds    kinds
	step     int     // of last, this, next
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
