package rules

import (
	"cmp"
	"slices"
	"sync"

	"github.com/memoryd/memoryd/pkg/internal/parallel"
	"github.com/memoryd/memoryd/pkg/similarity"
)

// A search goes over the covered memories of each part, the freshest first, and has
// each one visited with those that are similar to it. What a visit takes out is neither
// visited nor met again. The parts have nothing to do with each other.
//
// What a search came to is a trace. The next one replays it: similarity is a matter of
// two texts and their tags, so that only what is new or has changed is compared again,
// and what an earlier visit took out that is not taken out now. See replay.
type search struct {
	*planner
	tags, content float64
	slots         []int32 // for each covered memory, room for a number
	byAge         bool    // the order in which a visit gets those that are similar; else the freshest first
	visit         func(v *visit) (out []int32, found any)

	// Of each covered memory that readTags looked at, where the hashes of its tags stand.
	starts, ends []int32
	hashes       []uint64
}

// visit is a memory, and those in its part that are similar to it, older than it, and
// not taken out yet.
type visit struct {
	of    int32
	pairs []similarTo // at least one
	text  func(k int32) *similarity.Features
	aside *planner // see asideOf; nil before it is asked for
}

// similarTo is one memory as seen from a fresher one.
type similarTo struct {
	with          int32
	tags, content float64
	finding       []byte // what comparing the two texts came to; nil when nobody asked
}

// event is a visit and what it took out. -1 stands for a memory that is no more, or not
// what it was.
type event struct {
	part  int32
	of    int32
	pairs []similarTo
	out   []int32
	turn  int32 // its place in the order of all visits, one more; 0 while nobody knows
	found any   // what the visit found, of this search
}

// before orders memories as they are visited.
func (p *planner) before(a, b int32) int {
	return cmp.Or(fresher(p.at(b), p.at(a)), cmp.Compare(a, b))
}

// replayed is what replaying a part came to.
type replayed struct {
	events  []event
	ok      bool // else it is to be searched anew
	differs bool // from what was known
}

// touched is a part with visits, or with memories that are new or have changed.
type touched struct {
	part    int32
	events  []event
	changed []int32
}

// touchedBy lists these parts in their order.
func touchedBy(events []event, changed map[int32][]int32) (all []touched) {
	visited := map[int32]bool{}
	for len(events) > 0 {
		n, part := 1, events[0].part
		for n < len(events) && events[n].part == part {
			n++
		}
		all = append(all, touched{part, events[:n:n], changed[part]})
		if events = events[n:]; len(changed[part]) > 0 {
			visited[part] = true
		}
	}
	for part, ks := range changed {
		if !visited[part] {
			all = append(all, touched{part: part, changed: ks})
		}
	}
	slices.SortFunc(all, func(a, b touched) int { return cmp.Compare(a.part, b.part) })
	return all
}

// replayedTogether is how many parts a core replays before it looks for more.
const replayedTogether = 32

// run searches all parts, with what is known of them.
func (s *search) run(by parting, known *trace) *trace {
	if known == nil {
		now := s.part(by)
		numbers := make([]int32, len(now.kinds))
		for n := range numbers {
			numbers[n] = int32(n)
		}
		now.events = s.anew(numbers, now.members())
		return now
	}
	now := &trace{of: known.of, kinds: known.kinds}
	changed := s.assign(by, now)
	now.same = len(changed) == 0
	parts := touchedBy(known.events, changed)
	now.events = make([]event, 0, len(known.events))
	out, visited := parallel.Zeroed[bool](len(s.places)), parallel.Zeroed[bool](len(s.places))
	those := func(some bool) func() map[int32][]int32 {
		return sync.OnceValue(func() map[int32][]int32 {
			asked := newBits(len(now.kinds))
			for _, t := range parts {
				if len(t.changed) > 0 == some {
					asked.add(t.part)
				}
			}
			return now.membersOf(asked)
		})
	}
	ofChanged, ofOthers := those(true), those(false) // these are many, and mostly not asked for
	members := func(part int32) []int32 {
		if len(changed[part]) > 0 {
			return ofChanged()[part]
		}
		return ofOthers()[part]
	}
	replays := make([]replayed, len(parts))
	rooms := make([]*replay, parallel.Cores())
	parallel.Work(len(rooms), (len(parts)+replayedTogether-1)/replayedTogether, func(own, n int) {
		if rooms[own] == nil {
			rooms[own] = newReplay(s, members, out, visited)
		}
		r := rooms[own]
		for i := n * replayedTogether; i < min((n+1)*replayedTogether, len(parts)); i++ {
			r.begin(parts[i].part)
			replays[i].events, replays[i].ok = r.again(parts[i].events, parts[i].changed)
			replays[i].differs = r.differs
		}
	})
	var numbers []int32
	for i, r := range replays {
		now.same = now.same && r.ok && !r.differs
		if r.ok {
			now.events = append(now.events, r.events...)
		} else {
			numbers = append(numbers, parts[i].part)
		}
	}
	if len(numbers) > 0 {
		again := make([][]int32, len(numbers))
		for i, n := range numbers {
			again[i] = members(n)
		}
		now.events = append(now.events, s.anew(numbers, again)...)
	}
	return now
}
