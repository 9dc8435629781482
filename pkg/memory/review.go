package memory

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"sync"
	"time"

	"github.com/memoryd/memoryd/pkg/review"
)

// ReviewQueue is ops/review.json: the pairs waiting for a decision, and the
// decisions that were made.
type ReviewQueue struct {
	Pairs   []review.Pair
	Decided []review.Decision

	Broken  bool              // the file can't be read
	waiting map[[2]string]int // ids, sorted -> index of Pairs
	apart   map[[2]string]int // the same of Decided, for pairs kept apart
	byID    func() map[string][]int

	proposals map[string][]review.Decision // by the id of the memory that was proposed
}

// NewReviewQueue is the queue of pairs that wait and of decisions.
func NewReviewQueue(pairs []review.Pair, decided []review.Decision) *ReviewQueue {
	q := &ReviewQueue{Pairs: pairs, Decided: decided, apart: map[[2]string]int{}}
	for i, d := range q.Decided {
		if d.StaysApart() {
			q.apart[review.Key(d.A, d.B)] = i
		}
		if _, ok := d.Proposal(); ok {
			if q.proposals == nil {
				q.proposals = map[string][]review.Decision{}
			}
			q.proposals[d.A] = append(q.proposals[d.A], d)
		}
	}
	return q.indexPairs()
}

// indexPairs makes those of the pairs.
func (q *ReviewQueue) indexPairs() *ReviewQueue {
	q.waiting = make(map[[2]string]int, len(q.Pairs))
	for i, p := range q.Pairs {
		q.waiting[review.Key(p.A, p.B)] = i
	}
	q.byID = sync.OnceValue(func() map[string][]int { return pairsByID(q.Pairs) })
	return q
}

// about lists the indexes of the pairs with an id, in their order.
func (q *ReviewQueue) about(id string) []int {
	switch {
	case len(q.Pairs) == 0:
		return nil
	case q.byID == nil: // somebody else has put them there
		return pairsByID(q.Pairs)[id]
	}
	return q.byID()[id]
}

func pairsByID(pairs []review.Pair) map[string][]int {
	all := make(map[string][]int, 2*len(pairs))
	for i, p := range pairs {
		all[p.A] = append(all[p.A], i)
		all[p.B] = append(all[p.B], i)
	}
	return all
}

// among is the queue without the pairs of which none is among these memories, and with others
// that were put to a person long before.
func (q *ReviewQueue) among(all []*Memory, asked []review.Pair) *ReviewQueue {
	out := &ReviewQueue{Decided: q.Decided, Broken: q.Broken, apart: q.apart, proposals: q.proposals}
	var stay []int
	for _, m := range all {
		stay = append(stay, q.about(m.ID)...)
	}
	slices.Sort(stay)
	for _, i := range slices.Compact(stay) {
		out.Pairs = append(out.Pairs, q.Pairs[i])
	}
	for _, p := range asked {
		p.FlaggedAt = time.Time{}
		out.Pairs = append(out.Pairs, p)
	}
	return out.indexPairs()
}

// unchanged reports whether both texts are as the pair recorded them.
func unchanged(p *review.Pair, a, b *Memory) bool {
	if p.A == b.ID {
		a, b = b, a
	}
	return stood(a, p.PrintA, p.TextA) && stood(b, p.PrintB, p.TextB)
}

// stood reports whether a memory says what it said when its fingerprint and the digest of its text were noted.
func stood(m *Memory, print, text string) bool {
	return print == m.Fingerprint() || text != "" && text == textDigest(m)
}

// NewProposal notes that the copy of m with an id is proposed for a scope.
func NewProposal(m *Memory, copyID string, to Scope) review.Decision {
	print, text := m.Fingerprint(), textDigest(m)
	return review.Propose(review.Pair{A: m.ID, B: copyID, PrintA: print, PrintB: print, TextA: text, TextB: text}, to.String())
}

// Proposals lists what was proposed of a memory, whether it was accepted or not.
func (q *ReviewQueue) Proposals(id string) []review.Decision { return q.proposals[id] }

// Proposed finds the proposal of what m says now for a scope: nobody is to be asked twice.
func (q *ReviewQueue) Proposed(m *Memory, to Scope) (d review.Decision, ok bool) {
	for _, d := range q.proposals[m.ID] {
		if scope, _ := d.Proposal(); scope == to.String() && stood(m, d.PrintA, d.TextA) {
			return d, true
		}
	}
	return d, false
}

// textDigest tells texts apart, whatever tags a memory has besides.
func textDigest(m *Memory) string {
	sum := sha256.Sum256([]byte(m.Text()))
	return hex.EncodeToString(sum[:8])
}

