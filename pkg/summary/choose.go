package summary

import (
	"container/heap"
	"math"
)

// candidate is a sentence that may be chosen.
type candidate struct {
	index    int   // of the sentence
	cost     int   // characters or words it takes in the summary
	list     int   // of which it is an entry, 0 for none
	family   int   // of which it is a member, 0 for none, or none that needs a mark
	concepts []int // what it would cover, each once
	prior    float64
	telling  float64 // how much more its facts weigh
}

// selection chooses sentences: it maximises what they cover of weighted concepts, under
// a budget of characters or words. Concepts are the terms and the pairs of neighbouring
// terms that different sentences share, weighted by how many others do (Gillick and
// Favre, "A Scalable Global Model for Summarization", 2009), and the facts of the text.
// The objective is monotone and submodular, and the greedy choice, of the sentence that
// adds most per cost to the power of 0.3, is near the best one (Lin and Bilmes, "A Class
// of Submodular Functions for Document Summarization", 2011). It is computed lazily:
// what a sentence adds only shrinks as others are chosen (Minoux 1978), so a stale value
// is an upper bound. A term that is covered counts little again, a fact nothing, which
// is what keeps repetition out.
type selection struct {
	candidates []candidate
	weights    []float64 // per concept
	facts      []float64 // per concept, what it weighs besides as a fact
	covered    []bool
	lists      map[int]bool // of which there are entries
	families   map[int]bool // of which there are members
	chosen     []int        // indexes of candidates
	budget     int
	mark       int     // what the mark of a list costs that is not complete
	exponent   float64 // of the cost
}

// costExponent scales the cost of a sentence against what it covers; measured on
// reference summaries, 0 favours long sentences and 1 fragments.
const costExponent = 0.3

// repeatShare is the share that a concept counts when it is covered once more.
const repeatShare = 0.2

// singleton is the weight of a term that only one sentence uses: enough to put
// the room that is left to use, too little to displace what recurs.
const singleton = 0.1

// concepts numbers the pairs of terms after the terms and returns what each
// sentence covers, and the weight of each concept.
func (d *document) concepts() ([][]int, []float64) {
	type pair struct{ first, second int }
	ids := map[pair]int{}
	weights := make([]float64, len(d.names), 2*len(d.names))
	last := make([]int, len(d.names), 2*len(d.names)) // per concept, the last sentence with it, plus one
	covers := make([][]int, len(d.sentences))
	for i, terms := range d.termIDs {
		see := func(id int) {
			if last[id] != i+1 {
				last[id] = i + 1
				if !d.repeated[i] {
					weights[id]++
				}
				covers[i] = append(covers[i], id)
			}
		}
		for j, term := range terms {
			see(term)
			if j == 0 {
				continue
			}
			p := pair{terms[j-1], term}
			id, ok := ids[p]
			if !ok {
				id = len(weights)
				ids[p] = id
				weights, last = append(weights, 0), append(last, 0)
			}
			see(id)
		}
	}
	all := 1.0
	for _, repeated := range d.repeated {
		if !repeated {
			all++
		}
	}
	for id, weight := range weights {
		switch {
		case weight > 1 && d.listed:
			weights[id]--
		case weight > 1: // function words aren't known: what most sentences have counts little
			weights[id] = (weight - 1) * math.Log(all/weight) / math.Log(all)
		case id < len(d.names):
			weights[id] = singleton
		default:
			weights[id] = 0
		}
	}
	return covers, weights
}

// The weight of facts, in sentences of average weight. All facts of a text together weigh
// allFacts, but one no more than a sentence; if they are more than fewFacts, they weigh the
// less the more they are: of few numbers each matters, of hundreds none does.
const (
	allFacts = 5
	fewFacts = 12
	plenty   = 700.0 // characters; in more room, more facts matter
	telling  = 3     // times more where the text tells an outcome or labels a paragraph
)

