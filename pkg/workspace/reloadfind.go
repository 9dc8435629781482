package workspace

import (
	"bytes"
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/memoryd/memoryd/pkg/workspace/internal/accesslog"
)

// find makes the ids known: those that are concerned are kept beside what the first
// snapshot knows.
func (r *reload) find(snap *Snapshot) {
	from := r.from
	concerned := map[string]bool{}
	for _, l := range []*roster{from.live, from.archived, snap.live, snap.archived} {
		for _, file := range r.files {
			first, last := l.within(file)
			for i := first; i < last; i++ {
				concerned[l.id(i)] = true
			}
		}
	}
	if !bytes.Equal(snap.access.Doc, from.access.Doc) {
		for _, log := range []accesslog.Log{from.access, snap.access} {
			for id := range log.ByID {
				concerned[id] = true
			}
		}
	}
	if snap.base = from.base; snap.base == nil {
		snap.base = snap.taken.of
	}
	if len(concerned)+len(from.touched)+len(snap.taken.came) > maxTouched {
		snap.files = slices.Values(slices.Collect(snap.files)) // or each would hold on to the one before
		snap.base, snap.taken = nil, &taken{}
		snap.byID = namesByID(snap.named[0], snap.named[1])
		return
	}
	snap.touched = maps.Clone(from.touched)
	if snap.touched == nil {
		snap.touched = map[string][]*Memory{}
	}
	for id := range concerned {
		var now []*Memory
		for _, m := range from.Find(id) {
			if !r.changed[m.File] {
				now = append(now, snap.at(m))
			}
		}
		snap.touched[id] = now
	}
	for _, l := range []*roster{snap.live, snap.archived} {
		for _, file := range r.files {
			first, last := l.within(file)
			for i := first; i < last; i++ {
				snap.touched[l.id(i)] = append(snap.touched[l.id(i)], l.at(i))
			}
		}
	}
	for id := range concerned {
		slices.SortStableFunc(snap.touched[id], func(a, b *Memory) int {
			return cmp.Or(compareBool(a.Archived, b.Archived), strings.Compare(a.File, b.File))
		})
	}
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// at is the memory of this snapshot that stands where one of an earlier one does.
func (s *Snapshot) at(m *Memory) *Memory {
	list := s.live
	if m.Archived {
		list = s.archived
	}
	first, last := list.within(m.File)
	for i := first; i < last; i++ {
		if now := list.at(i); now.Index == m.Index && slices.Equal(now.Array, m.Array) {
			return now
		}
	}
	return m // of the same file: it is there
}

// Same reports whether another snapshot has the very same memories.
func (s *Snapshot) Same(other *Snapshot) bool {
	return other != nil && s.live == other.live && s.archived == other.archived
}

// Stayed tells of each memory where in an earlier snapshot the very same one stands, -1 where it
// has come or changed since, in what it says or how often it was read. Most have stayed, and
// little time is needed, where this snapshot was made of that one by [FileStore.Reload]; of any
// other none has. No memory is made for it.
func (s *Snapshot) Stayed(was *Snapshot) []int32 {
	at := make([]int32, 0, s.Total())
	before := 0 // memories of the lists that come first there
	for _, lists := range [][2]*roster{{was.live, s.live}, {was.archived, s.archived}} {
		old, now := lists[0], lists[1]
		i, k := 0, 0
		for k < now.len() {
			order := 1
			switch {
			case i == old.len():
			case old == now || old.same(i, now, k):
				at = append(at, int32(before+i))
				i, k = i+1, k+1
				continue
			default:
				order = strings.Compare(old.file(i), now.file(k))
			}
			if order <= 0 {
				i++
			}
			if order >= 0 {
				at = append(at, -1)
				k++
			}
		}
		before += old.len()
	}
	return at
}
