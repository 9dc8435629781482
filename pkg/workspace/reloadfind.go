package workspace

import (
	"bytes"
	"cmp"
	"maps"
	"slices"

	"github.com/memoryd/memoryd/pkg/workspace/internal/accesslog"
)

// find makes the ids known: those that are concerned are kept beside what the first
// snapshot knows.
func (r *reload) find(snap *Snapshot) {
	from := r.from
	concerned := map[string]bool{}
	for _, list := range [][]*Memory{from.Memories(), from.Archived(), snap.Memories(), snap.Archived()} {
		for file := range r.changed {
			first, last := within(list, file)
			for _, m := range list[first:last] {
				concerned[m.ID] = true
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
		snap.base = from
	}
	if len(concerned)+len(from.touched)+len(snap.taken.came) > maxTouched {
		snap.files = slices.Values(slices.Collect(snap.files)) // or each would hold on to the one before
		snap.base, snap.taken = nil, &taken{}
		snap.byID = snap.namesByID()
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
	for _, list := range [][]*Memory{snap.Memories(), snap.Archived()} {
		for file := range r.changed {
			first, last := within(list, file)
			for _, m := range list[first:last] {
				snap.touched[m.ID] = append(snap.touched[m.ID], m)
			}
		}
	}
	for id := range concerned {
		slices.SortStableFunc(snap.touched[id], func(a, b *Memory) int {
			return cmp.Or(compareBool(a.Archived, b.Archived), byFile(a, b))
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
	list := s.Memories()
	if m.Archived {
		list = s.Archived()
	}
	first, last := within(list, m.File)
	for _, now := range list[first:last] {
		if now.Index == m.Index && slices.Equal(now.Array, m.Array) {
			return now
		}
	}
	return m // of the same file: it is there
}

// Changes lists what sets a snapshot apart from an earlier one: the memories that have
// come, and those that have gone. One that was changed, in what it says or how often it
// was read, is in both. Next to nothing has changed, and little time is needed, where
// this snapshot was made of that one by [FileStore.Reload]; of any other everything has.
func (s *Snapshot) Changes(was *Snapshot) (come, gone []*Memory) {
	if was == nil {
		return slices.Concat(s.Memories(), s.Archived()), nil
	}
	for _, lists := range [][2][]*Memory{{was.Memories(), s.Memories()}, {was.Archived(), s.Archived()}} {
		old, now := lists[0], lists[1]
		if len(old) == len(now) && (len(old) == 0 || &old[0] == &now[0]) {
			continue // the same list
		}
		for len(old) > 0 && len(now) > 0 {
			switch order := byFile(old[0], now[0]); {
			case old[0] == now[0]:
				old, now = old[1:], now[1:]
			case order < 0:
				gone, old = append(gone, old[0]), old[1:]
			case order > 0:
				come, now = append(come, now[0]), now[1:]
			default:
				gone, old = append(gone, old[0]), old[1:]
				come, now = append(come, now[0]), now[1:]
			}
		}
		gone, come = append(gone, old...), append(come, now...)
	}
	return come, gone
}
