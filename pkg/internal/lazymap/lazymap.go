// Package lazymap makes sets of words, and maps from words, when they are first asked.
// To make one takes some microseconds; a program with a hundred of them as variables pays
// for all at each start, in time and in memory that is looked through when garbage is
// collected, and a command mostly asks none.
//
// Variables of these types are laid out by the compiler: nothing runs for them at the
// start. They are safe for concurrent use, and must not be copied once they were asked.
package lazymap

import (
	"strings"
	"sync/atomic"
)

// Map is a map that is made by the first use of it. The zero value is of no use.
type Map[V any] struct {
	build func() map[string]V
	built atomic.Pointer[map[string]V]
}

// Of returns the map that build makes. When several ask first at the same time, build may
// run more than once, and one of its maps stays: it must make equal ones.
func Of[V any](build func() map[string]V) Map[V] { return Map[V]{build: build} }

// All returns the map, which nobody may change.
func (m *Map[V]) All() map[string]V {
	if built := m.built.Load(); built != nil {
		return *built
	}
	return m.make()
}

func (m *Map[V]) make() map[string]V {
	made := m.build()
	if !m.built.CompareAndSwap(nil, &made) {
		return *m.built.Load()
	}
	return made
}

// Get returns the value for a key, the zero value when it has none.
func (m *Map[V]) Get(key string) V { return m.All()[key] }

// Set is a set of words that is made by the first use of it. The zero value is the empty
// set.
type Set struct {
	list    string
	phrases bool
	built   atomic.Pointer[map[string]bool]
}

// Words returns the set of the words in a list, which stand between blanks.
func Words(list string) Set { return Set{list: list} }

// Phrases returns the set of the phrases in a list, which stand between commas; blanks
// around them are none of theirs.
func Phrases(list string) Set { return Set{list: list, phrases: true} }

// All returns the set as a map to true, which nobody may change.
func (s *Set) All() map[string]bool {
	if built := s.built.Load(); built != nil {
		return *built
	}
	return s.make()
}

func (s *Set) make() map[string]bool {
	made := map[string]bool{}
	if s.phrases {
		for phrase := range strings.SplitSeq(s.list, ",") {
			made[strings.TrimSpace(phrase)] = true
		}
	} else {
		for word := range strings.FieldsSeq(s.list) {
			made[word] = true
		}
	}
	s.built.Store(&made)
	return made
}

// Has reports whether a word is in the set.
func (s *Set) Has(word string) bool { return s.All()[word] }
