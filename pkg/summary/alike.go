package summary

import (
	"cmp"
	"hash/maphash"
	"slices"
	"strings"
	"unicode"

	"github.com/memoryd/memoryd/pkg/text"
)

// Bounds of a family of sentences that are alike.
const (
	leastFamily  = 3  // different sentences that share a frame
	leastFrame   = 3  // words that the frame has
	widestSlot   = 3  // words by which they may differ, at one place
	longestAlike = 60 // tokens of a sentence; a longer one is alike with none
)

// family is sentences that say the same of another number, name, item or time.
type family struct {
	members  []int // indexes of sentences, in the order of the text
	distinct int   // how many of them read differently
}

// readFamilies groups the sentences that are alike: those that equal another once what
// contains a digit is left blank, and three or more that share a frame, that is, all
// words but at most three at one place. A sentence belongs to the largest such group, so
// that no chain of small differences joins what differs much.
func (d *document) readFamilies() {
	d.family = make([]int, len(d.sentences))
	d.repeated = make([]bool, len(d.sentences))
	d.families = []family{{}} // 0 is none
	shapes := map[string][]int{}
	var order []string
	for i, s := range d.sentences {
		if s.kind == stackFrame {
			continue
		}
		shape := pattern(d.text[s.words:s.end], d.termNames(i))
		if shapes[shape] == nil {
			order = append(order, shape)
		}
		shapes[shape] = append(shapes[shape], i)
	}
	frames := map[frame]int{} // how many sentences share it
	of := make([][]frame, len(order))
	seed := maphash.MakeSeed()
	for n, shape := range order {
		s := d.sentences[shapes[shape][0]]
		of[n] = framesOf(seed, d.text[s.words:s.end])
		for _, f := range of[n] {
			frames[f] += 1
		}
	}
	ids := map[frame]int{}
	for n, shape := range order {
		best := frame{}
		for _, f := range of[n] {
			// The earliest of equals: the frames are in the order of the sentence.
			if frames[f] >= leastFamily && (best == (frame{}) || frames[f] > frames[best]) {
				best = f
			}
		}
		id, known := ids[best]
		switch {
		case best != (frame{}) && known:
		case best != (frame{}) || len(shapes[shape]) > 1:
			id = len(d.families)
			d.families = append(d.families, family{})
			if best != (frame{}) {
				ids[best] = id
			}
		default:
			continue
		}
		d.families[id].members = append(d.families[id].members, shapes[shape]...)
	}
	for id := range d.families {
		f := &d.families[id]
		slices.SortFunc(f.members, cmp.Compare)
		read := map[string]bool{}
		for n, i := range f.members {
			d.family[i], d.repeated[i] = id, n > 0
			read[d.wordsOf(i)] = true
		}
		f.distinct = len(read)
	}
}

// wordsOf is what sentence i says, without who says it or when.
func (d *document) wordsOf(i int) string {
	s := d.sentences[i]
	return d.text[s.words:s.end]
}

func (d *document) termNames(i int) []string {
	names := make([]string, len(d.termIDs[i]))
	for n, id := range d.termIDs[i] {
		names[n] = d.names[id]
	}
	return names
}

// share is how much a sentence of a family says: 1 for one that has none or a small
// one, less the larger the family.
func (d *document) share(i int) float64 {
	return min(1, leastFamily/float64(max(1, d.families[d.family[i]].distinct)))
}

// frame identifies what stands before and behind the place at which sentences differ.
type frame struct{ before, behind uint64 }

// framesOf lists the frames that a sentence fits: one for each place of up to three words.
// A word with a digit is like any other.
func framesOf(seed maphash.Seed, words string) []frame {
	var tokens []string
	var counts []bool // whether the token is a word of the frame
	for t := range text.Tokens(words) {
		switch word := strings.ToLower(words[t.Start:t.End]); {
		case t.Kind == text.KindUnspaced:
			for _, r := range word {
				tokens, counts = append(tokens, string(r)), append(counts, true)
			}
		case strings.ContainsFunc(word, unicode.IsDigit):
			tokens, counts = append(tokens, "0"), append(counts, false)
		default:
			tokens, counts = append(tokens, word), append(counts, t.Kind != text.KindSign)
		}
		if len(tokens) > longestAlike {
			return nil
		}
	}
	n := len(tokens)
	before, behind := make([]uint64, n+1), make([]uint64, n+1)
	counted := make([]int, n+1) // words before
	for i, token := range tokens {
		before[i+1] = before[i]*1_000_003 + maphash.String(seed, token)
		counted[i+1] = counted[i]
		if counts[i] {
			counted[i+1]++
		}
	}
	for i := n - 1; i >= 0; i-- {
		behind[i] = behind[i+1]*998_244_353 + maphash.String(seed, tokens[i])
	}
	var out []frame
	for i := range n {
		for j := i + 1; j <= min(n, i+widestSlot); j++ {
			fixed := counted[n] - (counted[j] - counted[i])
			if fixed >= leastFrame && fixed > j-i {
				out = append(out, frame{before[i], behind[j]})
			}
		}
	}
	return out
}

// pattern is what sentences have in common that say the same of another number,
// item or time: their words, with those that contain a digit left blank. A sentence
// with less than four other terms has no pattern but itself.
func pattern(words string, terms []string) string {
	const enough = 4
	named := 0
	for _, term := range terms {
		if !strings.ContainsFunc(term, unicode.IsDigit) {
			named++
		}
	}
	if named < enough {
		return words
	}
	var out strings.Builder
	word, number := 0, false // where the word starts, and whether it has a digit
	end := func(i int) {
		if number {
			out.WriteByte('#')
		} else {
			out.WriteString(strings.ToLower(words[word:i]))
		}
		word, number = i, false
	}
	for i, r := range words {
		if i > word && (unicode.IsSpace(r) || text.IsUnspaced(r)) {
			end(i)
		}
		number = number || unicode.IsDigit(r)
	}
	end(len(words))
	return out.String()
}

// Bounds of a routine.
const (
	rareTerm     = 2   // sentences that use a term that is new to the text, at most
	fewSentences = 20  // of a text too short to have a routine
	routineShare = .25 // of new words in most sentences of a routine, at most
	standsOut    = .4  // of new words in a sentence that isn't of the routine, at least
)

// readRoutine finds the sentences that report the same round of things over and over, in
// ever other combinations. A text has a routine if three of four sentences have next to no
// word of their own; the others, and those with the phrase of an outcome or a lesson, stand out of it.
func (d *document) readRoutine() {
	d.round = make([]bool, len(d.sentences))
	var all []float64
	for i, s := range d.sentences {
		if share, ok := d.newWords(i); ok && s.kind != heading && !d.repeated[i] {
			all = append(all, share)
		}
	}
	slices.Sort(all)
	if len(all) < fewSentences || all[3*len(all)/4] > routineShare {
		return
	}
	for i, s := range d.sentences {
		share, _ := d.newWords(i)
		d.round[i] = s.kind != heading && d.strength[i] < 2 && !d.labelled[i] && share < standsOut
	}
}

// newWords is the share of the words of sentence i that next to no other uses; numbers aside.
func (d *document) newWords(i int) (share float64, ok bool) {
	rare, words := 0, 0
	for _, id := range d.termIDs[i] {
		if strings.ContainsFunc(d.names[id], unicode.IsDigit) {
			continue
		}
		words++
		if d.frequency[id] <= rareTerm {
			rare++
		}
	}
	return float64(rare) / float64(max(words, 1)), words > 0
}
