// Package temporal finds expressions of time in text of 34 languages and says which
// interval of the calendar they mean.
//
// A note that says "yesterday" is only true on the day it was written. Given
// that day as the reference, [Resolve] turns every expression it knows into an
// interval [from, to), for those who search by time, and [Annotate] writes the
// absolute date next to the relative ones, so that the note stays true:
//
//	yesterday                 yesterday (2026-03-10)
//	last week                 last week (2026-03-02 to 2026-03-08)
//	two months ago            two months ago (2026-01)
//
// The two want different things of one parser: a search wants everything that
// may be meant, a summary must not assert what is not certain. So every [Span]
// has a [Confidence]. Annotate writes only where it is [Sure]; a search takes what
// it likes.
//
// # What is read
//
//	days             today, last night, the day before yesterday, on the 5th, the 5th of next month
//	amounts          three days ago, in 2 weeks, a few months ago, 1d ago, an hour and a half ago, a week after tomorrow
//	steps            last, this, next with a unit, weekday, weekend, month, season; the week before last
//	weekdays         on Friday, Tuesday next week, Friday the 13th, two Thursdays ago
//	dates            2026-03-11, 2026-W11-3, 3/11/2026, 11.03.2026, 11-Mar-2026, March 11, the 11th of March 2026, March 6 this year
//	periods          March, March 2026, in 2010, Q3, H1 2026, week 12, summer 2019, the 1990s, the 19th century
//	pieces           early 2020, mid-June, the end of the month, the first Monday of May, the last 3 days of July
//	windows          the past three months, the next 5 days
//	ranges           May 3-5, from 3 to 5 May, between 2014 and 2018, Nov-Feb 2017, from 2pm till tomorrow 4:30pm
//	times of day     8:30 pm, 15h30, noon, half past 3, 3-5pm, 15:00 UTC, with the day before or after
//	holidays         Christmas, New Year, Easter, Thanksgiving, Labor Day and others of the United States, by rules in the data file
//	arithmetic       now - 2 hours, three Fridays from now
//
// That is English. The tables of the other languages read days, amounts, steps, weekdays, dates, periods, the first and last part of a
// period, quarters, and a time of day next to a day.
//
// # Languages
//
// Each has a data file (languages/CODE.txt): its words, and rows of patterns with what they mean. A new word or form is an entry there. English has
// functions of its own besides. The others are German, French, Spanish, Italian, Portuguese, Dutch, Polish, Russian, Japanese, Chinese, Korean and Turkish. The
// language of a text is found by [text.LanguageOf]. Where it isn't known, or the language has nothing of time in the text, an expression
// counts if one of its words belongs to a single language ("vorgestern") or if all languages that have it mean the same day ("morgen"). A word that is something else in another
// language ("hier") says nothing then. In 3/4/2026 the day comes first in languages that write it so; in English the month; where the language isn't
// known, the day, if two function words say that it is not English, else it is a [Guess].
//
// # How it works
//
// The text is cut into tokens. Code, quoted names of files, URLs, paths, versions and
// identifiers are left out. [Resolve] tries the grammar at each token that can begin an
// expression; the longest reading wins. The grammar of a language is the rows of its data file: a
// pattern of words and classes of words (classes.go), and the name of its reading (rows.go). A row is tried only where the kinds of words it
// needs are near. Dates by name and number (dates.go) and times of day (clock.go) are functions,
// since the words next to a number decide what it is. One scan (vocabulary.go) keeps texts without any word of time from all of this.
//
// A reading that leaves something out ("Friday", "5 May", "3-5") is kept as fields and
// put on the calendar when the expression is complete (place.go). The other end of a
// range fills in fields first. Then the tense decides between past and future (tense.go):
// a preposition (until, since), the nearest verb before in the sentence, or else the
// nearest one after. Without any, a weekday is the coming one and a date the nearest,
// where the past counts as twice as far.
//
// # Intervals
//
// An interval [from, to) begins and ends at midnight in the reference's location, unless
// a time of day was said. Days are added by the calendar, so a day on which clocks change
// is still one day.
//
// A week starts on Monday (ISO 8601). "Three weeks ago" is the whole week that contains
// that moment, and likewise for months and years: nobody who writes it means a day; "three weeks after May 5" is a day. "Last Friday" is the nearest
// before the day of the reference, "next Friday" the one of the next week if this
// week's is still to come. "The last two weeks" reach up to the end of the
// reference's day, "the next two weeks" begin after it. Morning is the day up to
// noon, afternoon noon to 18:00, evening and night 18:00 to midnight. Seasons
// are the meteorological ones of the northern hemisphere. Early, middle and late
// cut a month after the 10th and 20th, a year after April and August. In 3.4.2026 the
// day comes first, unless only the other order, or the weekday next to it, makes a date. Abbreviated zones have their English meaning
// (IST is Indian); times without one are in the reference's location.
//
// # Confidence
//
// Sure are expressions with one reading: relative ones counted in whole units, and
// dates that name their year. Likely are those with an inferred part: the direction
// of a weekday, the year of a date, the order of an English 3/4/2026, an estimate ("a few days
// ago", "more than a year ago"), "next Friday" with a Friday to come this week, "the
// last month" (the calendar's or the last thirty days), all in quotation
// marks and depends on when it was said. A Guess is perhaps no date: a part of the
// day or a time without its day, a narrated one ("a week later"), "the 2021 edition".
//
// # Guarantees
//
// Resolving depends on nothing but the text and the reference: no clock, no
// locale. Spans come in the order of the text and don't overlap. Annotate only
// inserts: removing its insertions gives the text back, byte for byte; annotating
// twice changes nothing more, since its notes are not tokens to the reader of an
// annotated text. Any input is accepted, invalid UTF-8 included; the cost grows
// linearly with its length (about 0.15 ms of processor time for 1 KB dense with dates, 5 µs without).
//
// # Limits
//
// One text is of one language. Recurring times ("every Friday"), bare lengths of time ("for five
// minutes", "it took two weeks") and vague ones ("recently", "years ago") are not
// read, nor are eras (44 BC), holidays of other calendars, and the first days of a list ("8 and 9 March"). The
// tense of the clause is a guess at what the writer knew: "the release on Friday" may be
// past. Narrated time is taken from the reference, not from a time in the text before it.
package temporal
