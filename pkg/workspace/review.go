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
	Reason            string // distinct_facts, both_edited, supersede, similar
	Differences       []string
	TagOverlap        float64
	ContentSimilarity float64
	RunID             string
	FlaggedAt         time.Time
}

// ID names the pair for commands: it stays the same while both texts do.
func (p ReviewPair) ID() string {
	return "rev_" + string(DigestOf([]byte(p.A + "\x00" + p.B + "\x00" + p.PrintA + p.PrintB)))[:8]
}

// Decision is what a person made of a pair.
type Decision struct {
	ReviewPair
	Verdict   string // keep_both, merge, supersede, or keep and an id
	DecidedAt time.Time
}

// ReasonSimilar is why a pair is flagged when the newer is saved. It binds nobody: a
// run that looks at the two does what its rules say, and a person may do so before.
const ReasonSimilar = "similar"

// KeepBoth is the verdict that two memories stay apart: the pair is never offered
// again while both texts stand.
const KeepBoth = "keep_both"

// ReviewQueue is ops/review.json: the pairs waiting for a decision, and the
// decisions that were made.
type ReviewQueue struct {
	Pairs   []ReviewPair
	Decided []Decision

	broken  bool
	waiting map[[2]string]int // ids, sorted -> index of Pairs
	apart   map[[2]string]int // the same of Decided, for pairs kept apart
}

func pairKey(a, b string) [2]string { return [2]string{min(a, b), max(a, b)} }

// index makes the lookups.
func (q *ReviewQueue) index() *ReviewQueue {
	q.waiting, q.apart = map[[2]string]int{}, map[[2]string]int{}
	for i, p := range q.Pairs {
		q.waiting[pairKey(p.A, p.B)] = i
	}
	for i, d := range q.Decided {
		if d.Verdict == KeepBoth {
			q.apart[pairKey(d.A, d.B)] = i
		}
	}
	return q
}

// stands reports whether both texts are as the pair recorded them.
func (p *ReviewPair) stands(a, b *Memory) bool {
	if p.A == b.ID {
		a, b = b, a
	}
	return p.PrintA == a.Fingerprint() && p.PrintB == b.Fingerprint()
}

// Stands reports whether the pair is in the queue and both texts are still as
// they were when it was flagged, by more than being similar. A queue that can't be
// read holds every pair: nothing is decided over it.
func (q *ReviewQueue) Stands(a, b *Memory) bool {
	if len(q.waiting) == 0 {
		return q.broken
	}
	i, ok := q.waiting[pairKey(a.ID, b.ID)]
	return q.broken || ok && q.Pairs[i].Reason != ReasonSimilar && q.Pairs[i].stands(a, b)
}

// KeptApart reports whether a person decided that both memories stay, and both
// texts are still as they were then.
func (q *ReviewQueue) KeptApart(a, b *Memory) bool {
	if len(q.apart) == 0 {
		return false
	}
	i, ok := q.apart[pairKey(a.ID, b.ID)]
	return ok && q.Decided[i].stands(a, b)
}

// Waits reports whether m stands in the queue as the older of a pair whose other
// memory is still there: it is not flagged a second time before that is decided.
func (q *ReviewQueue) Waits(m *Memory, s *Snapshot) bool {
	for i := range q.Pairs {
		p := &q.Pairs[i]
		if p.A != m.ID || p.Reason == ReasonSimilar {
			continue
		}
		if other := s.Live(p.B); other != nil && p.stands(m, other) {
			return true
		}
	}
	return false
}

