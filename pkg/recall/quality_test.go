package recall

import (
	"fmt"
	"hash/fnv"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/memoryd/memoryd/fixtures/datasets"
	"github.com/memoryd/memoryd/pkg/supersession"
)

// labelled are memories and questions about them, with the memories that answer.
type labelled struct {
	index     map[string]*Index
	latest    map[string]time.Time
	text      map[string]string
	questions []labelledQuestion
}

type labelledQuestion struct {
	ID, Corpus, Question, Category, Question_date string //nolint:revive // as the rows have it
	Evidence, Stale                               []string
}

func readLabelled(t testing.TB, memories, questions string) *labelled {
	t.Helper()
	l := &labelled{map[string]*Index{}, map[string]time.Time{}, map[string]string{}, nil}
	docs := map[string][]Document{}
	type memory struct {
		ID, Corpus, Timestamp, Speaker, Text, Image_caption string //nolint:revive // as the rows have it
		Session                                             int
		Turns                                               []struct{ Text string }
	}
	for m := range datasets.Rows[memory](t, "dev/"+memories) {
		at, err := time.Parse("2006-01-02T15:04:05", m.Timestamp)
		if err != nil {
			t.Fatal(err)
		}
		d := Document{ID: m.ID, Created: at, Content: m.Text, Agent: m.Speaker}
		for _, turn := range m.Turns {
			d.Content += turn.Text + "\n"
		}
		l.text[m.ID] = d.Content
		if m.Image_caption != "" {
			d.Content += "\nimage_caption: " + m.Image_caption
		}
		if m.Speaker != "" {
			d.People = []string{m.Speaker}
		}
		if m.Session > 0 {
			d.Session = fmt.Sprint(m.Session)
		}
		docs[m.Corpus] = append(docs[m.Corpus], d)
		if at.After(l.latest[m.Corpus]) {
			l.latest[m.Corpus] = at
		}
	}
	for corpus, list := range docs {
		l.index[corpus] = indexOf(list...)
	}
	for q := range datasets.Rows[labelledQuestion](t, "dev/"+questions) {
		if len(q.Evidence) > 0 {
			l.questions = append(l.questions, q)
		}
	}
	return l
}

// quality are means over questions, as score_recall.py defines them.
type quality struct{ recall, ndcg, session, multi, hit5, all5, current, stale float64 }

// measure asks the questions of a half of them, by a hash of their ids; half < 0:
// all.
func (l *labelled) measure(t testing.TB, half int, w *weights) (m quality) {
	var n, hops float64
	for _, q := range l.questions {
		h := fnv.New32a()
		h.Write([]byte(q.ID))
		if half >= 0 && int(h.Sum32()>>7)&1 != half {
			continue
		}
		at := l.latest[q.Corpus]
		if q.Question_date != "" {
			var err error
			if at, err = time.Parse("2006-01-02T15:04:05", q.Question_date); err != nil {
				t.Fatal(err)
			}
		}
		found, err := l.index[q.Corpus].search(Query{Text: q.Question, At: at, Limit: 100, Note: func(id string) (supersession.Note, bool) {
			return supersession.Note{Name: id, Text: l.text[id]}, true
		}}, w)
		if err != nil {
			t.Fatal(err)
		}
		gold := map[string]bool{}
		goldSessions, seen := map[string]bool{}, map[string]bool{}
		for _, id := range q.Evidence {
			gold[id] = true
			goldSessions[sessionOf(id)] = true
		}
		var hits, hits5, dcg, ideal, sessions float64
		for i, hit := range found.Hits {
			if gold[hit.ID] && i < 10 {
				hits++
				dcg += 1 / math.Log2(float64(i)+2)
				if i < 5 {
					hits5++
				}
			}
			if s := sessionOf(hit.ID); !seen[s] && len(seen) < 10 {
				seen[s] = true
				if goldSessions[s] {
					sessions++
				}
			}
		}
		for i := range min(10, len(gold)) {
			ideal += 1 / math.Log2(float64(i)+2)
		}
		n++
		m.recall += hits / float64(len(gold))
		m.ndcg += dcg / ideal
		m.session += sessions / float64(len(goldSessions))
		m.hit5 += min(hits5, 1)
		if int(hits5) == len(gold) {
			m.all5++
		}
		if q.Category == "multi-hop" {
			hops++
			m.multi += hits / float64(len(gold))
		}
		if len(found.Hits) > 0 && gold[found.Hits[0].ID] {
			m.current++
		}
		if len(found.Hits) > 0 && slices.Contains(q.Stale, found.Hits[0].ID) {
			m.stale++
		}
	}
	for _, sum := range []*float64{&m.recall, &m.ndcg, &m.session, &m.hit5, &m.all5, &m.current, &m.stale} {
		*sum /= max(n, 1)
	}
	m.multi /= max(hops, 1)
	return m
}

