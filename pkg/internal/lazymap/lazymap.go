// Package lazymap makes sets of words, and maps from words, when they are first asked.
// To make one takes some microseconds; a program with a hundred of them as variables pays
// for all at each start, in time and in memory that is looked through when garbage is
// collected, and a command mostly asks none.
//
// Variables of these types are laid out by the compiler: nothing runs for them at the
// start. They are safe for concurrent use, and must not be copied.
package lazymap

import (
	"strings"
	"sync"
	"sync/atomic"
)

// Map is a map that is made by the first use of it. The zero value is of no use.
type Map[V any] struct {
	build  func() map[string]V
	made   atomic.Bool // or whoever asks makes it
	making sync.Mutex
	values map[string]V
}

// Of returns the map that build makes. It is called once, and must not ask for this map.
func Of[V any](build func() map[string]V) Map[V] { return Map[V]{build: build} }

// All returns the map, which nobody may change.
func (m *Map[V]) All() map[string]V {
	if !m.made.Load() {
		m.make()
	}
	return m.values
}

func (m *Map[V]) make() {
	m.making.Lock()
	defer m.making.Unlock()
	if !m.made.Load() {
		m.values = m.build()
		m.made.Store(true)
	}
}

// Get returns the value for a key, the zero value when it has none.
func (m *Map[V]) Get(key string) V { return m.All()[key] }

// Set is a set of words that is made by the first use of it. The zero value is the empty
// set.
type Set struct {
	list    string
	phrases bool
	made    atomic.Bool // or whoever asks makes it
	making  sync.Mutex
	words   map[string]bool
}

// Words returns the set of the words in a list, which stand between blanks.
func Words(list string) Set { return Set{list: list} }

// Phrases returns the set of the phrases in a list, which stand between commas; blanks
// around them are none of theirs.
func Phrases(list string) Set { return Set{list: list, phrases: true} }

// Has reports whether a word is in the set. It is small enough to be inlined, as texts are
// read word by word.
func (s *Set) Has(word string) bool {
	if !s.made.Load() {
		s.make()
	}
	return s.words[word]
}

// All returns the set as a map to true, which nobody may change.
func (s *Set) All() map[string]bool {
	if !s.made.Load() {
		s.make()
	}
	return s.words
}

func (s *Set) make() {
	s.making.Lock()
	defer s.making.Unlock()
	if s.made.Load() {
		return
	}
	s.words = map[string]bool{}
	if s.phrases {
		for phrase := range strings.SplitSeq(s.list, ",") {
			s.words[strings.TrimSpace(phrase)] = true
		}
	} else {
		for word := range strings.FieldsSeq(s.list) {
			s.words[word] = true
		}
	}
	s.made.Store(true)
}
