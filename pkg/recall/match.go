package recall

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
	"strings"
	"time"

	"github.com/memoryd/memoryd/pkg/temporal"
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
	meaning       float64
	recency       float64 // all below: of the relevance
	priority      float64
	reads         float64
	retention     float64
	judged, alike float64 // which of the best hits are judged for updates
	wide          int     // how many more than twice the hits are looked at first
}

var tuned = weights{
	k1: .6, b: .3, field: [fieldCount]float64{content: 1, summary: 1.5, title: 2, tags: 1.5},
	near: .3, far: .1, session: .3, common: .25, k1s: 2, bs: .5, person: 4, name: .2, title: 2, time: 2, open: .25, feedback: .2, feedLen: 200, meaning: 8,
	recency: .05, priority: .1, reads: .05, retention: .2,
	judged: .5, alike: .5, wide: 32,
}

const (
	maxWords = 48      // of a query: of the first known ones, four times as many, those that fewest memories have
	maxText  = 1 << 14 // bytes of a query that are read
)

// word is a term of the query, and what the index has of it.
type word struct {
	text   string // as it stands in the query
	term   string
	number uint32
	count  int    // documents that have it, where there are too many words
	person uint32 // the number of the term of the people of that name; none
}

// asked is a query as it is understood.
type asked struct {
	words []word
	spans []interval
	open  bool // some of spans aren't over yet
	name  called
}

type interval struct{ from, to int64 }

// understand reads the text of a query.
func (ix *Index) understand(m *matches, q *Query) (out asked) {
	a := m.analyzer
	text := q.Text
	if len(text) > maxText {
		text = strings.ToValidUTF8(text[:maxText], "")
	}
	var cut []temporal.Span // what is said of time, and not of the memory
	if !q.At.IsZero() {
		for _, s := range temporal.Resolve(text, q.At) {
			if s.Confidence == temporal.Guess || !s.From.Before(q.At) && s.Shape != temporal.Before && s.Shape != temporal.Until {
				continue
			}
			out.spans = append(out.spans, intervalOf(s, q.At))
			out.open = out.open || s.To.After(q.At)
			if s.Relative {
				cut = append(cut, s)
			}
		}
	}
	seen := map[string]bool{}
	a.terms(text, func(t token) {
		out.name.add(t)
		for _, s := range cut {
			if t.start >= s.Start && t.start < s.End {
				return
			}
		}
		if seen[t.term] {
			return
		}
		x := word{text: text[t.start:t.end], term: t.term, number: none, person: none}
		seen[x.term] = true
		if t, ok := ix.terms.find(x.term); ok && ix.lives(m, t) {
			x.number = t
		}
		out.words = append(out.words, x)
	})
	known := out.words[:0]
	for _, x := range out.words {
		a.word = lowered(append(a.word[:0], '@'), x.text)
		if t, ok := ix.terms.find(string(a.word)); ok && ix.lives(m, t) {
			x.person = t
		}
		if (x.number != none || x.person != none) && len(known) < 4*maxWords {
			known = append(known, x)
		}
	}
	if len(known) > maxWords {
		for i := range known {
			known[i].count = ix.count(m, known[i].number)
		}
		slices.SortStableFunc(known, func(x, y word) int { return cmp.Or(cmp.Compare(x.count, y.count), cmp.Compare(x.term, y.term)) })
		known = known[:maxWords]
	}
	out.words = known
	return out
}

// lives reports whether a document has a term: those that had it may be gone.
func (ix *Index) lives(m *matches, t uint32) bool {
	if len(ix.dead) == 0 {
		return true
	}
	living := func(list []posting) bool {
		return slices.ContainsFunc(list, func(p posting) bool { return !ix.isDead(p.doc) })
	}
	if t < ix.base.termsLen {
		const some = 64 // bytes
		flat := ix.base.postings.at(t)
		m.postings = readPostings(m.postings[:0], flat[:min(len(flat), some)], ix.base.documentsLen)
		if living(m.postings) {
			return true
		}
		if m.postings = readPostings(m.postings[:0], flat, ix.base.documentsLen); living(m.postings) {
			return true
		}
	}
	if int(t) >= len(ix.postings) {
		return false
	}
	m.postings = readPostings(m.postings[:0], ix.postings[t].flat, ix.size())
	return living(m.postings)
}

