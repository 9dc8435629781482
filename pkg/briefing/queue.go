package briefing

import (
	"cmp"
	"container/heap"
	"slices"

	"github.com/memoryd/memoryd/pkg/retention"
)

// queue has the candidates that are wanted, the most wanted first: a heap for each group, since
// a group that is full is left alone, and most are never looked at.
type queue struct {
	Request
	shelves map[string]*shelf
}

// shelf is the candidates of one group, as a heap.
type shelf struct {
	*queue
	from  Memories
	all   []*Candidate
	taken int
}

func newQueue(from Memories, all []Candidate, r Request) *queue {
	q := &queue{r, map[string]*shelf{}}
	for i := range all {
		c := &all[i]
		if !r.wants(c) {
			continue
		}
		s := q.shelves[c.Group]
		if s == nil {
			s = &shelf{queue: q, from: from}
			q.shelves[c.Group] = s
		}
		s.all = append(s.all, c)
	}
	for _, s := range q.shelves {
		heap.Init(s)
	}
	return q
}

// wants reports whether a candidate is relevant enough.
func (r Request) wants(c *Candidate) bool {
	if r.OnlyRelevant {
		return c.Relevance >= r.MinRelevance && c.Relevance > 0
	}
	return !r.Asked || c.Tier != retention.Warm || c.Relevance >= r.MinRelevance
}

// rank tells how much a candidate is wanted, the smaller the numbers, the first of them first, the
// more: hot ones by their scores, and warm ones behind, by their relevance; or all by that, where
// nothing else is wanted.
func (r Request) rank(c *Candidate) [4]float64 {
	if c.Tier == retention.Hot && !r.OnlyRelevant {
		return [...]float64{0, -c.Score, -c.Relevance, 0}
	}
	return [...]float64{1, -c.Relevance, float64(c.Tier), -c.Score}
}

func (q *queue) wanted() (n int) {
	for _, s := range q.shelves {
		n += len(s.all)
	}
	return n
}

func (q *queue) full(group string) bool {
	return q.MaxPerGroup > 0 && q.shelves[group].taken >= q.MaxPerGroup
}

func (q *queue) took(group string) { q.shelves[group].taken++ }

// next takes the candidate that is wanted most: named, of all, else of those whose group has
// room for it; with over, nothing has, and there is none but to name it.
func (q *queue) next(named, over bool) (*Candidate, bool) {
	var best *shelf
	for group, s := range q.shelves {
		if len(s.all) == 0 || !named && (over || q.full(group)) {
			continue
		}
		if best == nil || s.before(s.all[0], best.all[0]) {
			best = s
		}
	}
	if best == nil {
		return nil, false
	}
	return heap.Pop(best).(*Candidate), true
}

// before is the order among all candidates: those that are wanted alike come by their ids, those
// that share an id by where they stand.
func (s *shelf) before(a, b *Candidate) bool {
	ranks := [...][4]float64{s.rank(a), s.rank(b)}
	if c := slices.Compare(ranks[0][:], ranks[1][:]); c != 0 {
		return c < 0
	}
	if c := cmp.Compare(s.from.ID(a.Place), s.from.ID(b.Place)); c != 0 {
		return c < 0
	}
	return s.from.Memory(a.Place).Ref.String() < s.from.Memory(b.Place).Ref.String()
}

// These make a shelf a [heap.Interface].

func (s *shelf) Len() int           { return len(s.all) }
func (s *shelf) Less(i, j int) bool { return s.before(s.all[i], s.all[j]) }
func (s *shelf) Swap(i, j int)      { s.all[i], s.all[j] = s.all[j], s.all[i] }
func (s *shelf) Push(x any)         { s.all = append(s.all, x.(*Candidate)) }

func (s *shelf) Pop() any {
	last := len(s.all) - 1
	c := s.all[last]
	s.all = s.all[:last]
	return c
}
