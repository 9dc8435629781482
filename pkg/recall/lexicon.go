package recall

import (
	"bytes"
	"hash/maphash"
)

// lexicon remembers what becomes of words: a hash table with open addressing, the
// words of up to 16 bytes in its slots, so that looking one up touches one place
// of memory. Reading a text is looking up words, mostly.
type lexicon struct {
	seed  maphash.Seed // against words that were made to collide
	slots []slot
	used  int
	terms []string
	long  map[string]*slot // longer words
}

// slot is a word in the lexicon.
type slot struct {
	word   [16]byte // zeros behind it; words hold none
	term   uint32   // in terms, counted from 1; 0: the slot is free
	number uint32   // of the term, in the index that the lexicon belongs to; none: not known yet
	stop   bool
}

func newLexicon() *lexicon {
	return &lexicon{seed: maphash.MakeSeed(), slots: make([]slot, 1<<10), long: map[string]*slot{}}
}

// find returns the slot of a word, which is free when the word is new. It is good
// until the next word is added.
func (x *lexicon) find(word []byte) *slot {
	if len(word) > len(slot{}.word) {
		s, ok := x.long[string(word)]
		if !ok {
			s = &slot{}
			x.long[string(bytes.Clone(word))] = s
		}
		return s
	}
	if 2*x.used >= len(x.slots) {
		x.grow()
	}
	var key [16]byte
	copy(key[:], word)
	return x.place(&key)
}

// place is where a short word stands, or will.
func (x *lexicon) place(key *[16]byte) *slot {
	mask := uint64(len(x.slots) - 1)
	for i := maphash.Bytes(x.seed, key[:]) & mask; ; i = (i + 1) & mask {
		if s := &x.slots[i]; s.term == 0 || s.word == *key {
			s.word = *key
			return s
		}
	}
}

func (x *lexicon) grow() {
	old := x.slots
	x.slots = make([]slot, 2*len(old))
	for i := range old {
		if old[i].term != 0 {
			*x.place(&old[i].word) = old[i]
		}
	}
}

// add says what becomes of the word of a free slot: "" for a stop word.
func (x *lexicon) add(s *slot, term string) {
	x.terms = append(x.terms, term)
	s.term, s.number, s.stop = uint32(len(x.terms)), none, term == ""
	x.used++
}
