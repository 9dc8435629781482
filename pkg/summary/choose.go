package summary

import (
	"container/heap"
	"math"
)

// candidate is a sentence that may be chosen.
type candidate struct {
	index    int   // of the sentence
	cost     int   // characters or words it takes in the summary
	concepts []int // what it would cover, each once
	prior    float64
}

// selection chooses sentences: maximum coverage of weighted concepts under a
// budget of characters or words. Concepts are the terms and the pairs of neighbouring
// terms that different sentences share, weighted by how many others do (Gillick and
// Favre, "A Scalable Global Model for Summarization", 2009). The greedy choice takes the
// sentence that covers the most new weight per cost to the power of 0.3 (Lin and
// Bilmes, "Multi-document Summarization via Budgeted Maximization of Submodular
// Functions", 2010), and is computed lazily: what a sentence adds only shrinks as
// others are chosen (Minoux 1978), so a stale value is an upper bound. A concept
// that is covered counts little again, which is what keeps repetition out.
type selection struct {
	candidates []candidate
	weights    []float64 // per concept
	covered    []bool
	chosen     []int // indexes of candidates
	budget     int
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
	for i, terms := range d.terms {
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
	for id, weight := range weights {
		switch {
		case weight > 1:
			weights[id]--
		case id < len(d.names):
			weights[id] = singleton
		default:
			weights[id] = 0
		}
	}
	return covers, weights
}

// gain is what candidate c would add now.
func (s *selection) gain(c candidate) float64 {
	sum := 0.0
	for _, id := range c.concepts {
		if s.covered[id] {
			sum += repeatShare * s.weights[id]
		} else {
			sum += s.weights[id]
		}
	}
	return sum * c.prior / math.Pow(float64(c.cost), s.exponent)
}

// take chooses candidate i.
func (s *selection) take(i int) {
	c := s.candidates[i]
	for _, id := range c.concepts {
		s.covered[id] = true
	}
	s.budget -= c.cost
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
		if !taken[i] && c.cost <= s.budget {
			q = append(q, bound{i, s.gain(c)})
		}
	}
	heap.Init(&q)
	for len(q) > 0 && q[0].gain > 0 {
		top := &q[0]
		c := s.candidates[top.index]
		if c.cost > s.budget {
			heap.Pop(&q)
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
