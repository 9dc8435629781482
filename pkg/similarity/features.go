package similarity

import (
	"cmp"
	"slices"
	"sync"
)

// Features are a text, and the multiset of its words once Content has asked for it. They are immutable and safe for concurrent
// use.
type Features struct {
	text   string
	source Source // instead of the text

	once  sync.Once
	words []uint64 // hashes, ascending, one per occurrence

	keep bool // the document is kept
	doc  *document
	read sync.Once
}

// Source gives a text, the same one each time.
type Source interface{ Text() string }

// Prepare returns the features of text. The text is read at the first comparison that needs it, not here, so that a text which
// is never compared costs nothing. Features hold on to the text.
func Prepare(text string) *Features { return &Features{text: text} }

// Later returns the features of a text that is asked for at the first comparison that needs it, and again for each other one but by
// Content. Features hold on to the source, not to the text.
func Later(s Source) *Features { return &Features{source: s} }

// Kept returns the features of a text that is compared word by word with many others. They hold on to what that takes, many times the
// size of the text.
func Kept(text string) *Features { return &Features{text: text, keep: true} }

// document is the text as it is compared word by word.
func (f *Features) document() *document {
	if !f.keep {
		return newDocument(f.body())
	}
	f.read.Do(func() { f.doc = newDocument(f.text) })
	return f.doc
}

func (f *Features) body() string {
	if f.source == nil {
		return f.text
	}
	return f.source.Text()
}

// hashes returns the sorted word hashes. A nil *Features stands for the empty text.
func (f *Features) hashes() []uint64 {
	if f == nil {
		return nil
	}
	f.once.Do(func() { f.words = wordHashes(f.body()) })
	return f.words
}

// Read reads the text for its words now, which otherwise the first comparison does.
func (f *Features) Read() { f.hashes() }

// wordHashes lists the hashes of the words of a text, ascending.
func wordHashes(body string) []uint64 {
	s := wordScanner{hashes: make([]uint64, 0, len(body)/6)}
	s.read(body)
	slices.Sort(s.hashes)
	return s.hashes
}

// Content is the content similarity of two texts in [0,1]: the Sørensen–Dice index of the multisets of their words,
//
//	2 · Σ min(a(w), b(w)) / (Σ a(w) + Σ b(w))   over all words w, a(w) and b(w) being how often w stands in each text.
//
// It is symmetric, 1 for texts that are equal after normalisation (two empty ones too), 0 for texts without a common word,
// and keeps its meaning with length: when k of n words are replaced it is (n-k)/n for any n. Word order is not seen.
func Content(a, b *Features) float64 {
	x, y := a.hashes(), b.hashes()
	return dice(overlap(x, y), len(x), len(y))
}

// Covered is the share of the words of the shorter text that stand in the longer one, in any order, and how many words the shorter has.
func Covered(a, b *Features) (share float64, words int) {
	x, y := a.hashes(), b.hashes()
	words = min(len(x), len(y))
	return float64(overlap(x, y)) / float64(max(words, 1)), words
}

// overlap is the number of elements common to two ascending multisets.
func overlap[T cmp.Ordered](x, y []T) int {
	n := 0
	for i, j := 0, 0; i < len(x) && j < len(y); {
		switch {
		case x[i] < y[j]:
			i++
		case x[i] > y[j]:
			j++
		default:
			n++
			i++
			j++
		}
	}
	return n
}

// dice is the Sørensen–Dice index of two multisets of the sizes a and b that have common elements in common.
func dice(common, a, b int) float64 {
	if a == 0 && b == 0 {
		return 1
	}
	return float64(2*common) / float64(a+b)
}

// hashWord is 64-bit FNV-1a (Fowler, Noll, Vo).
func hashWord[T string | []byte](w T) uint64 {
	h := uint64(hashSeed)
	for i := range len(w) {
		h = (h ^ uint64(w[i])) * hashPrime
	}
	return h
}

const (
	hashSeed  = 14695981039346656037
	hashPrime = 1099511628211
)
