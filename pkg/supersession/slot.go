package supersession

import (
	"slices"

	"github.com/memoryd/memoryd/pkg/similarity"
	"github.com/memoryd/memoryd/pkg/text"
)

// slot finds a sentence of each text that state the same attribute of the same
// subject with another value.
func slot(a, b *reading) (Judgement, bool) {
	if j, ok := answered(a, b); ok {
		return j, true
	}
	x, y := a.unshared(b), b.unshared(a)
	if len(x) == 0 || len(y) == 0 {
		return Judgement{}, false
	}
	shared := dice(a.content, b.content)
	if shared < sameSubject && (len(a.sentences) > 1 || len(b.sentences) > 1) {
		return Judgement{}, false
	}
	if most := max(2, len(b.sentences)/2); len(x) > max(2, len(a.sentences)/2) || len(y) > most {
		return Judgement{}, false // too much else differs: another subject in the same form
	}
	for _, p := range pairUp(x, y) {
		if old, new, ok := replaced(p.a, p.b, shared); ok {
			return Judgement{Cue: CueValue, OlderSentence: p.a.text, NewerSentence: p.b.text, Old: old, New: new}, true
		}
	}
	return Judgement{}, false
}

// sameSubject is the share of content words from which two texts of several
// sentences are taken to be about the same.
const sameSubject = 0.5

// answered finds a question that both texts ask and answer differently.
func answered(a, b *reading) (Judgement, bool) {
	at := map[string]int{}
	for i := len(a.sentences) - 2; i >= 0; i-- {
		if a.sentences[i].question {
			at[a.sentences[i].key] = i
		}
	}
	for j := 0; j+1 < len(b.sentences); j++ {
		i, ok := at[b.sentences[j].key]
		if !ok || !b.sentences[j].question {
			continue
		}
		x, y := a.sentences[i+1], b.sentences[j+1]
		if x.key == y.key || x.question || y.question || sameFacts(x.text, y.text, x.words, y.words) {
			continue
		}
		return Judgement{
			Cue: CueValue, OlderSentence: a.sentences[i].text + " " + x.text, NewerSentence: b.sentences[j].text + " " + y.text,
			Old: excerpt(x.text, x.words), New: excerpt(y.text, y.words),
		}, true
	}
	return Judgement{}, false
}

// unshared lists the sentences that the other text has not.
func (r *reading) unshared(s *reading) (out []*sentence) {
	have := s.sentenceKeys()
	for i := range r.sentences {
		if !have[r.sentences[i].key] {
			out = append(out, &r.sentences[i])
		}
	}
	return out
}

func (r *reading) sentenceKeys() map[string]bool {
	keys := map[string]bool{}
	for i := range r.sentences {
		keys[r.sentences[i].key] = true
	}
	return keys
}

// sentencePair is an older sentence and what became of it.
type sentencePair struct{ a, b *sentence }

// maxCandidates bounds how many older sentences a newer one is held against.
const maxCandidates = 8

// pairUp finds for each newer sentence the older one that shares most of its
// content words. An inverted index is asked with the rarest words first. A lone
// sentence on each side is a pair in any case.
func pairUp(x, y []*sentence) (out []sentencePair) {
	if len(x) == 1 && len(y) == 1 {
		return []sentencePair{{x[0], y[0]}}
	}
	index := map[string][]int{}
	for i, s := range x {
		for _, w := range slices.Compact(slices.Clone(s.content)) {
			index[w] = append(index[w], i)
		}
	}
	for _, s := range y {
		rare := slices.Compact(slices.Clone(s.content))
		slices.SortStableFunc(rare, func(v, w string) int { return len(index[v]) - len(index[w]) })
		best, share := -1, leastShared
		tried := map[int]bool{}
		for _, w := range rare {
			for _, i := range index[w] {
				if len(tried) == maxCandidates {
					break
				}
				if !tried[i] {
					tried[i] = true
					if d := dice(s.content, x[i].content); d > share || d == share && best < 0 {
						best, share = i, d
					}
				}
			}
		}
		if best >= 0 {
			out = append(out, sentencePair{x[best], s})
		}
	}
	return out
}

// leastShared is the share of content words from which two sentences are compared.
const leastShared = 0.2

// Shares of words from which two sentences are the same one but for the facts
// that changed, wherever these stand.
const (
	sameSentence    = 0.70
	sameButOneValue = 0.50 // when all that changed is one value, if in several places
)

// replaced returns the value that changed between two sentences of texts that
// share so much.
func replaced(a, b *sentence, shared float64) (old, new string, ok bool) {
	if a.question || b.question || a.answer || b.answer {
		return "", "", false // of another question: the same one is not a pair
	}
	hunks := slices.DeleteFunc(align(a.words, b.words), func(h hunk) bool { return cosmetic(a, b, h) })
	if len(hunks) == 0 {
		return "", "", false
	}
	shared = max(shared, sharedWords(a, b))
	least := sameSentence
	if oneValue(a, b, hunks) {
		least = sameButOneValue
	}
	if last := hunks[len(hunks)-1]; least == sameSentence && a.anotherSubject(hunks[0].a0, last.a0) {
		return "", "", false
	}
	if shared > least {
		for _, h := range hunks {
			if x, y := a.words[h.a0:h.a1], b.words[h.b0:h.b1]; hasFigure(x) && hasFigure(y) {
				return excerpt(a.text, x), excerpt(b.text, y), true
			}
		}
		for _, d := range similarity.Differences(a.text, b.text) {
			if d.Kind == "negation" {
				return d.A, d.B, true
			}
		}
	}
	return said(a, b, hunks)
}