// Pending reports whether the pair is in the queue and both texts are still as
// they were when it was flagged. A queue that can't be read holds every pair: nothing
// is decided over it.
func (q *ReviewQueue) Pending(a, b *Memory) bool {
	if len(q.waiting) == 0 {
		return q.Broken
	}
	i, ok := q.waiting[review.Key(a.ID, b.ID)]
	return q.Broken || ok && unchanged(&q.Pairs[i], a, b)
}

// DecidedKeepBoth reports whether a person decided that both memories stay, and both
// texts are still as they were then.
func (q *ReviewQueue) DecidedKeepBoth(a, b *Memory) bool {
	if len(q.apart) == 0 {
		return false
	}
	i, ok := q.apart[review.Key(a.ID, b.ID)]
	return ok && unchanged(&q.Decided[i].Pair, a, b)
}

// Waits reports whether m is in the queue as the older of a pair whose other
// memory is still there: it is not flagged a second time before that is decided.
func (q *ReviewQueue) Waits(m *Memory, s *Snapshot) bool {
	for _, i := range q.about(m.ID) {
		p := &q.Pairs[i]
		if p.A != m.ID || p.Reason == review.Similar {
			continue
		}
		if other := s.Live(p.B); other != nil && unchanged(p, m, other) {
			return true
		}
	}
	return false
}

// waits reports whether a pair of the queue waits: both memories are live and say what they said when they were flagged, and nobody has
// decided that both stay.
func (s *Snapshot) waits(p *review.Pair) bool {
	a, b := s.Sides(*p)
	return a != nil && b != nil && unchanged(p, a, b) && !s.Review.DecidedKeepBoth(a, b)
}

// UndecidedOf lists the pairs in which m waits for a person's decision. Conflict copies and conflicts of a merge are not among them: see
// [Snapshot.CopyOf] and [Memory.MergeConflicts].
func (s *Snapshot) UndecidedOf(m *Memory) (pairs []review.Pair) {
	for _, i := range s.Review.about(m.ID) {
		if p := &s.Review.Pairs[i]; s.waits(p) {
			pairs = append(pairs, *p)
		}
	}
	return pairs
}

// Open lists the pairs that still wait: both memories are live, and say what they
// said when they were flagged. Conflict copies, and conflicts of a merge, wait as long as they are there.
func (s *Snapshot) Open() []review.Pair {
	var open []review.Pair
	for _, p := range s.Review.Pairs {
		if s.waits(&p) {
			open = append(open, p)
		}
	}
	for _, c := range s.Copies {
		if !c.Archived {
			open = append(open, c.Pair())
		}
	}
	for _, m := range s.live {
		if m.Conflicted && m.Locked == "" && len(m.MergeConflicts()) > 0 {
			open = append(open, s.conflictPair(m))
		}
	}
	return open
}

// Sides are the records of a pair, the older first; nil for one that is not there. A conflict copy and what the other side of a merge
// had are not memories of their own, and what they wait next to need not have an id that is unique.
func (s *Snapshot) Sides(p review.Pair) (older, newer *Memory) {
	switch {
	case p.Reason == ReasonCopy:
		for _, c := range s.Copies {
			switch place := c.Ref.String(); {
			case place != p.A && place != p.B || c.Pair().ID() != p.ID():
			case place == p.A:
				return c.Memory, c.Of
			default:
				return c.Of, c.Memory
			}
		}
		return nil, nil
	case IsMergeConflict(p):
		for _, m := range s.live {
			if m.Conflicted && s.conflictPair(m).ID() == p.ID() {
				return m.shownOther(), m
			}
		}
		return nil, nil
	}
	return s.Live(p.A), s.Live(p.B)
}

// WaitsSince is when a pair began to wait: when it was flagged, or, as nobody flags conflict copies and conflicts of a merge, when the
// newer side was written.
func (s *Snapshot) WaitsSince(p review.Pair) time.Time {
	at := p.FlaggedAt
	if !at.IsZero() {
		return at
	}
	older, newer := s.Sides(p)
	for _, m := range []*Memory{older, newer} {
		if m != nil && m.Newest().After(at) {
			at = m.Newest()
		}
	}
	return at
}

// NewPair records two memories, the older first, for review.
func NewPair(a, b *Memory, reason string, differences []string, tags, content float64) review.Pair {
	return review.Pair{
		A: a.ID, B: b.ID, PrintA: a.Fingerprint(), PrintB: b.Fingerprint(), TextA: textDigest(a), TextB: textDigest(b),
		Reason: reason, Differences: differences, TagOverlap: tags, ContentSimilarity: content,
	}
}
