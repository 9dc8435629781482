package rules

import (
	"cmp"
	"container/heap"
	"slices"

	"github.com/memoryd/memoryd/pkg/similarity"
	"github.com/memoryd/memoryd/pkg/workspace"
)

// maxCompared is how many memories of a part are compared with all others of it one by
// one; with more, the part is searched anew.
const maxCompared = 256

// replay searches one part by what an earlier search came to. What it finds is what
// [search.fresh] finds:
//
// The earlier search knows of a memory k that it visited, or would have, all that are
// similar to it but those that are new, and those that had been taken out before it. The
// new ones are compared with all. So is, from then on, each that was taken out at some
// point and now is not: it joins in when the replay passes that point, and k comes behind
// it. What was taken out before k and is not now has therefore been compared with k.
type replay struct {
	*search
	number   int32
	members  func(number int32) []int32 // of a part; asked for when something must be compared
	out      []bool                     // taken out; those of other parts are replayed at the same time
	visited  []bool                     // had their turn
	compared map[int32]bool
	extra    map[int32][]similarTo // what comparing found, by the fresher one
	turns    turns                 // those among them
	texts    map[int32]*similarity.Features
	all      []int32        // members, once asked for
	sets     []uint64       // of their tags: see bitsOf; 0: nobody knows
	tagsOf   [][]uint64     // hashes of their tags; nil: nobody has asked
	own      carver[uint64] // their room
	looked   workspace.Room
	found    []int32 // room for alike
	visiting visit
	now      int32 // whose turn it is; -1 before the first
	differs  bool  // from the events that are replayed
}

func newReplay(s *search, members func(number int32) []int32, out, visited []bool) *replay {
	r := &replay{search: s, members: members, out: out, visited: visited}
	r.visiting.text = r.text
	return r
}

// begin makes ready for a part, before each. What was made room of for another one is used again.
func (r *replay) begin(number int32) {
	r.number, r.now, r.differs = number, -1, false
	r.compared, r.extra, r.texts = nil, nil, nil
	r.turns = turns{planner: r.planner}
	r.all, r.sets, r.tagsOf = nil, nil, nil
}

// again replays a part. ok is false when it is to be searched anew.
func (r *replay) again(events []event, changed []int32) (now []event, ok bool) {
	for _, k := range changed {
		if !r.compare(k) {
			return now, false
		}
	}
	for _, e := range events {
		if e.of < 0 && !r.release(e.out) {
			return now, false
		}
	}
	events = slices.DeleteFunc(events, func(e event) bool {
		r.differs = r.differs || e.of < 0
		return e.of < 0
	})
	now = make([]event, 0, len(events))
	for len(events) > 0 || len(r.turns.of) > 0 {
		var e event
		switch {
		case len(events) > 0 && (len(r.turns.of) == 0 || r.before(events[0].of, r.turns.of[0]) <= 0):
			e, events = events[0], events[1:]
		default:
			e = event{of: heap.Pop(&r.turns).(int32)}
		}
		if r.visited[e.of] {
			continue
		}
		r.visited[e.of] = true
		r.now = e.of
		v, told := event{part: r.number, of: e.of, turn: e.turn}, e.told()
		if !r.out[e.of] {
			if v.pairs = r.similar(&e); len(v.pairs) > 0 {
				r.visiting.of, r.visiting.pairs = e.of, v.pairs
				v.out, v.found = r.visit(&r.visiting)
				now = append(now, v)
				for _, k := range v.out {
					r.out[k] = true
				}
			}
		}
		r.differs = r.differs || told != e.told() || !v.same(&e)
		if !r.release(e.out) {
			return now, false
		}
	}
	return now, true
}

// told is how many of the pairs have been compared.
func (e *event) told() (n int) {
	for i := range e.pairs {
		if e.pairs[i].finding != nil {
			n++
		}
	}
	return n
}

// same reports whether a visit was as an earlier one.
func (e *event) same(f *event) bool {
	return slices.Equal(e.out, f.out) && slices.EqualFunc(e.pairs, f.pairs, func(a, b similarTo) bool {
		return a.with == b.with && (a.finding == nil) == (b.finding == nil)
	})
}