// oneValue reports whether all hunks put the same words in the place of the same.
func oneValue(a, b *sentence, hunks []hunk) bool {
	first := hunks[0]
	for _, h := range hunks[1:] {
		if !slices.Equal(keys(a.words[first.a0:first.a1]), keys(a.words[h.a0:h.a1])) ||
			!slices.Equal(keys(b.words[first.b0:first.b1]), keys(b.words[h.b0:h.b1])) {
			return false
		}
	}
	return true
}

// said returns what differs between two sentences if it is a value that is said of
// a subject before it: all behind the predicate, in one piece but for what names
// have inside, and at the end when it is made of ordinary words.
func said(a, b *sentence, hunks []hunk) (old, new string, ok bool) {
	first, last := hunks[0], hunks[len(hunks)-1]
	x, y := a.words[first.a0:last.a1], b.words[first.b0:last.b1]
	if len(x) == 0 || len(y) == 0 || !a.predicate(first.a0) {
		return "", "", false
	}
	for i, h := range hunks[1:] {
		for _, w := range a.words[hunks[i].a1:h.a0] {
			if !w.capital && !connectives.Has(w.key) {
				return "", "", false
			}
		}
	}
	rest := a.words[last.a1:]
	phrase := len(rest) == 0 || len(rest) <= maxPhrase && stops.Has(rest[0].key) // what follows is a phrase of its own
	if !phrase && len(rest) > first.a0 || slices.ContainsFunc(rest, func(w word) bool { return auxiliaries.Has(w.key) }) {
		return "", "", false
	}
	fact := func(w word) bool { return w.capital || w.digit }
	if !slices.ContainsFunc(x, fact) && !slices.ContainsFunc(y, fact) {
		if before := a.words[first.a0-1]; !phrase || !slotMarks.Has(before.key) && !before.colon && !directives.Has(before.key) {
			return "", "", false
		}
	}
	return excerpt(a.text, lasting(x)), excerpt(b.text, lasting(y)), true
}

// sharedWords is the share of all words that two sentences have in common.
func sharedWords(a, b *sentence) float64 {
	x, y := keys(a.words), keys(b.words)
	slices.Sort(x)
	slices.Sort(y)
	return dice(x, y)
}

func keys(ws []word) []string {
	out := make([]string, len(ws))
	for i, w := range ws {
		out[i] = w.key
	}
	return out
}

// maxPhrase is how many words may follow a value: "for continuous integration".
const maxPhrase = 4

// lasting is a value without the words that only say since when it holds.
func lasting(value []word) []word {
	for len(value) > 1 && present.Has(value[0].key) {
		value = value[1:]
	}
	return value
}

// anotherSubject reports whether what differs first is the subject that a sentence
// begins with, and what differs last is said of it: node 3 has 32 GB, node 4 has 64.
// With the subject alone, or figures in a phrase ("In version 2, …"), it is the same
// sentence with another figure.
func (s *sentence) anotherSubject(first, last int) bool {
	return first < last && !s.predicate(first) && s.predicate(last) &&
		!slices.ContainsFunc(s.words[:last], func(w word) bool { return w.colon || w.clause }) &&
		!slices.ContainsFunc(s.words[:first], func(w word) bool { return stops.Has(w.key) })
}

// predicate reports whether the words before a value hold a subject and what is
// said of it.
func (s *sentence) predicate(end int) bool {
	if end == 0 || deictic.Has(s.words[0].key) && !(end > 1 && s.words[1].capital) {
		return false
	}
	if s.words[end-1].colon {
		return true
	}
	for i, w := range s.words[:end] {
		switch {
		case auxiliaries.Has(w.key) && i > 0:
			return true
		case i == 0:
			if directives.Has(w.key) && end > 0 {
				return true
			}
		case pronouns.Has(s.words[i-1].key) && i == 1:
			return true
		case !w.capital && !w.digit && !isFunctionWord(w.key) && inflected(w.key):
			return true
		}
	}
	return false
}

// inflected reports whether a word may be a verb in the third person or the past.
func inflected(k string) bool {
	n := len(k)
	return n > 3 && (k[n-1] == 's' && k[n-2] != 's' && k[n-2] != 'u' || k[n-2:] == "ed")
}

// directives are verbs that begin a rule: "use pnpm for installs".
var directives = text.NewSet(`use prefer run call set keep put store write read send deploy build test install start stop ask assign name
	pin default point route log report publish push pull open target require avoid choose`)

// stops end a value.
var stops = text.NewSet(`for in on at because since as by with and but when while which that so after before due from to now during`)