// count is how many documents have a term.
func (ix *Index) count(m *matches, t uint32) int {
	switch {
	case t == none:
		return 0
	case len(ix.dead) == 0:
		n := 0
		if t < ix.base.termsLen {
			n = int(le.Uint32(ix.base.counts[4*t:]))
		}
		if int(t) < len(ix.postings) {
			n += int(ix.postings[t].count)
		}
		return n
	}
	m.postings = ix.live(m.postings[:0], t)
	return len(m.postings)
}

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
func (ix *Index) of(spans []interval, d uint32) bool {
	created, updated := ix.created.at(d), ix.updated.at(d)
	for _, s := range spans {
		if s.from <= created && created < s.to && created != noTime || s.from <= updated && updated < s.to && updated != noTime {
			return true
		}
	}
	return false
}

// rarity is the weight of what n of all documents have (Robertson and Spärck
// Jones, in the form that is never negative).
func (ix *Index) rarity(n int) float64 {
	all := float64(ix.totals.docs)
	return math.Log(1 + (all-float64(n)+.5)/(float64(n)+.5))
}

// saturated is the BM25 weight of a frequency that is normalised already.
func saturated(tf, k1 float64) float64 { return tf * (k1 + 1) / (tf + k1) }

// matches are what a query found, by document unless it says otherwise: zero but for the
// documents that were met.
type matches struct {
	met     set
	words   []float32 // the query's words in it
	around  []float32 // and through its neighbours
	related []float32 // words of the best hits
	people  []float32
	titled  []float32
	when    []float32
	meaning []float32
	has     []uint64  // bits of the words that it has
	local   []local   // the term at hand; zero but while it is
	close   set       // documents that have the term at hand in their sessions, and what is around those
	session []float32 // by session
	times   []uint32  // how often the term at hand stands in a session

	more     [][]float32 // those of related, people, titled, when and meaning that are used
	norm     norms
	postings []posting
	sessions []uint32
	analyzer *analyzer
}

// local is how often a document of a session has the term at hand, and how often those beside
// it, and those one further, have it.
type local struct{ own, near, far float32 }

// set is a set of documents, a bit for each.
type set []uint64

func (s set) add(d uint32) { s[d/64] |= 1 << (d % 64) }

func (s set) has(d uint32) bool { return s[d/64]>>(d%64)&1 != 0 }

// each calls do for the documents in order.
func (s set) each(do func(d uint32)) {
	for i, w := range s {
		for ; w != 0; w &= w - 1 {
			do(uint32(64*i + bits.TrailingZeros64(w)))
		}
	}
}

func grown[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}

// matching returns matches, all zero.
func (ix *Index) matching() *matches {
	m, ok := ix.scratch.Get().(*matches)
	if !ok {
		m = &matches{analyzer: newAnalyzer()}
	}
	blocks := (int(ix.size()) + 63) / 64
	m.met, m.close, m.has, m.local = grown(m.met, blocks), grown(m.close, blocks), grown(m.has, 64*blocks), grown(m.local, 64*blocks)
	for _, scores := range m.all() {
		*scores = grown(*scores, 64*blocks)
	}
	m.session, m.times = grown(m.session, int(ix.sessions.len())), grown(m.times, int(ix.sessions.len()))
	return m
}

// all are the numbers that are kept of each document.
func (m *matches) all() [7]*[]float32 {
	return [...]*[]float32{&m.words, &m.around, &m.related, &m.people, &m.titled, &m.when, &m.meaning}
}

// use has a part counted in what is roughly known of documents.
func (m *matches) use(part []float32) []float32 {
	if len(part) > 0 && !slices.ContainsFunc(m.more, func(used []float32) bool { return &used[0] == &part[0] }) {
		m.more = append(m.more, part)
	}
	return part
}

// done gives matches back, zero again.
func (ix *Index) done(m *matches) {
	for i, w := range m.met {
		if w == 0 {
			continue
		}
		clear(m.words[64*i:][:64])
		clear(m.around[64*i:][:64])
		for _, used := range m.more {
			clear(used[64*i:][:64])
		}
		clear(m.has[64*i:][:64])
		m.met[i], m.close[i] = 0, 0
	}
	clear(m.session)
	m.more = m.more[:0]
	ix.scratch.Put(m)
}
