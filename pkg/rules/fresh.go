package rules

import (
	"cmp"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/memoryd/memoryd/pkg/internal/parallel"
	"github.com/memoryd/memoryd/pkg/similarity"
	"github.com/memoryd/memoryd/pkg/workspace"
)

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
// in a room; without texts each is read in passing if there are many, of which some are kept, and
// again when it is needed. Parts may be searched at the same time.
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
		var kept atomic.Int64 // bytes, for who is similar to another one: these texts are compared word by word
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
		case n < len(large): // all texts of such a part may be too many to be kept
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
