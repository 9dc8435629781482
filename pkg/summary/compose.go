package summary

import (
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/memoryd/memoryd/pkg/temporal"
)

// At strong emphasis of the key terms lesser sentences may carry them, and at alone
// nothing else counts.
const (
	strong = 16
	alone  = math.MaxFloat64
)

// plan is what doesn't change between the attempts at one text.
type plan struct {
	*document
	room     int // characters for the whole summary
	who      []string
	whoTerms []int
	keys     []int // ids of the key terms
	covers   [][]int
	weights  []float64
	roles    []role
	strength []int
	quotes   []quote
	cut      bool // there are windows into sentences too long to quote
}

// quote is a sentence as it would stand in the summary.
type quote struct {
	text     string // "" if it can't stand there
	cost     int    // its length in characters, with what joins it to the next
	prior    float64
	standing standing
}

// standing says when a sentence may be chosen.
type standing byte

const (
	competes standing = iota // always
	fills                    // where others leave most of the room
	stays                    // not at all: it says too little, or what another says
)

// fragment is the number of words below which a sentence seldom says anything.
const fragment = 6

// Limits of the sections, as shares of the room or numbers of sentences.
const (
	whoShare    = 6 // one part in
	seedShare   = 4 // one part in, for the sentence an outcome or a lesson starts with
	mostOutcome = 5
	mostLessons = 7
)

func prepare(text, title string, room int, ref time.Time) *plan {
	p := &plan{document: newDocument(text, title), room: room}
	p.covers, p.weights = p.concepts()
	p.roles, p.strength = p.document.roles()
	p.keys = p.keyIDs()
	p.quotes = make([]quote, len(p.sentences))
	for i, s := range p.sentences {
		if len(p.terms[i]) == 0 {
			continue
		}
		q := text[s.start:s.end]
		if s.kind == prose && !ref.IsZero() {
			q = temporal.Annotate(q, ref)
		}
		if s.cut && !s.open {
			q = "…" + q
		}
		if s.cut && !s.closed {
			q += "…"
		}
		q = fold(q)
		p.quotes[i] = quote{q, utf8.RuneCountInString(q) + joinRunes, p.prior(i), p.standing(i)}
		p.cut = p.cut || s.cut
	}
	a := newAnalyzer()
	left := room / whoShare
	for _, name := range p.people() {
		if left -= utf8.RuneCountInString(name) + len(", "); left < 0 {
			break
		}
		p.who = append(p.who, name)
		for _, term := range a.terms(name) {
			if id, ok := p.ids[term]; ok {
				p.whoTerms = append(p.whoTerms, id)
			}
		}
	}
	return p
}

// compose makes a summary. With cut, windows into sentences too long to quote may
// be chosen; emphasis is how much more a key term weighs.
func (p *plan) compose(cut bool, emphasis float64) Summary {
	s := &selection{weights: p.emphasised(emphasis), covered: make([]bool, len(p.weights)), budget: p.room - labelRunes, exponent: costExponent}
	for _, name := range p.who {
		s.budget -= utf8.RuneCountInString(name) + len(", ")
	}
	if emphasis == alone {
		s.exponent = 1 // most terms per character
		for _, id := range p.whoTerms {
			s.covered[id] = true
		}
	}
	var lesser []candidate
	for i, q := range p.quotes {
		if q.text == "" || q.cost > s.budget || p.sentences[i].cut && !cut {
			continue
		}
		c := candidate{i, q.cost, p.covers[i], q.prior}
		switch {
		case emphasis == alone, q.standing == competes:
			s.candidates = append(s.candidates, c)
		case q.standing == fills:
			lesser = append(lesser, c)
		}
	}
	room := s.budget
	if emphasis != alone {
		p.seed(s, roleOutcome)
		p.seed(s, roleLesson)
	}
	s.fill()
	if 2*s.budget > room || emphasis >= strong {
		s.candidates = append(s.candidates, lesser...)
		s.fill()
	}
	return p.arrange(s)
}

