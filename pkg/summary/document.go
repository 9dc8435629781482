package summary

import (
	"strings"
)

// document is a text split into sentences, those that are too long to quote into
// windows, with the terms of each.
type document struct {
	text      string
	sentences []sentence
	termIDs   [][]int // per sentence, the ids of its terms in order
	repeated  []bool  // per sentence, whether an earlier one is alike
	family    []int   // per sentence, the index of its family, 0 for none
	families  []family
	round     []bool // per sentence, whether it is of a routine (see readRoutine)
	names     []string
	ids       map[string]int // of the names
	frequency []int          // per term, the number of different sentences that use it
	weights   []float64      // per term, its weight as a key term
	title     map[int]bool   // the terms of the title
	chronicle bool           // most of it is speech, or a log

	*analyzer
	cues     *cues
	isFact   []bool // per term, whether it states a fact
	roles    []role // per sentence
	strength []int  // of the evidence for the role
	labelled []bool // whether its paragraph begins with a label
}

// newDocument reads a text. Without a title, the heading that it starts with is one.
func newDocument(whole, title string) *document {
	a := newAnalyzer(whole)
	c := newCues(a.language)
	sentences := split(whole, true, c)
	d := &document{text: whole, analyzer: a, cues: c, sentences: sentences, termIDs: make([][]int, len(sentences)), ids: map[string]int{}}
	for i, s := range sentences {
		if s.kind == stackFrame {
			continue
		}
		for _, name := range a.terms(whole[s.words:s.end]) {
			id, ok := d.ids[name]
			if !ok {
				id = len(d.names)
				d.ids[name] = id
				d.names = append(d.names, name)
				d.frequency = append(d.frequency, 0)
				d.weights = append(d.weights, 0)
			}
			d.termIDs[i] = append(d.termIDs[i], id)
		}
	}
	d.readFamilies()
	last := make([]int, len(d.names)) // per term, the last sentence that used it, plus one
	for i, s := range sentences {
		for _, id := range d.termIDs[i] {
			if last[id] != i+1 && !d.repeated[i] {
				last[id] = i + 1
				d.frequency[id]++
				d.weights[id]++
				if s.kind == heading {
					d.weights[id]++
				}
			}
		}
	}
	d.isFact = make([]bool, len(d.names))
	for id, name := range d.names {
		d.isFact[id] = a.facts[name]
	}
	d.readRoles()
	d.readRoutine()
	if strings.TrimSpace(title) == "" && len(sentences) > 0 && sentences[0].kind == heading {
		title = whole[sentences[0].start:sentences[0].end]
	}
	d.title = d.known(a.terms(title))
	d.chronicle = d.isChronicle()
	return d
}

// known are the ids of those terms that the text uses.
func (d *document) known(terms []string) map[int]bool {
	ids := map[int]bool{}
	for _, term := range terms {
		if id, ok := d.ids[term]; ok {
			ids[id] = true
		}
	}
	return ids
}

// isChronicle reports whether most sentences were written down as things happened: a
// dialogue, a log.
func (d *document) isChronicle() bool {
	n := 0
	for _, s := range d.sentences {
		if s.speaker != "" || s.kind == logLine {
			n++
		}
	}
	return 2*n > len(d.sentences)
}

// tells reports whether a sentence tells an outcome, or stands in a labelled paragraph.
func (d *document) tells(i int) bool {
	return d.labelled[i] || d.roles[i] == roleOutcome && d.strength[i] > 1
}
