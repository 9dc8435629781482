// Package temporal finds expressions of time in English text and says which
// interval of the calendar they mean.
//
// A note that says "yesterday" is only true on the day it was written. Given
// that day as the reference, [Resolve] turns every expression it knows into an
// interval, and [Annotate] writes the absolute date beside the relative ones,
// so that the note stays true:
//
//	yesterday                 yesterday (2026-03-10)
//	last week                 last week (2026-03-02 to 2026-03-08)
//	two months ago            two months ago (2026-01)
//
// What is read: days (today, yesterday, the day after tomorrow), parts of days
// (last night, this morning, tomorrow evening), "N units ago", "N units from
// now", "in N units", last, this and next with a week, month, quarter, year,
// weekend, weekday or month name; and, as absolute expressions, ISO 8601 dates
// with or without a time, dates with a month name, and quarters ("Q1 2026").
//
// # Conventions
//
// A week starts on Monday (ISO 8601). "Last Friday" is the nearest Friday before
// the day of the reference and "next Friday" the nearest one after it; "this
// Friday" is the Friday of the reference's week, "this weekend" its Saturday
// and Sunday. "Three weeks ago" is the whole week that contains that moment, and
// likewise for months and years: nobody who writes it means a day. A date
// without a year is the one nearest to the reference. Morning is the day up to
// noon, afternoon noon to 18:00, evening and night 18:00 to midnight.
//
// # Guarantees
//
// Resolving depends on nothing but the text and the reference: no clock, no
// locale. Spans come in the order of the text and don't overlap. Annotate only
// inserts: removing its insertions gives the text back, byte for byte, and
// annotating twice changes nothing more. Code spans, fenced code, quoted text,
// URLs, paths, file names, versions and identifiers are never read. Any input
// is accepted, invalid UTF-8 included; the cost grows with its length.
//
// # Limits
//
// English only. An expression that could mean two things is left alone rather
// than guessed: a bare weekday ("on Friday"), a narrated time ("the next day",
// "the last month"), a vague one ("recently", "a few days ago"), a bound ("more
// than two years ago"), a numeric date whose order of day and month isn't known
// (03/04/2026), "in three days" where it may be a duration ("it finished in
// three days"). Ranges, recurring times and holidays are not read.
package temporal
