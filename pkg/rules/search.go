package rules

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/memoryd/memoryd/pkg/internal/parallel"
	"github.com/memoryd/memoryd/pkg/similarity"
	"github.com/memoryd/memoryd/pkg/workspace"
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

// turn is what before compares of a memory.
type turn struct {
	newest, created time.Time
	id              string
	k               int32
}

func turnOf(m *workspace.Memory, k int32) turn { return turn{m.Newest(), m.CreatedAt, m.ID, k} }

// inTurn lists memories as they are visited, as sorting by before would, which makes them all.
func inTurn(all []turn) []int32 {
	slices.SortFunc(all, func(a, b turn) int {
		return cmp.Or(b.newest.Compare(a.newest), b.created.Compare(a.created), strings.Compare(b.id, a.id), cmp.Compare(a.k, b.k))
	})
	out := make([]int32, len(all))
	for i := range all {
		out[i] = all[i].k
	}
	return out
}

// tagCount is how many tags memories have together.
func (p *planner) tagCount(ks []int32) (n int) {
	for _, k := range ks {
		n += p.TagCount(int(p.places[k]))
	}
	return n
}

// fresh searches a part from nothing, of paired memories with their texts, which are compared
// in a room; without texts each is read when it is needed. Parts may be searched at the same
// time.
func (s *search) fresh(number int32, part []int32, texts []string, room *similarity.Room) []event {
	if len(part) < 2 {
		return nil
	}
	at := s.slots // of the parts each has its own
	turns, ends := make([]turn, len(part)), make([]int32, len(part)+1)
	tags := make([]string, 0, s.tagCount(part))
	var look workspace.Room
	for i, k := range part {
		m := s.glance(k, &look)
		tags = append(tags, m.Tags...)
		at[k], turns[i], ends[i+1] = int32(i), turnOf(m, k), int32(len(tags))
	}
	order := inTurn(turns)
	index := order // of the records
	if s.byAge {
		index = slices.Sorted(slices.Values(part))
	}
	records := make([]similarity.Record, len(index))
	var late []lateText
	if texts == nil {
		late = make([]lateText, len(index))
	}
	for i, k := range index {
		records[i].Tags = tags[ends[at[k]]:ends[at[k]+1]]
		if texts == nil {
			late[i] = lateText{planner: s.planner, of: k}
			records[i].Text = similarity.Later(&late[i])
		} else {
			records[i].Text = room.Prepare(texts[at[k]])
		}
	}
	for i, k := range index {
		at[k] = int32(i)
	}
	text := func(k int32) *similarity.Features { return records[at[k]].Text }
	join := similarity.NewJoin(records, s.tags, s.content)
	ask := func(int) {}
	if len(records) > maxPaired {
		inFiles := slices.SortedFunc(slices.Values(part), func(a, b int32) int { return cmp.Compare(s.places[a], s.places[b]) })
		for n, k := range inFiles {
			inFiles[n] = at[k]
		}
		var kept atomic.Int64 // bytes: who is similar to another one is read once more, word by word
		join.Read(inFiles, func(records []int32, text func(n int, text string)) {
			places := make([]int32, len(records))
			for n, i := range records {
				places[n] = s.places[index[i]]
			}
			s.PassTexts(places, func(n int, passing string) {
				if kept.Add(int64(len(passing))) <= readBytes {
					late[records[n]].text = strings.Clone(passing)
				}
				text(n, passing)
			})
		}, s.pace.goesOn)
		ahead := similarity.NewAhead(join)
		ask = func(n int) {
			ahead.Ask(len(order)-n, func(after int) int { return int(at[order[n+after]]) })
		}
	}
	gone := newBits(len(index))
	v := visit{text: text}
	var events []event
	for n, k := range order {
		i := at[k]
		if !s.pace.step(1) {
			return nil
		}
		ask(n)
		if gone.has(i) || join.Alone(int(i)) || !says(s.glance(k, &look)) {
			continue
		}
		var pairs []similarTo
		for _, pair := range join.Similar(int(i)) {
			j := index[pair.A+pair.B-int(i)]
			if pair.Content < 1 || says(s.glance(j, &look)) {
				pairs = append(pairs, similarTo{with: j, tags: pair.TagOverlap, content: pair.Content})
			}
		}
		join.Remove(int(i))
		if len(pairs) > 0 {
			v.of, v.pairs = k, pairs
			out, found := s.visit(&v)
			events = append(events, event{part: number, of: k, pairs: pairs, out: out, found: found})
			for _, j := range out {
				gone.add(at[j])
				join.Remove(int(at[j]))
			}
		}
	}
	if s.keeps {
		for i, k := range index {
			if records[i].Text.Counted() {
				own := records[i].Text.Sketch()
				s.sketches()[k] = &own
			}
		}
	}
	return events
}