func sessionOf(id string) string {
	session, _, _ := strings.Cut(id, ":")
	return session
}

func locomo(t testing.TB) *labelled {
	return readLabelled(t, "recall_locomo_memories.jsonl", "recall_locomo_questions.jsonl")
}

func longMemEval(t testing.TB) *labelled {
	return readLabelled(t, "recall_lme_sessions.jsonl.gz", "recall_lme_questions.jsonl")
}

func current(t testing.TB) *labelled {
	return readLabelled(t, "current_value_memories.jsonl", "current_value_questions.jsonl")
}

func TestQuality(t *testing.T) {
	if testing.Short() {
		t.Skip("SKIPPED: asks 1,376 questions")
	}
	lo := locomo(t)
	for half := range 2 { // weights were tuned on the first
		m := lo.measure(t, half, &tuned)
		t.Logf("turns of conversations, half %d: %+v", half, m)
		if m.recall < .78 || m.ndcg < .59 || m.session < .93 || m.multi < .42 {
			t.Error("that is too little")
		}
	}
	m := longMemEval(t).measure(t, -1, &tuned)
	t.Logf("sessions: %+v", m)
	if m.hit5 < .96 || m.all5 < .85 || m.ndcg < .86 {
		t.Error("that is too little")
	}
	m = current(t).measure(t, -1, &tuned)
	t.Logf("values that hold: %+v", m)
	if m.stale > .01 || m.current < .95 {
		t.Error("too many that don't hold")
	}
}

// BenchmarkAblation measures recall without each of its parts, and with some others:
// the table in the package comment.
func BenchmarkAblation(b *testing.B) {
	lo, me := locomo(b), longMemEval(b)
	for _, c := range []struct {
		name   string
		change func(w *weights)
	}{
		{"all", func(*weights) {}},
		{"bm25", func(w *weights) {
			*w = weights{k1: .9, b: .4, field: [fieldCount]float64{1, 1, 1, 1}, k1s: 1, name: 1, feedLen: 200, judged: 9, wide: 32}
		}},
		{"no-neighbours", func(w *weights) { w.near, w.far = 0, 0 }},
		{"no-further-neighbours", func(w *weights) { w.far = 0 }},
		{"no-session", func(w *weights) { w.session = 0 }},
		{"common-words-near-too", func(w *weights) { w.common = 1 }},
		{"recency=0.1", func(w *weights) { w.recency = .1 }},
		{"no-people", func(w *weights) { w.person, w.name = 0, 1 }},
		{"names-as-words", func(w *weights) { w.name = 1 }},
		{"no-time", func(w *weights) { w.time = 0 }},
		{"no-recency", func(w *weights) { w.recency = 0 }},
		{"no-feedback", func(w *weights) { w.feedback = 0 }},
		{"feedback-of-short-ones-too", func(w *weights) { w.feedLen = 5 }},
		{"k1=0.9", func(w *weights) { w.k1 = .9 }},
		{"k1=1.2", func(w *weights) { w.k1 = 1.2 }},
		{"b=0.1", func(w *weights) { w.b = .1 }},
		{"b=0.75", func(w *weights) { w.b = .75 }},
	} {
		b.Run(c.name, func(b *testing.B) {
			w := tuned
			c.change(&w)
			var first, second, sessions quality
			for b.Loop() {
				first, second, sessions = lo.measure(b, 0, &w), lo.measure(b, 1, &w), me.measure(b, -1, &w)
			}
			for name, x := range map[string]float64{
				"recall-1": first.recall, "recall-2": second.recall, "ndcg-1": first.ndcg, "ndcg-2": second.ndcg, "session-1": first.session, "session-2": second.session,
				"multi-1": first.multi, "multi-2": second.multi, "lme-hit5": sessions.hit5, "lme-all5": sessions.all5, "lme-ndcg": sessions.ndcg,
			} {
				b.ReportMetric(x, name)
			}
			b.ReportMetric(0, "ns/op")
		})
	}
}