// standing is that of sentence i. The heading of a section, such as "Timeline", and
// a line that only names people say too little.
func (p *plan) standing(i int) standing {
	s := p.sentences[i]
	words := p.text[s.words:s.end]
	_, people := namesPeople(p.text[s.start:s.end])
	switch {
	case p.repeated[i], people, s.kind == heading && i > 0 && len(p.terms[i]) < 4, isAction(words):
		return stays
	case (s.kind == code || s.kind == record && !p.chronicle) && !tellsOfError(p.text[s.start:s.end]):
		return fills
	case strings.HasSuffix(words, "?"), strings.HasSuffix(words, "？"), strings.HasSuffix(words, "؟"):
		return fills
	case spokenWords(words) < fragment && (p.strength[i] < 2 || len(p.terms[i]) < 2):
		return fills
	}
	return competes
}

// spokenWords counts words without the punctuation that stands alone.
func spokenWords(words string) int {
	n := 0
	for _, field := range strings.Fields(words) {
		if strings.ContainsFunc(field, isWordRune) {
			n += countWords(field)
		}
	}
	return n
}

// isAction knows the stage directions of a transcript: "(presents slides)".
func isAction(words string) bool {
	return strings.HasPrefix(words, "(") && strings.IndexByte(words, ')') == len(words)-1
}

// emphasised returns the weights of the concepts with those of the key terms raised.
func (p *plan) emphasised(emphasis float64) []float64 {
	if emphasis == 0 {
		return p.weights
	}
	weights := make([]float64, len(p.weights))
	if emphasis != alone {
		copy(weights, p.weights)
	}
	for _, id := range p.keys {
		weights[id] = 1
		if emphasis != alone {
			weights[id] = (1 + emphasis) * max(1, p.weights[id])
		}
	}
	return weights
}

// seed takes the sentence that speaks most clearly of a role, so that its section
// isn't empty where the text has something for it.
func (p *plan) seed(s *selection, r role) {
	best, clearest, most := -1, 1, 0.0
	for i, c := range s.candidates {
		if p.roles[c.index] != r || c.cost > s.budget/seedShare || p.sentences[c.index].kind == heading {
			continue
		}
		if strength, gain := p.strength[c.index], s.gain(c); strength > clearest || strength == clearest && gain > most {
			best, clearest, most = i, strength, gain
		}
	}
	if best >= 0 && most > 0 {
		s.take(best)
	}
}

// arrange puts the chosen sentences into their sections.
func (p *plan) arrange(s *selection) Summary {
	chosen := s.sentences()
	covered := map[int]bool{}
	for _, i := range chosen {
		for _, id := range p.terms[i] {
			covered[id] = true
		}
	}
	for _, id := range p.whoTerms {
		covered[id] = true
	}
	outcome := p.clearest(chosen, roleOutcome, mostOutcome)
	lessons := p.clearest(chosen, roleLesson, mostLessons)
	out := Summary{Who: p.who, KeyTermsKept: 1, Missing: missing(p.keys, p.names, covered)}
	for _, i := range chosen {
		switch {
		case slices.Contains(outcome, i):
			out.Outcome = append(out.Outcome, p.quotes[i].text)
		case slices.Contains(lessons, i):
			out.KeyLearnings = append(out.KeyLearnings, p.quotes[i].text)
		default:
			out.WhatHappened = append(out.WhatHappened, p.quotes[i].text)
		}
		out.Cut = out.Cut || p.sentences[i].cut
	}
	if len(p.keys) > 0 {
		out.KeyTermsKept = 1 - float64(len(out.Missing))/float64(len(p.keys))
	}
	return out
}

// clearest returns those of the chosen sentences that speak most clearly of a role.
func (p *plan) clearest(chosen []int, r role, most int) []int {
	var list []int
	for _, i := range chosen {
		if p.roles[i] == r && p.strength[i] > 1 {
			list = append(list, i)
		}
	}
	slices.SortStableFunc(list, func(a, b int) int { return p.strength[b] - p.strength[a] })
	return list[:min(most, len(list))]
}
