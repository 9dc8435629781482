package recall

import (
	"runtime"
	"slices"
	"sync"

	"github.com/memoryd/memoryd/pkg/workspace"
)

// filing is an index of the memories of a snapshot, and which of them its documents are of.
type filing struct {
	snap    *workspace.Snapshot
	ix      *Index
	at      []int32         // by document, one more than the place of its memory in the snapshot; 0: none
	renamed bool            // some memories share an id with another, and are known by another name
	torn    map[string]bool // documents of memories that could not be read: what is known of them isn't what they say
}

// build makes the index of what the files say.
func (f *filing) build() {
	places := make([]int32, f.snap.Total())
	for place := range places {
		places[place] = int32(place)
	}
	f.ix, f.at, f.torn = New(), make([]int32, 0, len(places)), nil
	f.renamed = f.snap.Repeating()
	f.add(places, f.names())
}

// id is that of the memory at a place.
func (f *filing) id(place int32) string { return f.snap.ID(int(place)) }

// memory is that of a document.
func (f *filing) memory(d uint32) *workspace.Memory { return f.snap.Memory(int(f.at[d] - 1)) }

// names gives that by which the memory at a place is known to the index: its id, or of several
// with one id another for all but the first, which tells where it stands; "" where that is in
// the index, too.
func (f *filing) names() func(place int32) string {
	if !f.renamed {
		return f.id
	}
	others := map[int32]string{}
	taken := make(map[string]bool, f.snap.Total())
	var room workspace.Room
	for place := range int32(f.snap.Total()) {
		name := f.id(place)
		if taken[name] {
			if name += " (" + f.snap.Glance(int(place), &room).Ref.String() + ")"; taken[name] {
				name = ""
			}
			others[place] = name
		}
		taken[name] = true
	}
	return func(place int32) string {
		if name, ok := others[place]; ok {
			return name
		}
		return f.id(place)
	}
}

// settle takes documents out whose memories have gone, and puts memories in that have come. It
// counts both.
func (f *filing) settle(gone []uint32, fresh []int32) int {
	f.renamed = f.renamed || f.repeats(fresh)
	name := f.names()
	if f.renamed {
		for d, at := range f.at {
			if at > 0 && name(at-1) != f.ix.ids.at(uint32(d)) {
				gone, fresh = append(gone, uint32(d)), append(fresh, at-1)
				f.at[d] = 0
			}
		}
	}
	names := make([]string, len(gone))
	for i, d := range gone {
		names[i] = f.ix.ids.at(d)
		delete(f.torn, names[i])
	}
	f.ix.Remove(names...)
	if len(fresh) > 0 {
		f.add(fresh, name)
	}
	return len(gone) + len(fresh)
}

// repeats reports whether ids would be repeated.
func (f *filing) repeats(fresh []int32) bool {
	met := make(map[string]bool, len(fresh))
	for _, place := range fresh {
		id := f.id(place)
		if d := f.ix.find(id); met[id] || d != none && f.at[d] != 0 {
			return true
		}
		met[id] = true
	}
	return false
}

// batch is how many texts are read in one go.
const batch = 128

// add puts the memories at some places into the index; those without a name are left out.
// Their texts are read by several goroutines, and filed by this one.
func (f *filing) add(places []int32, name func(place int32) string) {
	type read struct {
		docs []Document
		at   []int32
		torn []string
	}
	batches := slices.Collect(slices.Chunk(places, batch))
	reads := make([]chan read, len(batches))
	for i := range reads {
		reads[i] = make(chan read, 1)
	}
	var group sync.WaitGroup
	ahead := make(chan int, 2*runtime.GOMAXPROCS(0))
	for range min(runtime.GOMAXPROCS(0), len(batches)) {
		group.Go(func() {
			var room workspace.Room
			for i := range ahead {
				var r read
				for _, place := range batches[i] {
					if name(place) == "" {
						continue
					}
					m := f.snap.Glance(int(place), &room)
					d := Of(m)
					d.ID = name(place)
					// The next memory takes the room of these.
					d.Tags, d.Supersedes, d.SupersededBy = slices.Clone(d.Tags), slices.Clone(d.Supersedes), slices.Clone(d.SupersededBy)
					r.docs, r.at = append(r.docs, d), append(r.at, place+1)
					if m.Raw() == nil {
						r.torn = append(r.torn, d.ID)
					}
				}
				reads[i] <- r
			}
		})
	}
	sent := 0
	for i := range reads {
		for ; sent < len(batches) && sent <= i+runtime.GOMAXPROCS(0); sent++ {
			ahead <- sent
		}
		r := <-reads[i]
		f.ix.Add(r.docs...)
		f.at = append(f.at, r.at...)
		for _, name := range r.torn {
			if f.torn == nil {
				f.torn = map[string]bool{}
			}
			f.torn[name] = true
		}
	}
	close(ahead)
	group.Wait()
}