// Disputed lists the places of all live memories that stand in the review queue, in a
// decision or in an action that was undone, some of them more than once: no others are in
// a pair that [ReviewQueue.Stands], is [ReviewQueue.KeptApart] or [Snapshot.Parted], or that
// [ReviewQueue.Waits]. Not ok: it may be any.
func (s *Snapshot) Disputed() (places []int, ok bool) {
	q := s.Review
	switch {
	case len(q.Pairs)+len(q.Decided)+len(s.parted) == 0:
		return nil, !q.broken
	case q.broken || s.base != nil || s.named[0] != s.live:
		return nil, false
	}
	add := func(id string) {
		for _, i := range s.byID().find(id) {
			if i < s.live.len() {
				places = append(places, i)
			}
		}
	}
	for i := range q.Pairs {
		add(q.Pairs[i].A)
		add(q.Pairs[i].B)
	}
	for i := range q.Decided {
		add(q.Decided[i].A)
		add(q.Decided[i].B)
	}
	for ids := range s.parted {
		add(ids[0])
		add(ids[1])
	}
	return places, true
}

// Open lists the pairs that still wait: both memories are live, and say what they
// said when they were flagged.
func (s *Snapshot) Open() []ReviewPair {
	var open []ReviewPair
	for _, p := range s.Review.Pairs {
		a, b := s.Live(p.A), s.Live(p.B)
		if a != nil && b != nil && p.stands(a, b) && !s.Review.KeptApart(a, b) {
			open = append(open, p)
		}
	}
	return open
}

// NewPair records two memories, the older first, for review.
func NewPair(a, b *Memory, reason string, differences []string, tags, content float64) ReviewPair {
	return ReviewPair{
		A: a.ID, B: b.ID, PrintA: a.Fingerprint(), PrintB: b.Fingerprint(),
		Reason: reason, Differences: differences, TagOverlap: tags, ContentSimilarity: content,
	}
}

// fingerprint identifies what a memory says: its kind, tags and content, not its
// counters and times.
func fingerprint(m *Memory) string {
	text := fmt.Appendf(nil, "%q %q %q %q ", m.Type, m.Subtype, normalTags(m.Tags), parse(m.Raw()).Get("title").Raw)
	return string(DigestOf(append(text, jsonedit.Compact([]byte(m.Content().Raw))...))[:16])
}

// reviewDoc is an empty queue.
const reviewDoc = "{\n  \"version\": \"1.0.0\",\n  \"pairs\": []\n}\n"

