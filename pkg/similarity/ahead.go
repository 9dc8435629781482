package similarity

import (
	"runtime"

	"github.com/memoryd/memoryd/pkg/internal/parallel"
)

// Ahead answers for a [Join] what will be asked next, on all cores. What is removed before its turn was answered in vain, so
// that it begins with few questions and goes on with more while most are asked.
type Ahead struct {
	join    *Join
	left    int // of the last questions, those whose turn has not come
	batch   int // how many the next ones are
	looks   []lookup
	pending []int
}

// The questions of a batch, and how many pairs their answers may have for the next one to be larger.
const (
	mostAhead  = 4096
	manyAnswer = 1 << 16
)

// NewAhead is for one goroutine, which is the only one to use the join.
func NewAhead(j *Join) *Ahead {
	cores := runtime.GOMAXPROCS(0)
	return &Ahead{join: j, batch: cores, looks: make([]lookup, cores)}
}

// Ask is called each time before a record's turn comes: in turn are n records, of which record gives the one that comes after
// so many others, 0 being the next. Then [Join.Similar] answers as it would have without.
func (a *Ahead) Ask(n int, record func(after int) int) {
	j := a.join
	if a.left > 0 {
		a.left--
		return
	}
	wasted := len(j.answers)
	if wasted > a.batch/4 {
		a.batch = max(a.batch/2, len(a.looks))
	}
	clear(j.answers)
	a.left, a.pending = min(n, a.batch)-1, a.pending[:0]
	for after := range a.left + 1 {
		i := record(after)
		if g := j.group[i]; !j.removed[i] && len(g.records) > 1 {
			if !g.ready {
				j.prepare(g)
			}
			g.prune()
			a.pending = append(a.pending, i)
		}
	}
	if len(a.pending) < 2 {
		return
	}
	answers, pairs := make([][]Pair, len(a.pending)), 0
	parallel.Work(len(a.looks), len(answers), func(w, n int) { answers[n] = j.similar(a.pending[n], &a.looks[w]) })
	if j.answers == nil {
		j.answers = map[int][]Pair{}
	}
	for n, i := range a.pending {
		j.answers[i] = answers[n]
		pairs += len(answers[n])
	}
	switch {
	case pairs > manyAnswer:
		a.batch = max(a.batch/2, len(a.looks))
	case wasted <= a.batch/4:
		a.batch = min(2*a.batch, mostAhead)
	}
}

// prune takes the classes out of the index of which no record is left, once they are a fair part.
func (g *group) prune() {
	if g.index != nil && g.gone > 64+len(g.index.order)/8 {
		g.index.prune(func(c int32) bool { return g.classes[c].first < 0 })
		g.gone = 0
	}
}
