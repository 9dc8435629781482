package workspace

import "hash/maphash"

// Rows tells where the live memories of a snapshot stood, and what tells their bytes
// apart: all that a later snapshot needs to follow it, in a tenth of its room.
type Rows struct {
	files    []fileSpan // in the order of the snapshot
	memories []rowMark
}

type fileSpan struct {
	hash uint64 // of its name
	last int32  // behind its last memory
}

type rowMark struct {
	sum    Checksum
	locked bool
}

// Rows is that of the snapshot. No memory is made for it.
func (s *Snapshot) Rows() *Rows {
	files, last := 0, ""
	for i := range s.live.len() {
		if file := s.live.file(i); i == 0 || file != last {
			files, last = files+1, file
		}
	}
	out := &Rows{make([]fileSpan, 0, files), make([]rowMark, s.live.len())}
	for i := range out.memories {
		var file string
		file, out.memories[i] = s.live.rowMark(i)
		hash := maphash.String(wordSeed, file)
		if n := len(out.files); n == 0 || out.files[n-1].hash != hash {
			out.files = append(out.files, fileSpan{hash: hash})
		}
		out.files[len(out.files)-1].last = int32(i + 1)
	}
	return out
}

// span is where the memories of a file stand.
func (t *Rows) span(file int) (from, to int32) {
	if file > 0 {
		from = t.files[file-1].last
	}
	return from, t.files[file].last
}

// Follow sets the rows to those of an earlier snapshot.
func (s *Snapshot) Follow(earlier *Rows) {
	now := s.Rows()
	rows := make([]int32, len(now.memories))
	find := earlier.finder()
	for file := range now.files {
		if was := find(now.files[file].hash); was >= 0 {
			from, to := now.span(file)
			first, last := earlier.span(was)
			recognise(rows[from:to], now.memories[from:to], earlier.memories[first:last], first)
		}
	}
	s.rows = rows
}

// finder finds files, -1 for one that is not there, in an order that is mostly theirs.
func (t *Rows) finder() func(hash uint64) int {
	const near = 16
	next, places := 0, map[uint64]int32(nil)
	return func(hash uint64) int {
		for i := next; i < min(next+near, len(t.files)); i++ {
			if t.files[i].hash == hash {
				next = i + 1
				return i
			}
		}
		if places == nil {
			places = make(map[uint64]int32, len(t.files))
			for i := range t.files {
				places[t.files[i].hash] = int32(i)
			}
		}
		i, ok := places[hash]
		if !ok {
			return -1
		}
		next = int(i) + 1
		return int(i)
	}
}

// recognise finds the rows of the memories of a file among those that it held, the first
// of which has the row from. What has changed places counts as new.
func recognise(rows []int32, now, old []rowMark, from int32) {
	var where map[Checksum][]int32 // of those that are left, once they are not simply the next
	next := 0
	for i, m := range now {
		if next == len(old) {
			return
		}
		at := next
		if old[at].sum != m.sum {
			if where == nil {
				where = make(map[Checksum][]int32, len(old)-next)
				for k := next; k < len(old); k++ {
					where[old[k].sum] = append(where[old[k].sum], int32(k))
				}
			}
			places := where[m.sum]
			for len(places) > 0 && int(places[0]) < next {
				places = places[1:]
			}
			if where[m.sum] = places; len(places) == 0 {
				continue
			}
			at = int(places[0])
		}
		if next = at + 1; old[at].locked == m.locked {
			rows[i] = from + int32(at) + 1
		}
	}
}