// similar lists those that a memory is visited with: those of the event itself, if nothing
// has changed.
func (r *replay) similar(e *event) []similarTo {
	more, pairs := r.extra[e.of], e.pairs
	gone := func(pair similarTo) bool { return pair.with < 0 || r.out[pair.with] }
	if len(more) > 0 || slices.ContainsFunc(pairs, gone) {
		pairs = slices.DeleteFunc(slices.Clone(pairs), gone)
	}
	if len(more) == 0 {
		return pairs
	}
	for _, pair := range more {
		if !r.out[pair.with] {
			pairs = append(pairs, pair)
		}
	}
	slices.SortStableFunc(pairs, func(a, b similarTo) int {
		if r.byAge {
			return cmp.Compare(a.with, b.with)
		}
		return r.before(a.with, b.with)
	})
	return slices.CompactFunc(pairs, func(a, b similarTo) bool { return a.with == b.with })
}

// release lets those join in that the earlier search had taken out by now, and this one
// has not.
func (r *replay) release(out []int32) bool {
	for _, k := range out {
		if k >= 0 && !r.out[k] && !r.had(k) && !r.compare(k) {
			return false
		}
	}
	return true
}

// compare finds all that are similar to a memory and still have their turn before them.
func (r *replay) compare(k int32) bool {
	if r.compared[k] {
		return true
	}
	if len(r.compared) == maxCompared {
		return false
	}
	if r.compared == nil { // in most parts nothing is
		r.compared, r.extra = map[int32]bool{}, map[int32][]similarTo{}
	}
	r.compared[k] = true
	if !says(r.at(k)) {
		return true
	}
	if r.all == nil {
		r.know()
	}
	own := similarity.AppendTagHashes(nil, r.at(k).Tags)
	var words *similarity.Sketch
	for _, i := range r.alike(k, own) {
		j := r.all[i]
		theirs := r.tagsOf[i]
		if theirs == nil {
			theirs = r.tagHashes(i)
		}
		if j == k || !slices.Equal(own, theirs) && !(similarity.TagHashOverlap(own, theirs) > r.tags) {
			continue
		}
		if words == nil {
			words = r.sketch(k)
		}
		if known := r.sketchOf(j); known != nil && !words.Allows(known, r.content) {
			continue
		}
		if r.compared[j] || r.out[j] || r.had(j) || !says(r.at(j)) || !words.Allows(r.sketch(j), r.content) {
			continue
		}
		tags := similarity.Tags(r.at(k).Tags, r.at(j).Tags)
		if !(tags > r.tags) {
			continue
		}
		content := similarity.Content(r.text(k), r.text(j))
		if !(content > r.content) {
			continue
		}
		first, second := k, j
		if r.before(j, k) < 0 {
			first, second = j, k
		}
		if r.extra[first] == nil {
			heap.Push(&r.turns, first)
		}
		r.extra[first] = append(r.extra[first], similarTo{with: second, tags: tags, content: content})
	}
	return true
}

// had reports whether a memory has had its turn.
func (r *replay) had(k int32) bool { return r.now >= 0 && r.before(k, r.now) <= 0 }

func (r *replay) text(k int32) *similarity.Features {
	text, ok := r.texts[k]
	if !ok {
		text = r.features(k)
		if r.texts == nil {
			r.texts = map[int32]*similarity.Features{}
		}
		r.texts[k] = text
	}
	return text
}

func (r *replay) sketch(k int32) *similarity.Sketch {
	if known := r.sketchOf(k); known != nil {
		return known
	}
	s := r.text(k).Sketch()
	r.sketches()[k] = &s
	r.learnt.Add(1)
	return &s
}

// turns is a heap of memories, the freshest first.
type turns struct {
	*planner
	of []int32
}

func (t *turns) Len() int           { return len(t.of) }
func (t *turns) Less(i, j int) bool { return t.before(t.of[i], t.of[j]) < 0 }
func (t *turns) Swap(i, j int)      { t.of[i], t.of[j] = t.of[j], t.of[i] }
func (t *turns) Push(k any)         { t.of = append(t.of, k.(int32)) }
func (t *turns) Pop() any {
	last := len(t.of) - 1
	k := t.of[last]
	t.of = t.of[:last]
	return k
}