// anew searches parts from nothing, the largest first: none is left for one core in the
// end.
func (s *search) anew(numbers []int32, members [][]int32) []event {
	s.slots = make([]int32, len(s.places))
	if s.keeps {
		for _, part := range members {
			s.learnt.Add(int64(len(part)))
		}
	}
	s.readTags(members)
	var large, small []int // these in the order in which their first memories lie
	total := 0
	for i, part := range members {
		switch n := len(part); {
		case n > maxPaired:
			large = append(large, i)
		case n > 1:
			small = append(small, i)
		default:
			continue
		}
		total += len(part)
	}
	slices.SortStableFunc(large, func(i, j int) int { return cmp.Compare(len(members[j]), len(members[i])) })
	s.pace.expect(total)
	parallel.For(len(small), func(n int) { members[small[n]] = s.paired(members[small[n]]) })
	parallel.Tasks(len(large), func(n int) { members[large[n]] = s.paired(members[large[n]]) })
	s.starts, s.ends, s.hashes = nil, nil, nil // what follows needs much memory
	large = slices.DeleteFunc(large, func(i int) bool {
		few := len(members[i]) <= maxPaired // are left of it
		if few {
			small = append(small, i)
		}
		return few
	})
	slices.Sort(small)
	batches := s.batches(small, members)
	found := make([][]event, len(large)+len(batches))
	rooms := make([]roomTogether, parallel.Cores())
	parallel.Work(len(rooms), len(found), func(own, n int) {
		switch {
		case !s.pace.goesOn():
		case n < len(large): // all texts of such a part are too many to be kept
			i := large[n]
			found[n] = s.fresh(numbers[i], members[i], nil, nil)
		default:
			found[n] = s.anewTogether(numbers, members, batches[n-len(large)], &rooms[own])
		}
	})
	return slices.Concat(found...)
}

// At most so many texts, and about so many bytes of them, are read at a time for small
// parts: of a part the memories lie in a few files, and of the next one in the same ones.
const (
	readTogether = 512
	readBytes    = 2 << 20
	readUnknown  = readBytes / maxPaired // what a memory counts of which nobody knows the size
)

// batches groups small parts with pairs to be searched at a time: a few batches for each core
// where there is much to do, and smaller ones towards the end, so that none is waited for long.
func (s *search) batches(small []int, members [][]int32) (batches [][]int) {
	total := 0
	for _, i := range small {
		if n := len(members[i]); n > 1 {
			total += n
		}
	}
	left := 0
	for _, i := range small {
		n := len(members[i])
		if n < 2 {
			continue
		}
		if left < n {
			batches, left = append(batches, nil), min(max(total/(4*parallel.Cores()), maxPaired), readTogether)
		}
		last := &batches[len(batches)-1]
		*last = append(*last, i)
		left, total = left-n, total-n
	}
	return batches
}

// roomTogether is what one core makes of small parts that are searched together.
type roomTogether struct {
	similarity.Room
	looks []workspace.Room
	all   []*workspace.Memory
}

// anewTogether searches small parts, those at the places in which.
func (s *search) anewTogether(numbers []int32, members [][]int32, which []int, room *roomTogether) (found []event) {
	total := 0
	for _, i := range which {
		total += len(members[i])
	}
	if len(room.looks) < total {
		room.looks = make([]workspace.Room, total)
	}
	all := room.all[:0]
	for _, i := range which {
		for _, k := range members[i] {
			all = append(all, s.glance(k, &room.looks[len(all)]))
		}
	}
	room.all = all
	for len(which) > 0 {
		n, end := 0, 0
		for left := readBytes; n < len(which) && left > 0; n++ {
			for range members[which[n]] {
				left -= cmp.Or(all[end].Size(), readUnknown)
				end++
			}
		}
		texts, done := workspace.Texts(all[:end])
		all = all[end:]
		for _, i := range which[:n] {
			own := len(members[i])
			found = append(found, s.fresh(numbers[i], members[i], texts[:own], &room.Room)...)
			texts = texts[own:]
		}
		done()
		room.Clear()
		which = which[n:]
	}
	return found
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
		if events = events[n:]; len(changed) > 0 {
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
	members := sync.OnceValue(func() map[int32][]int32 { return now.only(parts) })
	replays := make([]replayed, len(parts))
	parallel.For(len(parts), func(i int) {
		of := &parts[i]
		r := newReplay(s, of.part, out, visited)
		r.members = func() []int32 { return members()[of.part] }
		replays[i].events, replays[i].ok = r.again(of.events, of.changed)
		replays[i].differs = r.differs
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
			again[i] = members()[n]
		}
		now.events = append(now.events, s.anew(numbers, again)...)
	}
	return now
}
