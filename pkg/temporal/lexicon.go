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

// kinds is a set of kinds of words: one bit for each kind that a class needs, and one for the words of a literal element, which it may share
// with those of another.
type kinds uint64

const (
	aMonth kinds = 1 << iota
	aWeekday
	aUnit
	aPart
	aSeason
	aFigure
	literalKind = iota // the first bit of literals
)

// opening is the kind of a token with which an expression can begin.
type opening byte

const (
	figure  opening = 1 << iota // digits
	numeral                     // a number or an ordinal in words
	named                       // a month, a weekday, a season, a part of the day
	article                     // the, a, an
	deictic                     // last, this, next, and their like
	other                       // the first word of a row, or one before a time of day
)

// role is what else a word of a language does.
type role uint16

const (
	weak     role = 1 << iota // a word of other languages too: read only where the language is known
	every                     // before a name: each such time
	at                        // before a time of day
	oclock                    // behind an hour
	halfHour                  // behind an hour: thirty minutes
	am                        // next to an hour: before noon
	pm                        // next to an hour: after noon
	particle                  // may be glued to the end of an expression
	on                        // before a date in numbers
	length                    // before an amount that is a length of time
	start                     // says since or from, so that the tense stays open
	adverb                    // between an auxiliary and its participle
	notVerb                   // ends as a past form and is none
	measure                   // before an amount that tells how long something takes
	hourly                    // before an hour that needs no other word
	noun                      // before a word that is a noun then: am Morgen
)

// cue is what a word says about the time of the clause it stands in.
type cue int8

const (
	past   cue = -1
	silent cue = 0
	future cue = 1
)
