package workspace

import (
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/memoryd/memoryd/pkg/internal/parallel"
)

// roster are the memories of a snapshot, live or archived, in their order. Those that an
// image tells of are made when somebody asks for them: most readers of a large workspace
// look at few. It is safe for concurrent use.
type roster struct {
	made   []atomic.Pointer[Memory]
	making [64]sync.Mutex   // held by who puts one there, by its batch: nobody does once all are made, when they are read as they lie
	all    func() []*Memory // all of them, made

	// Of those that are not made yet: other rosters that have them, or the row of each in
	// the image.
	parts []stretch
	in    []int32 // the part of each; nil: there is one
	im    *image
	fresh *image
	rows  []int32 // rows of im, or ^ rows of fresh; nil: those of im from first on
	from  int
	src   *source // of their bytes
	slot  int     // in it, of the first
}

// rosterOf is the roster of memories that are there.
func rosterOf(ms []*Memory) *roster {
	return &roster{made: *(*[]atomic.Pointer[Memory])(unsafe.Pointer(&ms)), all: func() []*Memory { return ms }}
}

// of makes l one of n memories, none of which is made.
func (l *roster) of(n int) *roster {
	l.made = parallel.Zeroed[atomic.Pointer[Memory]](n)
	l.all = sync.OnceValue(l.makeAll)
	return l
}

func (l *roster) len() int { return len(l.made) }

// at is the memory at i: the same one each time.
func (l *roster) at(i int) *Memory {
	if m := l.made[i].Load(); m != nil {
		return m
	}
	if of, at := l.part(i); of != nil {
		return l.put(i, of.at(at))
	}
	return l.make(i, new(roomy))
}

// roomy is a memory with room for as many tags as most have.
type roomy struct {
	m    Memory
	tags [4]string
}

// make makes the memory at i out of room.
func (l *roster) make(i int, room *roomy) *Memory {
	m := &room.m
	m.Tags = room.tags[:0]
	l.fill(i, m, nil)
	if m.Tags = slices.Clip(m.Tags); len(m.Tags) == 0 {
		m.Tags = nil
	}
	return l.put(i, m)
}

// put gives the memory at i: m, unless somebody was faster.
func (l *roster) put(i int, m *Memory) *Memory {
	mu := &l.making[i/makeBatch%len(l.making)]
	mu.Lock()
	defer mu.Unlock()
	if was := l.made[i].Load(); was != nil {
		return was
	}
	l.made[i].Store(m)
	return m
}

// fill tells of the memory at i, which is not made, into one that has nothing but room for
// tags.
func (l *roster) fill(i int, m *Memory, common *Common) {
	im, row := l.rowOf(i)
	im.memory(row, m, common)
	m.at, m.src, m.slot = int32(i), l.src, int32(l.slot+i)
	m.print = l.src.print(l.slot + i)
}

// print is the fingerprint that is known of the memory at i; zero for none.
func (l *roster) print(i int) uint64 {
	if m := l.made[i].Load(); m != nil {
		return m.KnownFingerprint()
	}
	if of, at := l.part(i); of != nil {
		return of.print(at)
	}
	return l.src.print(l.slot + i)
}

// know notes the fingerprint of the memory at i, which is not made for it.
func (l *roster) know(i int, print uint64) {
	if m := l.made[i].Load(); m != nil {
		m.KnowFingerprint(print)
	} else if of, at := l.part(i); of != nil {
		of.know(at, print)
	} else {
		l.src.know(l.slot+i, print)
	}
}

// rowOf is that of a memory that is not made.
func (l *roster) rowOf(i int) (*image, int) {
	switch {
	case l.rows == nil:
		return l.im, l.from + i
	case l.rows[i] < 0:
		return l.fresh, int(^l.rows[i])
	}
	return l.im, int(l.rows[i])
}

// glance is the memory at i, in room if it is not made.
func (l *roster) glance(i int, room *Memory, common *Common) *Memory {
	if m := l.made[i].Load(); m != nil {
		return m
	}
	if of, at := l.part(i); of != nil {
		return of.glance(at, room, common)
	}
	*room = Memory{Tags: room.Tags[:0]}
	l.fill(i, room, common)
	return room
}

func (l *roster) id(i int) string {
	if m := l.made[i].Load(); m != nil {
		return m.ID
	}
	if of, at := l.part(i); of != nil {
		return of.id(at)
	}
	im, row := l.rowOf(i)
	return im.records.id(row)
}

// tags is how many the memory at i has.
func (l *roster) tags(i int) int {
	if m := l.made[i].Load(); m != nil {
		return len(m.Tags)
	}
	if of, at := l.part(i); of != nil {
		return of.tags(at)
	}
	im, row := l.rowOf(i)
	return int(u32(im.records.row(row), rowTags+4))
}

// commons is how many numbers commonOf gives at most.
func (l *roster) commons() (n int) {
	for i := range l.parts {
		n = max(n, l.parts[i].commons+l.parts[i].of.commons())
	}
	for _, im := range []*image{l.im, l.fresh} {
		if im != nil {
			n += len(im.records.shared)
		}
	}
	return n
}

// commonOf is the number of what the memory at i shares: see [Snapshot.CommonOf].
func (l *roster) commonOf(i int) int {
	of, at := l.part(i)
	switch {
	case of != nil:
		n := of.commonOf(at)
		if n >= 0 && l.in != nil {
			n += l.parts[l.in[i]].commons
		}
		return n
	case l.im == nil && l.fresh == nil:
		return -1
	}
	im, row := l.rowOf(i)
	n := int(u32(im.records.row(row), rowCommon))
	if im != l.im && l.im != nil {
		n += len(l.im.records.shared)
	}
	return n
}

// rowMark is the file of the memory at i, and what tells it apart.
func (l *roster) rowMark(i int) (file string, is rowMark) {
	if m := l.made[i].Load(); m != nil {
		return m.File, rowMark{m.checksum, m.Locked != ""}
	}
	if of, at := l.part(i); of != nil {
		return of.rowMark(at)
	}
	im, row := l.rowOf(i)
	r := im.records.row(row)
	return im.records.file(row), rowMark{Checksum(r[rowChecksum:]), u32(r, rowFlags)&flagLocked != 0}
}

// found is the row of the memory at i in the findings, see [Snapshot.Row]: one more, 0 for
// none.
func (l *roster) found(i int) int32 {
	if m := l.made[i].Load(); m != nil {
		return m.row
	}
	if of, at := l.part(i); of != nil {
		return of.found(at)
	}
	im, row := l.rowOf(i)
	return im.found(row)
}

// makeBatch is how many memories are made at a time.
const makeBatch = 1024

// makeAll makes all memories, on all cores.
func (l *roster) makeAll() []*Memory {
	parallel.Tasks((len(l.made)+makeBatch-1)/makeBatch, func(batch int) {
		var room []roomy
		end := min((batch+1)*makeBatch, len(l.made))
		for i := batch * makeBatch; i < end; i++ {
			switch {
			case l.made[i].Load() != nil:
				continue
			case len(l.parts) > 0:
				l.at(i)
				continue
			case len(room) == 0:
				room = make([]roomy, end-i)
			}
			l.make(i, &room[0])
			room = room[1:]
		}
	})
	return *(*[]*Memory)(unsafe.Pointer(&l.made)) // nobody writes to it any more
}
