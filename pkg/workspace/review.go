package workspace

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/tidwall/gjson"

	"github.com/memoryd/memoryd/pkg/internal/durable"
	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
)

// ReviewPair is two memories that a person has to decide about.
type ReviewPair struct {
	A, B              string // ids, the older first
	PrintA, PrintB    string // fingerprints of the texts as they were flagged
	Reason            string // distinct_facts, both_edited
	Differences       []string
	TagOverlap        float64
	ContentSimilarity float64
	RunID             string
	FlaggedAt         time.Time
}

// ReviewQueue is ops/review.json: the pairs waiting for a decision.
type ReviewQueue struct {
	Pairs  []ReviewPair
	broken bool
}

// Stands reports whether the pair is in the queue and both texts are still as
// they were when it was flagged. A queue that can't be read holds every pair:
// nothing is decided over it.
func (q *ReviewQueue) Stands(a, b *Memory) bool {
	if q.broken {
		return true
	}
	for i := range q.Pairs {
		p := &q.Pairs[i]
		if p.A == a.ID && p.B == b.ID && p.PrintA == fingerprint(a) && p.PrintB == fingerprint(b) ||
			p.A == b.ID && p.B == a.ID && p.PrintA == fingerprint(b) && p.PrintB == fingerprint(a) {
			return true
		}
	}
	return false
}

// Waits reports whether m stands in the queue as the older of a pair whose other
// memory is still there: it is not flagged a second time before that is decided.
func (q *ReviewQueue) Waits(m *Memory, s *Snapshot) bool {
	for i := range q.Pairs {
		p := &q.Pairs[i]
		if p.A != m.ID || p.PrintA != fingerprint(m) {
			continue
		}
		if other := s.Live(p.B); other != nil && fingerprint(other) == p.PrintB {
			return true
		}
	}
	return false
}

// NewPair records two memories, the older first, for review.
func NewPair(a, b *Memory, reason string, differences []string, tags, content float64) ReviewPair {
	return ReviewPair{
		A: a.ID, B: b.ID, PrintA: fingerprint(a), PrintB: fingerprint(b),
		Reason: reason, Differences: differences, TagOverlap: tags, ContentSimilarity: content,
	}
}

// fingerprint identifies what a memory says: its kind, tags and content, not its
// counters and times.
func fingerprint(m *Memory) string {
	text := fmt.Appendf(nil, "%q %q %q %q ", m.Type, m.Subtype, normalTags(m.Tags), parse(m.Raw).Get("title").Raw)
	return string(DigestOf(append(text, jsonedit.Compact([]byte(m.content.Raw))...))[:16])
}

// reviewDoc is an empty queue.
const reviewDoc = "{\n  \"version\": \"1.0.0\",\n  \"pairs\": []\n}\n"

func loadReview(root durable.FS) (*ReviewQueue, error) {
	doc, _, err := root.Read(ReviewFile, jsonedit.MaxSize)
	if errors.Is(err, fs.ErrNotExist) {
		return &ReviewQueue{}, nil
	}
	if err != nil {
		return nil, err
	}
	if err := jsonedit.Check(doc); err != nil {
		return nil, fmt.Errorf("not valid JSON: %w", err)
	}
	elements, ok := jsonedit.Elements(doc, "pairs")
	if !ok {
		return nil, errors.New(`no list "pairs"`)
	}
	q := &ReviewQueue{}
	for _, e := range elements {
		ids, prints := list(e.Get("memory_ids")), list(e.Get("fingerprints"))
		if len(ids) != 2 || len(prints) != 2 {
			continue // written by somebody else
		}
		q.Pairs = append(q.Pairs, ReviewPair{
			A: ids[0], B: ids[1], PrintA: prints[0], PrintB: prints[1],
			Reason: e.Get("reason").Str, Differences: list(e.Get("differences")),
			TagOverlap: e.Get("tag_overlap").Num, ContentSimilarity: e.Get("content_similarity").Num,
			RunID: e.Get("run_id").Str, FlaggedAt: parseTime(e.Get("flagged_at").Str),
		})
	}
	return q, nil
}

// add puts pairs into the queue's document; a pair of the same two ids that no
// longer stands is replaced.
func addPairs(doc []byte, pairs []ReviewPair) ([]byte, error) {
	if len(doc) == 0 {
		doc = []byte(reviewDoc)
	}
	elements, ok := jsonedit.Elements(doc, "pairs")
	if !ok {
		return nil, errors.New(`no list "pairs": mend or move the file`)
	}
	edit := jsonedit.ArrayEdit{Remove: map[int]bool{}}
	for _, p := range pairs {
		for i, e := range elements {
			if samePair(e, p) {
				edit.Remove[i] = true
			}
		}
		raw, err := pairJSON(p)
		if err != nil {
			return nil, err
		}
		edit.Insert = append(edit.Insert, jsonedit.Insertion{Before: len(elements), Raw: raw})
	}
	return jsonedit.EditArray(doc, []string{"pairs"}, edit)
}

// takePairs removes pairs that a run had put there.
func takePairs(doc []byte, pairs []ReviewPair) ([]byte, error) {
	elements, ok := jsonedit.Elements(doc, "pairs")
	if !ok {
		return doc, nil
	}
	edit := jsonedit.ArrayEdit{Remove: map[int]bool{}}
	for i, e := range elements {
		for _, p := range pairs {
			if samePair(e, p) && e.Get("run_id").Str == p.RunID {
				edit.Remove[i] = true
			}
		}
	}
	if len(edit.Remove) == 0 {
		return doc, nil
	}
	return jsonedit.EditArray(doc, []string{"pairs"}, edit)
}

func samePair(e gjson.Result, p ReviewPair) bool {
	ids := list(e.Get("memory_ids"))
	return len(ids) == 2 && (ids[0] == p.A && ids[1] == p.B || ids[0] == p.B && ids[1] == p.A)
}

func pairJSON(p ReviewPair) ([]byte, error) {
	return json.Marshal(struct {
		MemoryIDs         [2]string `json:"memory_ids"`
		Reason            string    `json:"reason"`
		Differences       []string  `json:"differences,omitempty"`
		TagOverlap        float64   `json:"tag_overlap"`
		ContentSimilarity float64   `json:"content_similarity"`
		Fingerprints      [2]string `json:"fingerprints"`
		RunID             string    `json:"run_id"`
		FlaggedAt         string    `json:"flagged_at"`
	}{
		[2]string{p.A, p.B}, p.Reason, p.Differences, p.TagOverlap, p.ContentSimilarity,
		[2]string{p.PrintA, p.PrintB}, p.RunID, FormatTime(p.FlaggedAt),
	})
}
