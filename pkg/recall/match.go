package recall

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/memoryd/memoryd/pkg/temporal"
	"github.com/memoryd/memoryd/pkg/text"
)

// weights are the numbers of the formula in the package comment.
type weights struct {
	k1, b         float64             // BM25
	field         [fieldCount]float64 // how much a word in a field counts
	near, far     float64             // a word in the memory before or behind, and one further
	session       float64             // the session's BM25
	common        float64             // the share of memories in which a word tells nothing of neighbours and sessions
	k1s, bs       float64             // its parameters
	person        float64             // who is named takes part
	name          float64             // their names as words
	title         float64             // who is called just so
	time, open    float64             // of the time that is named; that part of it where it isn't over
	feedback      float64             // words of the best hits
	feedLen       float64             // words of a hit that count half
	recency       float64             // all below: of the relevance
	priority      float64
	reads         float64
	retention     float64
	judged, alike float64 // which of the best hits are judged for updates
	wide          int     // how many more than twice the hits are looked at first
}

var tuned = weights{
	k1: .6, b: .3, field: [fieldCount]float64{content: 1, summary: 1.5, title: 2, tags: 1.5, wording: .5, aliases: .5},
	near: .3, far: .1, session: .3, common: .25, k1s: 2, bs: .5, person: 4, name: .2, title: 2, time: 2, open: .25, feedback: .2, feedLen: 200,
	recency: .05, priority: .1, reads: .05, retention: .2,
	judged: .5, alike: .5, wide: 32,
}

const (
	maxWords = 48      // of a query: of the first known ones, four times as many, those that fewest memories have
	maxText  = 1 << 14 // bytes of a query that are read
)

// word is a term of the query, and what the index has of it.
type word struct {
	text   string // as written in the query
	term   string
	number uint32
	count  int    // documents that have it, where there are too many words
	person uint32 // the number of the term of the people of that name; none

	variant float64 // how much a term counts that isn't the word itself; 0 where it is
}

// parsedQuery is a query as it was read.
type parsedQuery struct {
	words []word
	spans []interval
	open  bool // some of spans aren't over yet
	name  titleQuery
}

type interval struct{ from, to int64 }

// parseQuery reads the text of a query.
func (ix *Index) parseQuery(m *matches, q *Query) (out parsedQuery) {
	a := m.analyzer
	query := q.Text
	if len(query) > maxText {
		query = strings.ToValidUTF8(query[:maxText], "")
	}
	var cut []temporal.Span // what is said of time, and not of the memory
	if !q.At.IsZero() {
		for _, span := range temporal.Resolve(query, q.At) {
			readings := span.Readings()
			if span.Confidence == temporal.Guess && len(readings) == 1 {
				continue
			}
			for _, s := range readings { // of a day that can be two, both
				if !s.From.Before(q.At) && s.Shape != temporal.Before && s.Shape != temporal.Until {
					continue
				}
				out.spans = append(out.spans, intervalOf(s, q.At))
				out.open = out.open || s.To.After(q.At)
				if s.Relative {
					cut = append(cut, s)
				}
			}
		}
	}
	seen := map[string]bool{}
	a.terms(query, func(t token) {
		out.name.add(t)
		for _, s := range cut {
			if t.start >= s.Start && t.start < s.End {
				return
			}
		}
		if seen[t.term] {
			return
		}
		x := word{text: query[t.start:t.end], term: t.term, number: none, person: none}
		seen[x.term] = true
		if t, ok := ix.terms.find(x.term); ok && ix.has(m, t) {
			x.number = t
		}
		a.word = text.AppendPlain(append(a.word[:0], '@'), x.text)
		if t, ok := ix.terms.find(string(a.word)); ok && ix.has(m, t) {
			x.person = t
		}
		out.words = append(out.words, x)
	})
	out.words = ix.addVariants(m, query, out.words)
	known := out.words[:0]
	for _, x := range out.words {
		if (x.number != none || x.person != none) && len(known) < 4*maxWords {
			known = append(known, x)
		}
	}
	if len(known) > maxWords {
		for i := range known {
			known[i].count = ix.frequencyOf(m, known[i].number)
		}
		slices.SortStableFunc(known, func(x, y word) int { return cmp.Or(cmp.Compare(x.count, y.count), cmp.Compare(x.term, y.term)) })
		known = known[:maxWords]
	}
	out.words = known
	return out
}

// has reports whether a document has a term: those that had it may have been removed.
func (ix *Index) has(m *matches, t uint32) bool { return ix.gone == 0 || ix.frequencyOf(m, t) > 0 }

func intervalOf(s temporal.Span, at time.Time) interval {
	i := interval{s.From.Unix(), s.To.Unix()}
	switch s.Shape {
	case temporal.Since:
		i.to = max(at.Unix()+1, i.to)
	case temporal.Until:
		i.from = math.MinInt64
	case temporal.Before:
		i.from, i.to = math.MinInt64, i.from
	case temporal.After:
		i.from, i.to = i.to, math.MaxInt64
	}
	return i
}

// of reports whether a document was created or updated in one of the intervals.
func (x *doc) of(spans []interval) bool {
	for _, s := range spans {
		if s.from <= x.created && x.created < s.to && x.created != noTime || s.from <= x.updated && x.updated < s.to && x.updated != noTime {
			return true
		}
	}
	return false
}

// rarityOf is the weight of what n of all documents have (Robertson and Spärck
// Jones, in the form that is never negative).
func rarityOf(ix *Index, n int) float64 {
	all := float64(ix.totals.docs)
	return math.Log(1 + (all-float64(n)+.5)/(float64(n)+.5))
}

// saturated is the BM25 weight of a frequency that is normalised already.
func saturated(tf, k1 float64) float64 { return tf * (k1 + 1) / (tf + k1) }

// matches are what a query found.
type matches struct {
	met     set
	docs    []match   // by document
	session []float32 // by session

	// Of the term at hand, and zero between terms.
	local    []local  // by document
	nearby   set      // documents that have it in their sessions, and those around them
	times    []uint32 // by session, how often it has the term
	sessions []uint32 // those that have it

	postings []posting // of a term
	analyzer *analyzer
}

// match is what a query found of a document: the parts of its relevance.
type match struct {
	has     uint64  // bits of the words that it has
	words   float32 // the query's words in it
	around  float32 // and in those around it in its session
	related float32 // words of the best hits
	people  float32
	title   float32
	time    float32
	meaning float32
}

// local is how often a document of a session has the term at hand, and how often those next to
// it, and those one further, have it.
type local struct{ own, near, far float32 }

// borrowMatches gives empty matches that this index has room in. [Index.giveBack] takes them when the query is answered: at 100,000 documents they
// are 6 MB, and a search that made its own would spend much of its time on collecting those before it.
func (ix *Index) borrowMatches() *matches {
	n, sessions := len(ix.dead), len(ix.members)
	m, ok := ix.spare.Get().(*matches)
	if !ok || len(m.met) != n || len(m.session) != sessions {
		m = &matches{
			met: make(set, n), docs: make([]match, 64*n), session: make([]float32, sessions),
			local: make([]local, 64*n), nearby: make(set, n), times: make([]uint32, sessions),
		}
	}
	m.analyzer = newAnalyzer()
	return m
}

// giveBack empties matches for the next query. Nothing may use them any more.
func (ix *Index) giveBack(m *matches) {
	clear(m.met)
	clear(m.docs)
	clear(m.session)
	ix.spare.Put(m)
}
