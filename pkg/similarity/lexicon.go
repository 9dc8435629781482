package similarity

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
)

// lexicon has the lists of each word that stands in one of these lists.
var lexicon = func() map[string]lists {
	all := map[string]lists{}
	add := func(c lists, words map[string]bool) {
		for w := range words {
			all[w] |= c
		}
	}
	add(isFunction, functionWords)
	add(isNegator, negators)
	add(isRefusal, refusals)
	add(isCalendar, relative)
	add(isCalendar, seasons)
	add(isAlsoWord, alsoWords)
	for w := range months {
		all[w] |= isMonth | isCalendar
	}
	for w := range weekdays {
		all[w] |= isCalendar
	}
	for w := range numerals {
		all[w] |= isNumeral
	}
	for w := range joined {
		all[w] |= isJoined
	}
	return all
}()

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
		case isDigit(c):
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
