package summary

import (
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/memoryd/memoryd/pkg/temporal"
)

// Emphases of the key terms. Above strongEmphasis fillers may carry them; at onlyKeyTerms,
// nothing else counts.
const (
	strongEmphasis = 16
	withFillers    = 17
	onlyKeyTerms   = math.MaxFloat64
	allowance      = 6 // times the weight of a key term that fillers may carry
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
	facts    []float64 // per concept, what it weighs as a fact
	quotes   []quote
	entries  map[int]int // of each list
	cut      bool        // there are windows into sentences too long to quote
}

// quote is a sentence as it would stand in the summary.
type quote struct {
	text        string // "" if it can't stand there
	cost        int    // its length in characters, with what joins it to the next
	prior       float64
	eligibility eligibility
}

// eligibility says when a sentence may be chosen.
type eligibility byte

const (
	eligible eligibility = iota // always
	filler                      // where others leave most of the room
	routine                     // after the others: it is of a routine
	alike                       // up to half of the room, after those: an earlier one is like it
	excluded                    // not at all: it says too little, or what another says
)

// fragment is the number of words below which a sentence seldom says anything, and
// shortest the number of terms below which one with a fact does not.
const (
	fragment = 6
	shortest = 2
)

// Limits of the sections, as shares of the room or numbers of sentences.
const (
	whoShare    = 6 // one part in
	seedOutcome = 2 // one part in, for the sentence the outcome starts with
	seedLesson  = 4 // and the lessons
	mostOutcome = 5
	mostLessons = 7
)