// factWeights is what the facts of the text weigh, per concept. Those of logs, journals,
// code and of sentences that repeat others weigh nothing.
func (p *plan) factWeights() []float64 {
	out := make([]float64, len(p.weights))
	total, sentences, facts := 0.0, 0.0, 0.0
	for i, s := range p.sentences {
		if s.kind != prose && s.kind != heading && !p.chronicle || p.repeated[i] {
			continue
		}
		sentences++
		for _, id := range p.covers[i] {
			total += p.weights[id]
			if share := p.share(i); id < len(p.isFact) && p.isFact[id] && out[id] < share {
				facts += share - out[id]
				out[id] = share
			}
		}
	}
	if facts == 0 {
		return out
	}
	space := max(1, float64(p.room)/plenty)
	weight := total / sentences * min(1, allFacts*space/facts*math.Pow(min(1, fewFacts*space/facts), 3))
	for id := range out {
		out[id] *= weight
	}
	return out
}

func (p *plan) selection(budget, mark int) *selection {
	return &selection{
		weights: p.weights, facts: p.facts, covered: make([]bool, len(p.weights)), lists: map[int]bool{}, families: map[int]bool{},
		budget: budget, mark: mark, exponent: costExponent,
	}
}

func (p *plan) candidate(i, cost int) candidate {
	c := candidate{index: i, cost: cost, concepts: p.covers[i], prior: p.quotes[i].prior, telling: 1}
	if list := p.sentences[i].list; p.entries[list] > 1 {
		c.list = list
	}
	if family := p.family[i]; p.families[family].distinct > 1 {
		c.family = family
	}
	if p.tells(i) {
		c.telling = telling
	}
	return c
}

// gain is what candidate c would add now.
func (s *selection) gain(c candidate) float64 {
	sum, facts := 0.0, 0.0
	for _, id := range c.concepts {
		if s.covered[id] {
			sum += repeatShare * s.weights[id]
		} else {
			sum += s.weights[id]
			facts += s.facts[id]
		}
	}
	return (sum + c.telling*facts) * c.prior / math.Pow(float64(c.cost), s.exponent)
}

// price is what candidate c costs now: the mark for what is cut from a list counts with its first entry,
// and so does that of a family.
func (s *selection) price(c candidate) int {
	cost := c.cost
	if c.list > 0 && !s.lists[c.list] {
		cost += s.mark
	}
	if c.family > 0 && !s.families[c.family] {
		cost += s.mark + 1 // "like it" is a word more than "entries"
	}
	return cost
}

// take chooses candidate i.
func (s *selection) take(i int) {
	c := s.candidates[i]
	for _, id := range c.concepts {
		s.covered[id] = true
	}
	s.budget -= s.price(c)
	s.lists[c.list], s.families[c.family] = true, true
	s.chosen = append(s.chosen, i)
}

// fill takes candidates until nothing that fits adds anything.
func (s *selection) fill() {
	taken := make([]bool, len(s.candidates))
	for _, i := range s.chosen {
		taken[i] = true
	}
	q := make(queue, 0, len(s.candidates))
	for i, c := range s.candidates {
		if !taken[i] && s.price(c) <= s.budget {
			q = append(q, bound{i, s.gain(c)})
		}
	}
	heap.Init(&q)
	for len(q) > 0 && q[0].gain > 0 {
		top := &q[0]
		c := s.candidates[top.index]
		if s.price(c) > s.budget {
			heap.Pop(&q) // for good, though its list may be opened yet
			continue
		}
		if now := s.gain(c); now < top.gain {
			top.gain = now
			heap.Fix(&q, 0)
			continue
		}
		s.take(top.index)
		heap.Pop(&q)
	}
}

// fillHalf takes more candidates until half of the room is used.
func (s *selection) fillHalf(more []candidate, room int) {
	if left := s.budget - room/2; left > 0 {
		s.candidates = append(s.candidates, more...)
		s.budget = left
		s.fill()
		s.budget += room / 2
	}
}

// bound is an upper bound of what a candidate adds.
type bound struct {
	index int
	gain  float64
}

// queue is a heap of bounds, the highest first, the earlier sentence on a tie.
type queue []bound

func (q queue) Len() int { return len(q) }
func (q queue) Less(i, j int) bool {
	return q[i].gain > q[j].gain || q[i].gain == q[j].gain && q[i].index < q[j].index
}
func (q queue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q *queue) Push(x any)   { *q = append(*q, x.(bound)) }
func (q *queue) Pop() any {
	old := *q
	last := old[len(old)-1]
	*q = old[:len(old)-1]
	return last
}
