package answer_test

import (
	"fmt"
	"hash/fnv"
	"strings"
	"testing"
	"time"

	"github.com/memoryd/memoryd/fixtures/datasets"
	"github.com/memoryd/memoryd/pkg/answer"
	"github.com/memoryd/memoryd/pkg/recall"
	"github.com/memoryd/memoryd/pkg/temporal"
)

// turn is a turn of a conversation, which stands for a memory.
type turn struct {
	ID, Corpus, Timestamp, Speaker, Text string
	Session                              int
}

type question struct {
	ID, Corpus, Question, Category string
	Answer                         any
	Evidence                       []string
}

// conversations are the turns by corpus, searched as memories are.
type conversations struct {
	index  map[string]*recall.Index
	turns  map[string]turn
	latest map[string]time.Time
}

func readConversations(t *testing.T) *conversations {
	c := &conversations{map[string]*recall.Index{}, map[string]turn{}, map[string]time.Time{}}
	docs := map[string][]recall.Document{}
	for m := range datasets.Rows[turn](t, "dev/recall_locomo_memories.jsonl") {
		at := written(t, m.Timestamp)
		docs[m.Corpus] = append(docs[m.Corpus], recall.Document{ID: m.ID, Created: at, Content: m.Text, Agent: m.Speaker, People: []string{m.Speaker}, Session: fmt.Sprint(m.Session)})
		c.turns[m.ID] = m
		if at.After(c.latest[m.Corpus]) {
			c.latest[m.Corpus] = at
		}
	}
	for corpus, list := range docs {
		c.index[corpus] = recall.New()
		c.index[corpus].Add(list...)
	}
	return c
}

func written(t *testing.T, stamp string) time.Time {
	at, err := time.Parse("2006-01-02T15:04:05", stamp)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

func (c *conversations) ask(t *testing.T, q question) answer.Answer {
	result, err := c.index[q.Corpus].Search(recall.Query{Text: q.Question, At: c.latest[q.Corpus], Limit: answer.MaxHits, Mode: recall.Exhaustive})
	if err != nil {
		t.Fatal(err)
	}
	asked := answer.Question{Text: q.Question, At: c.latest[q.Corpus]}
	for _, h := range result.Hits {
		m := c.turns[h.ID]
		asked.Hits = append(asked.Hits, answer.Hit{ID: h.ID, Text: m.Text, Author: m.Speaker, Written: written(t, m.Timestamp), Score: h.Score})
	}
	return answer.FromText(&asked)
}

// accepted is the interval of an answer that people have given, such as "weekend before 24 August, 2023": from how long before. Answers without
// a year are of that of the evidence.
func accepted(said string, evidence time.Time) (from, to time.Time, ok bool) {
	spans := temporal.Resolve(strings.TrimRight(said, "."), evidence)
	if len(spans) == 0 {
		return from, to, false
	}
	from, to = spans[0].From, spans[len(spans)-1].To
	lower := strings.ToLower(said)
	for _, wide := range []struct {
		word string
		days int
	}{{"around", 4}, {"week before", 7}, {"weekend before", 7}, {"day before", 7}, {"days before", 7}, {"years before", 5 * 365}, {"before", 7}} {
		if strings.Contains(lower, wide.word) {
			return from.AddDate(0, 0, -wide.days), to, true
		}
	}
	return from, to, true
}

// right says whether an answer's interval overlaps the accepted one and isn't more than twice as long, as score_temporal.py counts it ("overlap").
func right(a answer.Answer, from, to time.Time) bool {
	if a.Answer == nil || len(a.Times) == 0 {
		return false
	}
	r := a.Times[0]
	return r.From.Before(to) && from.Before(r.To) && r.To.Sub(r.From) <= max(24*time.Hour, 2*to.Sub(from))
}

// TestMeasured holds the share of right answers to questions for a time above a floor, on either half of the questions.
func TestMeasured(t *testing.T) {
	c := readConversations(t)
	var n, hits, found [2]int
	sum := map[bool]float64{}
	for q := range datasets.Rows[question](t, "dev/recall_locomo_questions.jsonl") {
		if !answer.AsksWhen(q.Question) || q.Category == "adversarial" || len(q.Evidence) == 0 {
			continue
		}
		from, to, ok := accepted(fmt.Sprint(q.Answer), written(t, c.turns[q.Evidence[0]].Timestamp))
		if !ok {
			t.Logf("not counted: %s: %v", q.Question, q.Answer)
			continue
		}
		h := fnv.New32a()
		h.Write([]byte(q.ID))
		half := int(h.Sum32()>>7) & 1
		a := c.ask(t, q)
		is := right(a, from, to)
		n[half]++
		if is {
			hits[half]++
		}
		for _, id := range q.Evidence {
			if len(a.Sources) > 0 && a.Sources[0].MemoryID == id {
				found[half]++
				break
			}
		}
		sum[is] += a.Confidence
		if !is && testing.Verbose() {
			said := "null"
			if a.Answer != nil {
				said = *a.Answer
			}
			t.Logf("%d %s: %s; wanted %v (%v) %v", half, q.Question, said, q.Answer, a.Sources, a.Confidence)
		}
	}
	for half, floor := range [2]float64{.68, .58} {
		if share := float64(hits[half]) / float64(n[half]); share < floor {
			t.Errorf("half %d: %.3f of the answers are right, at least %.2f are wanted", half, share, floor)
		}
	}
	t.Logf("right: %d of %d, %d of %d; from the evidence itself: %v; confidence of right ones %.2f, of wrong ones %.2f", hits[0], n[0], hits[1], n[1], found,
		sum[true]/float64(hits[0]+hits[1]), sum[false]/float64(n[0]+n[1]-hits[0]-hits[1]))
}
