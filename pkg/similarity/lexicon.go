package similarity

import (
	"sync"

	"github.com/memoryd/memoryd/pkg/internal/lazymap"
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

	isRewritten = isNumeral | isJoined | isCent // the token of the word is another one, or may be
)

// lexicon has the lists of each word that stands in one of these lists.
var lexicon = sync.OnceValue(func() *hashed {
	all := map[string]lists{}
	add := func(c lists, words *lazymap.Set) {
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
	for w := range months.All() {
		all[w] |= isMonth | isCalendar
	}
	for w := range weekdays.All() {
		all[w] |= isCalendar
	}
	for w := range numerals.All() {
		all[w] |= isNumeral
	}
	for w := range joined {
		all[w] |= isJoined
	}
	all["cent"] |= isCent
	add(isHonorific, &honorifics)
	for w := range units.All() {
		all[w] |= isMeasure
	}
	for w := range magnitudes {
		all[w] |= isMeasure
	}
	h := &hashed{}
	for w, c := range all {
		h.add(hashWord(w), c)
	}
	return h
})

// hashed finds the lists of words by their hashes. A word without lists is told by a look at one place or two.
type hashed struct {
	hashes [1 << 11]uint64
	lists  [1 << 11]lists
}

func (h *hashed) add(hash uint64, c lists) {
	i := hash % uint64(len(h.hashes))
	for h.lists[i] != 0 {
		i = (i + 1) % uint64(len(h.hashes))
	}
	h.hashes[i], h.lists[i] = hash, c
}

func (h *hashed) of(hash uint64) lists {
	i := hash % uint64(len(h.hashes))
	for h.lists[i] != 0 && h.hashes[i] != hash { // in this order: most words have none, and the lists stay in the cache
		i = (i + 1) % uint64(len(h.hashes))
	}
	return h.lists[i]
}

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
