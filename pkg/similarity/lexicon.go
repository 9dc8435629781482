package similarity

import (
	"sync"

	"github.com/memoryd/memoryd/pkg/text"
)

// lists is in which of the lists of words a word stands, so that reading a text takes one look-up for each.
type lists uint16

const (
	isFunction lists = 1 << iota
	isNegator
	isRefusal
	isMonth
	isCalendar // may be a date by itself
	isAlsoWord
	isNumeral
	isJoined
	isCent
	isHonorific
	isMeasure // a unit or a magnitude
)

// lexicon has the lists of each word that stands in one of these lists.
var lexicon = sync.OnceValue(func() map[string]lists {
	all := map[string]lists{}
	add := func(c lists, words *text.Set) {
		for w := range words.All() {
			all[w] |= c
		}
	}
	add(isFunction, &functionWords)
	add(isNegator, &negators)
	add(isRefusal, &refusals)
	add(isCalendar, &relative)
	add(isCalendar, &seasons)
	add(isAlsoWord, &alsoWords)
	for w := range months() {
		all[w] |= isMonth | isCalendar
	}
	for w := range weekdays() {
		all[w] |= isCalendar
	}
	for w := range numerals() {
		all[w] |= isNumeral
	}
	for w := range joined {
		all[w] |= isJoined
	}
	all["cent"] |= isCent
	add(isHonorific, &honorifics)
	for w := range units() {
		all[w] |= isMeasure
	}
	for w := range magnitudes {
		all[w] |= isMeasure
	}
	return all
})

// marks are the characters in a run of joined characters by which its shape may be told.
type marks uint8

const (
	hasDigit marks = 1 << iota
	hasAt
	hasSlash // or a backslash
	hasDot
	hasColon
	hasHyphen
)

func marksOf(raw string) (m marks) {
	for i := range len(raw) {
		switch c := raw[i]; {
		case text.IsDigit(c):
			m |= hasDigit
		case c == '@':
			m |= hasAt
		case c == '/' || c == '\\':
			m |= hasSlash
		case c == '.':
			m |= hasDot
		case c == ':':
			m |= hasColon
		case c == '-':
			m |= hasHyphen
		}
	}
	return m
}
