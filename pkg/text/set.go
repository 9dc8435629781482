package text

import (
	"strings"
	"sync/atomic"
)

// Set is a set of words or phrases that is built when it is first asked. The compiler lays variables of this type out, so that a
// program with a hundred of them pays nothing at its start. It is safe for concurrent use and must not be copied.
type Set struct {
	list  string
	words atomic.Pointer[map[string]bool]
}

// NewSet returns the set of the words in list, which stand between white space; or, where it has commas, of the phrases between these.
func NewSet(list string) Set { return Set{list: list} }

// Has reports whether a word is in the set. It is small enough to be inlined.
func (s *Set) Has(word string) bool {
	if words := s.words.Load(); words != nil {
		return (*words)[word]
	}
	return s.build()[word]
}

// build may run twice at the same time: both results are the same.
func (s *Set) build() map[string]bool {
	words := setOf(s.list)
	s.words.Store(&words)
	return words
}

func setOf(list string) map[string]bool {
	words := map[string]bool{}
	if strings.Contains(list, ",") {
		for phrase := range strings.SplitSeq(list, ",") {
			words[strings.TrimSpace(phrase)] = true
		}
		return words
	}
	for word := range strings.FieldsSeq(list) {
		words[word] = true
	}
	return words
}
