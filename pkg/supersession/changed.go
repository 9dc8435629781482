package supersession

import (
	"slices"
	"sync"

	"github.com/memoryd/memoryd/pkg/text"
)

// changed finds a sentence of the newer text that tells of a change from something
// that the older text states: "switched from X to Y", "Y instead of X", "no longer".
func changed(a, b *reading) (Judgement, bool) {
	left := maxChanges
	for _, s := range b.unshared(a) {
		for k := range s.words {
			old, new, ok := s.change(k)
			if !ok {
				continue
			}
			if left--; left < 0 {
				return Judgement{}, false
			}
			if from := a.states(s, old, s.words[k].key); from != nil {
				return Judgement{
					Cue: CueChange, OlderSentence: from.text, NewerSentence: s.text,
					Old: excerpt(s.text, old), New: excerpt(s.text, new),
				}, true
			}
		}
		if !s.ends() {
			continue
		}
		if left--; left < 0 {
			break
		}
		if from := a.ended(s); from != nil {
			return Judgement{Cue: CueChange, OlderSentence: from.text, NewerSentence: s.text}, true
		}
	}
	return Judgement{}, false
}

// maxChanges bounds how many changes of a text are looked up in the other.
const maxChanges = 32

// maxValue bounds the words of a value that a change is told of.
const maxValue = 8

// change reads a change that begins at word k: the words of the old value and of
// the new one, which may be empty.
func (s *sentence) change(k int) (old, new []word, ok bool) {
	ws := s.words
	next := func(i int) string {
		if i < len(ws) {
			return ws[i].key
		}
		return ""
	}
	switch {
	case changeVerbs()[ws[k].key]: // … from OLD to NEW
		from := s.find(k+1, 6, "from")
		if from < 0 {
			return nil, nil, false
		}
		to := s.find(from+1, maxValue+1, "to")
		if to < 0 {
			to = s.find(from+1, maxValue+1, "into")
		}
		if to < 0 {
			return nil, nil, false
		}
		return ws[from+1 : to], s.value(to + 1), to > from+1
	case ws[k].key == "instead" && next(k+1) == "of", ws[k].key == "rather" && next(k+1) == "than":
		return s.value(k + 2), s.valueBefore(k), true
	case replaceVerbs()[ws[k].key]: // replaced OLD with NEW
		with := s.find(k+1, maxValue+1, "with")
		if with < 0 {
			with = s.find(k+1, maxValue+1, "by")
		}
		if with > k+1 {
			return ws[k+1 : with], s.value(with + 1), true
		}
	}
	return nil, nil, false
}

// find returns the index of a word among the n words from i on, or -1.
func (s *sentence) find(i, n int, key string) int {
	for j := i; j < min(i+n, len(s.words)); j++ {
		if s.words[j].key == key {
			return j
		}
	}
	return -1
}

// value reads the words of a value from i on, up to the next clause or preposition.
func (s *sentence) value(i int) []word {
	j := i
	for j < min(i+maxValue, len(s.words)) && (j == i || !s.words[j].clause && !stops.Has(s.words[j].key)) {
		j++
	}
	return s.words[min(i, len(s.words)):j]
}

// valueBefore reads the words of a value that ends before k.
func (s *sentence) valueBefore(k int) []word {
	i := k
	for i > max(0, k-maxValue) && !stops.Has(s.words[i-1].key) && !auxiliaries.Has(s.words[i-1].key) && !directives.Has(s.words[i-1].key) {
		i--
	}
	return s.words[i:k]
}

// stops end a value.
var stops = text.NewSet(`for in on at because since as by with and but when while which that so after before due from to now during`)

// states returns the sentence of the text that holds the old value and is about
// what the newer sentence is about: the value's words, and another content word of
// the newer sentence if the value alone could be anywhere. One that tells of the
// change itself, by the same cue, does not state it.
func (r *reading) states(newer *sentence, old []word, cue string) *sentence {
	value := contentWords(old)
	if len(value) == 0 {
		return nil
	}
	for i := range r.sentences {
		s := &r.sentences[i]
		if !containsAll(s.content, value) || s.find(0, len(s.words), cue) >= 0 {
			continue
		}
		for _, w := range newer.content {
			if !slices.Contains(value, w) && slices.Contains(s.content, w) {
				return s
			}
		}
		if len(r.sentences) == 1 {
			return s
		}
	}
	return nil
}

func containsAll(list, want []string) bool {
	return !slices.ContainsFunc(want, func(w string) bool { return !slices.Contains(list, w) })
}

// ends reports whether a sentence says that something no longer holds.
func (s *sentence) ends() bool {
	for i, w := range s.words {
		next := ""
		if i+1 < len(s.words) {
			next = s.words[i+1].key
		}
		if w.key == "no" && next == "longer" || w.key == "any" && (next == "more" || next == "longer") || w.key == "anymore" {
			return true
		}
	}
	return false
}

// ended returns the sentence of the text that the newer sentence ends with "no
// longer" or "not … any more": most of what it says is said there.
func (r *reading) ended(newer *sentence) *sentence {
	longer, anymore := text.English.Stem("longer"), text.English.Stem("anymore")
	about := slices.DeleteFunc(slices.Clone(newer.content), func(w string) bool { return w == longer || w == anymore })
	for i := range r.sentences {
		n := 0
		for _, w := range about {
			if slices.Contains(r.sentences[i].content, w) {
				n++
			}
		}
		if n > 1 && 3*n >= 2*len(about) {
			return &r.sentences[i]
		}
	}
	return nil
}

// changeVerbs tell of a change when "from" and "to" follow.
var changeVerbs = sync.OnceValue(func() map[string]bool {
	return forms(`switch migrate move change convert upgrade downgrade rename transition shift increase decrease
	reduce raise lower extend shorten bump relocate transfer revert update port go went gone grow grew fall fell rise rose cut`)
})