func loadReview(root durable.FS) (*ReviewQueue, error) {
	doc, _, err := root.Read(ReviewFile, jsonedit.MaxSize)
	q := &ReviewQueue{}
	if errors.Is(err, fs.ErrNotExist) {
		return q, nil
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
	for _, e := range elements {
		if p, ok := readPair(e); ok {
			q.Pairs = append(q.Pairs, p)
		}
	}
	decided, _ := jsonedit.Elements(doc, "decided")
	for _, e := range decided {
		if p, ok := readPair(e); ok {
			q.Decided = append(q.Decided, Decision{p, e.Get("decision").Str, parseTime(e.Get("decided_at").Str)})
		}
	}
	return q.index(), nil
}

// readPair reads a pair; what somebody else wrote there is not one.
func readPair(e gjson.Result) (ReviewPair, bool) {
	ids, prints := list(e.Get("memory_ids")), list(e.Get("fingerprints"))
	if len(ids) != 2 || len(prints) != 2 {
		return ReviewPair{}, false
	}
	return ReviewPair{
		A: ids[0], B: ids[1], PrintA: prints[0], PrintB: prints[1],
		Reason: e.Get("reason").Str, Differences: list(e.Get("differences")),
		TagOverlap: e.Get("tag_overlap").Num, ContentSimilarity: e.Get("content_similarity").Num,
		RunID: e.Get("run_id").Str, FlaggedAt: parseTime(e.Get("flagged_at").Str),
	}, true
}

// patchQueue puts pairs into the queue's document and moves decided ones to the
// decisions. A pair, or decision, of the same two ids is replaced.
func patchQueue(doc []byte, pairs []ReviewPair, decisions []Decision) ([]byte, error) {
	if len(doc) == 0 {
		doc = []byte(reviewDoc)
	}
	if _, ok := jsonedit.Get(doc, "decided"); !ok && len(decisions) > 0 {
		var err error
		if doc, err = jsonedit.Apply(doc, jsonedit.Set([]byte("[]"), "decided")); err != nil {
			return nil, err
		}
	}
	gone := map[[2]string]bool{}
	var waiting, decided [][]byte
	for _, d := range decisions {
		gone[pairKey(d.A, d.B)] = true
		raw, err := pairJSON(d.ReviewPair, d.Verdict, d.DecidedAt)
		if err != nil {
			return nil, err
		}
		decided = append(decided, raw)
	}
	for _, p := range pairs {
		gone[pairKey(p.A, p.B)] = true
		raw, err := pairJSON(p, "", time.Time{})
		if err != nil {
			return nil, err
		}
		waiting = append(waiting, raw)
	}
	doc, err := replacePairs(doc, "pairs", gone, waiting)
	if err != nil || len(decided) == 0 {
		return doc, err
	}
	return replacePairs(doc, "decided", gone, decided)
}

// replacePairs takes the pairs of the given ids out of a list and adds others.
func replacePairs(doc []byte, key string, gone map[[2]string]bool, add [][]byte) ([]byte, error) {
	elements, ok := jsonedit.Elements(doc, key)
	if !ok {
		return nil, fmt.Errorf("no list %q: mend or move the file", key)
	}
	edit := jsonedit.ArrayEdit{Remove: map[int]bool{}}
	for i, e := range elements {
		if p, ok := readPair(e); ok && gone[pairKey(p.A, p.B)] {
			edit.Remove[i] = true
		}
	}
	for _, raw := range add {
		edit.Insert = append(edit.Insert, jsonedit.Insertion{Before: len(elements), Raw: raw})
	}
	return jsonedit.EditArray(doc, []string{key}, edit)
}

// takePairs undoes [patchQueue]: it removes what a run had put there, and lets the
// decided pairs wait again.
func takePairs(doc []byte, pairs []ReviewPair, decisions []Decision) ([]byte, error) {
	if len(pairs)+len(decisions) == 0 || len(doc) == 0 {
		return doc, nil
	}
	gone := map[string]bool{}
	for _, p := range pairs {
		gone[p.ID()+p.RunID] = true
	}
	var err error
	for _, key := range []string{"pairs", "decided"} {
		elements, ok := jsonedit.Elements(doc, key)
		edit := jsonedit.ArrayEdit{Remove: map[int]bool{}}
		for i, e := range elements {
			if p, ok := readPair(e); ok && gone[p.ID()+p.RunID] {
				edit.Remove[i] = true
			}
		}
		if ok && len(edit.Remove) > 0 {
			if doc, err = jsonedit.EditArray(doc, []string{key}, edit); err != nil {
				return nil, err
			}
		}
		gone = map[string]bool{}
		for _, d := range decisions {
			gone[d.ID()+d.RunID] = true
		}
	}
	var wait []ReviewPair
	for _, d := range decisions {
		wait = append(wait, d.ReviewPair)
	}
	return patchQueue(doc, wait, nil)
}

func pairJSON(p ReviewPair, verdict string, decidedAt time.Time) ([]byte, error) {
	at := ""
	if verdict != "" {
		at = FormatTime(decidedAt)
	}
	return json.Marshal(struct {
		ID                string    `json:"id"`
		MemoryIDs         [2]string `json:"memory_ids"`
		Reason            string    `json:"reason"`
		Differences       []string  `json:"differences,omitempty"`
		TagOverlap        float64   `json:"tag_overlap"`
		ContentSimilarity float64   `json:"content_similarity"`
		Fingerprints      [2]string `json:"fingerprints"`
		RunID             string    `json:"run_id"`
		FlaggedAt         string    `json:"flagged_at"`
		Decision          string    `json:"decision,omitempty"`
		DecidedAt         string    `json:"decided_at,omitempty"`
	}{
		p.ID(), [2]string{p.A, p.B}, p.Reason, p.Differences, p.TagOverlap, p.ContentSimilarity,
		[2]string{p.PrintA, p.PrintB}, p.RunID, FormatTime(p.FlaggedAt), verdict, at,
	})
}