func prepare(text, title string, room int, ref time.Time) *plan {
	p := &plan{document: newDocument(text, title), room: room}
	p.covers, p.weights = p.concepts()
	p.facts = p.factWeights()
	p.entries = map[int]int{}
	for _, s := range p.sentences {
		p.entries[s.list] = max(p.entries[s.list], s.entry)
	}
	p.keys = p.keyIDs()
	p.quotes = make([]quote, len(p.sentences))
	for i, s := range p.sentences {
		if len(p.termIDs[i]) == 0 {
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
		q = joinLines(q)
		p.quotes[i] = quote{q, utf8.RuneCountInString(q) + joinRunes, p.prior(i), p.eligibility(i)}
		p.cut = p.cut || s.cut
	}
	left := room / whoShare
	for _, name := range p.people() {
		if left -= utf8.RuneCountInString(name) + len(", "); left < 0 {
			break
		}
		p.who = append(p.who, name)
		for _, term := range p.terms(name) {
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
	s := p.selection(p.room-labelRunes, markRunes)
	for _, name := range p.who {
		s.budget -= utf8.RuneCountInString(name) + len(", ")
	}
	if emphasis == onlyKeyTerms {
		p.onlyKeys(s)
	} else {
		p.emphasise(s, emphasis)
	}
	var rounds, fillers, others []candidate
	for i, q := range p.quotes {
		if q.text == "" || q.cost > s.budget || p.sentences[i].cut && !cut {
			continue
		}
		c := p.candidate(i, q.cost)
		if emphasis == onlyKeyTerms {
			c.prior = 1
		}
		switch {
		case q.eligibility == eligible, emphasis == onlyKeyTerms && q.eligibility == filler,
			emphasis == withFillers && (q.eligibility == routine || q.eligibility == filler && p.isStatement(i)):
			s.candidates = append(s.candidates, c)
		case q.eligibility == routine:
			rounds = append(rounds, c)
		case q.eligibility == filler:
			fillers = append(fillers, c)
		case q.eligibility == alike:
			others = append(others, p.endsFirst(c))
		}
	}
	room := s.budget
	p.seed(s, roleOutcome, s.budget/seedOutcome)
	p.seed(s, roleLesson, s.budget/seedLesson)
	s.fill()
	s.candidates = append(s.candidates, rounds...)
	s.fill()
	if 2*s.budget > room {
		s.candidates = append(s.candidates, fillers...)
		s.fill()
	}
	s.fillHalf(others, room)
	return p.sections(s)
}

// endsFirst gives a candidate that is like an earlier one the prior of its place: the last of
// a family comes before the others.
func (p *plan) endsFirst(c candidate) candidate {
	members := p.families[p.family[c.index]].members
	if c.prior = 1; c.index == members[len(members)-1] {
		c.prior = lastAlike
	}
	return c
}

// eligibility is that of sentence i. The heading of a section, such as "Timeline", and
// a line that only names people say too little.
func (p *plan) eligibility(i int) eligibility {
	s := p.sentences[i]
	words := p.text[s.words:s.end]
	_, people := namesPeople(p.text[s.start:s.end])
	switch {
	case people, s.kind == heading && i > 0 && len(p.termIDs[i]) < 4, isStageDirection(words):
		return excluded
	case p.repeated[i]:
		return p.another(i)
	case (s.kind == code || s.kind == logLine && !p.chronicle) && !tellsOfError(p.text[s.start:s.end]):
		return filler
	case isQuestion(words):
		return filler
	}
	if n := countSpokenWords(words); n < fragment && (p.strength[i] < 2 || len(p.termIDs[i]) < 2) && (len(p.termIDs[i]) < shortest || s.kind != prose || !p.hasFact(i)) {
		return filler
	}
	if p.round[i] {
		return routine
	}
	return eligible
}

// another is the eligibility of a sentence that is like an earlier one: none if it says the same.
func (p *plan) another(i int) eligibility {
	members := p.families[p.family[i]].members
	for _, j := range members {
		if j >= i {
			return alike
		}
		if p.wordsOf(j) == p.wordsOf(i) {
			break
		}
	}
	return excluded
}

// hasFact reports whether sentence i states a fact that weighs something.
func (p *plan) hasFact(i int) bool {
	return slices.ContainsFunc(p.termIDs[i], func(id int) bool { return p.facts[id] > 0 })
}

// isStatement reports whether sentence i is neither a question nor a line of code.
func (p *plan) isStatement(i int) bool {
	return p.sentences[i].kind != code && !isQuestion(p.wordsOf(i))
}

// countSpokenWords counts words without the punctuation that stands alone.
func countSpokenWords(words string) int {
	n := 0
	for _, field := range strings.Fields(words) {
		if strings.ContainsFunc(field, isWordRune) {
			n += countWords(field)
		}
	}
	return n
}

// isStageDirection knows the stage directions of a transcript: "(presents slides)".
func isStageDirection(words string) bool {
	return strings.HasPrefix(words, "(") && strings.IndexByte(words, ')') == len(words)-1
}

// emphasise raises the weight of the key terms. With fillers each of them counts once, so
// that there is room for all.
func (p *plan) emphasise(s *selection, emphasis float64) {
	s.weights, s.facts = slices.Clone(s.weights), slices.Clone(s.facts)
	for _, id := range p.keys {
		if more := max(1, p.weights[id]); emphasis == withFillers {
			s.facts[id] += allowance * more
		} else if emphasis > 0 {
			s.weights[id] = (1 + emphasis) * more
		}
	}
}

// onlyKeys lets nothing count but the key terms, and most of them for each character.
func (p *plan) onlyKeys(s *selection) {
	s.weights, s.facts, s.exponent = make([]float64, len(p.weights)), make([]float64, len(p.weights)), 1
	for _, id := range p.keys {
		s.weights[id] = 1
	}
	for _, id := range p.whoTerms {
		s.covered[id] = true
	}
}

// seed takes the sentence that speaks most clearly of a role, so that its section
// isn't empty where the text has something for it.
func (p *plan) seed(s *selection, r role, room int) {
	best, clearest, most := -1, 1, 0.0
	for i, c := range s.candidates {
		if p.roles[c.index] != r || c.cost > room || p.sentences[c.index].kind == heading {
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

// sections puts the chosen sentences into their sections.
func (p *plan) sections(s *selection) Summary {
	chosen := s.sentences()
	covered := map[int]bool{}
	for _, i := range chosen {
		for _, id := range p.termIDs[i] {
			covered[id] = true
		}
	}
	for _, id := range p.whoTerms {
		covered[id] = true
	}
	marks := p.marks(chosen)
	outcome := p.strongestOf(chosen, roleOutcome, mostOutcome)
	lessons := p.strongestOf(chosen, roleLesson, mostLessons)
	out := Summary{Who: p.who, KeyTermsKept: 1, Missing: missing(p.keys, p.names, covered)}
	for _, i := range chosen {
		section := &out.WhatHappened
		switch {
		case slices.Contains(outcome, i):
			section = &out.Outcome
		case slices.Contains(lessons, i):
			section = &out.KeyLearnings
		}
		if *section = append(*section, p.quotes[i].text); marks[i] != "" {
			*section = append(*section, marks[i])
		}
		out.Cut = out.Cut || p.sentences[i].cut
	}
	for id, fact := range p.isFact {
		if fact {
			out.Facts++
		}
		if fact && covered[id] {
			out.FactsKept++
		}
	}
	if len(p.keys) > 0 {
		out.KeyTermsKept = 1 - float64(len(out.Missing))/float64(len(p.keys))
	}
	return out
}

// strongestOf returns those of the chosen sentences that speak most clearly of a role.
func (p *plan) strongestOf(chosen []int, r role, most int) []int {
	var list []int
	for _, i := range chosen {
		if p.roles[i] == r && p.strength[i] > 1 {
			list = append(list, i)
		}
	}
	slices.SortStableFunc(list, func(a, b int) int { return p.strength[b] - p.strength[a] })
	return list[:min(most, len(list))]
}
