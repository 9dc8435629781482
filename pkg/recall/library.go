package recall

import (
	"bytes"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"

	"github.com/memoryd/memoryd/pkg/internal/flatfile"
	"github.com/memoryd/memoryd/pkg/supersession"
	"github.com/memoryd/memoryd/pkg/workspace"
)

// Library is the index of all memories of a snapshot, archived ones too, as it is kept
// beside the workspace from one process to the next. One goroutine at a time uses it.
type Library struct {
	snap  *workspace.Snapshot
	store Keeper
	file  *flatfile.File // that the index lies in; nil: it lies in memory
	ix    *Index
	at    []int32             // by document, one more than the place of its memory in the snapshot; 0: none
	kept  bool                // it was made of a kept one
	fresh int                 // documents added or gone since that was kept
	torn  []*workspace.Memory // could not be read: what is known of them isn't what they say
	room  workspace.Room
}

// Keeper keeps an index beside a workspace; a [workspace.FileStore] does.
type Keeper interface {
	OpenKept(name string, version uint32) (*flatfile.File, error)
	WriteKept(name string, version uint32, sections ...[]byte) error
}

// libraryVersion goes up whenever a kept index is laid out otherwise or memories become
// other documents; for how text is cut into words see magic.
const libraryVersion = 2

// ErrTooMuch says that more has changed than the caller has time for.
var ErrTooMuch = errors.New("the index of words must be made first")

// OpenLibrary opens the index of a snapshot's memories: the kept one, brought along by
// what has changed since, or one made anew where there is none that can be used. That
// reads the texts of the memories that are new to it, of which there may be at most so
// many; 0: any number. More are [ErrTooMuch], the only error. Nothing is written before
// [Library.Keep]. With a nil store it is always made anew.
//
// Kept or made anew, it finds the same.
func OpenLibrary(store Keeper, snap *workspace.Snapshot, most int) (*Library, error) {
	l := &Library{snap: snap, store: store}
	if store != nil {
		if file, err := store.OpenKept(workspace.RecallFile, libraryVersion); err == nil {
			l.file = file
			switch err = file.Use(func(sections [][]byte) error { return l.follow(sections, most) }); {
			case err == nil:
				l.kept = true
				return l, nil
			case errors.Is(err, ErrTooMuch):
				return nil, errors.Join(err, l.Close())
			}
			_ = l.Close() // whatever it is, it can't be used
		}
	}
	if all := snap.Total(); most > 0 && all > most {
		return nil, fmt.Errorf("%w: %d memories are new to it", ErrTooMuch, all)
	}
	l.build()
	return l, nil
}

// Close lets go of the kept index.
func (l *Library) Close() error {
	l.ix, l.at = nil, nil
	if l.file == nil {
		return nil
	}
	file := l.file
	l.file = nil
	return file.Close()
}

// all are the memories in the order of the snapshot, live ones first.
func (l *Library) all() []*workspace.Memory {
	return slices.Concat(l.snap.Memories(), l.snap.Archived())
}

// build makes the index of what the files say.
func (l *Library) build() {
	places := make([]int32, l.snap.Total())
	for place := range places {
		places[place] = int32(place)
	}
	id := l.id
	if l.snap.Repeating() {
		id = l.documentID()
	}
	l.ix, l.at, l.kept, l.fresh, l.torn = New(), make([]int32, 0, len(places)), false, 0, nil
	l.add(places, id)
}

// id is that of the memory at a place.
func (l *Library) id(place int32) string { return l.snap.ID(int(place)) }

// documentID gives that by which the memory at a place is known to the index.
func (l *Library) documentID() func(place int32) string {
	all := l.all()
	ids := documentIDs(all)
	return func(place int32) string { return ids[all[place]] }
}

// memory is that of a document.
func (l *Library) memory(d uint32) *workspace.Memory { return l.snap.Memory(int(l.at[d] - 1)) }

func (l *Library) glance(d uint32) *workspace.Memory {
	return l.snap.Glance(int(l.at[d]-1), &l.room)
}

// documentIDs are the ids by which memories are known to the index: of several with one
// id all but the first get one that tells where they stand. Those that aren't there are
// in the index already.
func documentIDs(all []*workspace.Memory) map[*workspace.Memory]string {
	ids, taken := make(map[*workspace.Memory]string, len(all)), make(map[string]bool, len(all))
	for _, m := range all {
		id := m.ID
		if taken[id] {
			id += " (" + m.Ref.String() + ")"
		}
		if !taken[id] {
			taken[id], ids[m] = true, id
		}
	}
	return ids
}

// batch is how many texts are read in one go.
const batch = 128

// add puts the memories at some places into the index; those without an id are left out.
// Their texts are read by several goroutines, and filed by this one.
func (l *Library) add(places []int32, id func(place int32) string) {
	type read struct {
		docs []Document
		at   []int32
		torn []*workspace.Memory
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
					if id(place) == "" {
						continue
					}
					m := l.snap.Glance(int(place), &room)
					d := Of(m)
					d.ID = id(place)
					// The next memory takes the room of these.
					d.Tags, d.Supersedes, d.SupersededBy = slices.Clone(d.Tags), slices.Clone(d.Supersedes), slices.Clone(d.SupersededBy)
					r.docs, r.at = append(r.docs, d), append(r.at, place+1)
					if m.Raw() == nil {
						r.torn = append(r.torn, l.snap.Memory(int(place)))
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
		l.ix.Add(r.docs...)
		l.at = append(l.at, r.at...)
		l.torn = append(l.torn, r.torn...)
	}
	close(ahead)
	group.Wait()
}

// Found is a hit and its memory.
type Found struct {
	Hit
	Memory *workspace.Memory
}

// Ask is a query to a library, which is asked of memories themselves: Retention and Note
// of the query don't count.
type Ask struct {
	Query
	Score func(*workspace.Memory) float64 // as Retention; nil: all matter alike. It keeps nothing
	May   func(*workspace.Memory) bool    // which may be found; nil: all. Asked about few; it keeps nothing
	Texts bool                            // whether the texts of the best hits are read, as with Note
}

// Search is [Index.Search]. It returns besides how many memories the mode leaves out.
func (l *Library) Search(ask Ask) (hits []Found, held int, err error) {
	search := func() { hits, held, err = find(l.ix, l.memory, l.glance, ask) }
	if l.file == nil {
		search()
		return hits, held, err
	}
	if l.file.Use(func([][]byte) error { search(); return nil }) == nil {
		return hits, held, err
	}
	_ = l.Close() // somebody has cut it short
	l.build()
	search()
	return hits, held, err
}

// find asks an index of memories, which are given by document: to keep, and to look at once.
func find(ix *Index, of, glance func(d uint32) *workspace.Memory, ask Ask) (hits []Found, held int, err error) {
	q := ask.Query
	if q.Retention = nil; ask.Score != nil {
		q.kept = func(d uint32) float64 { return ask.Score(glance(d)) }
	}
	if ask.May != nil {
		q.may = func(d uint32) bool { return ask.May(glance(d)) }
	}
	if q.Note = nil; ask.Texts {
		q.Note = func(id string) (supersession.Note, bool) { return NoteOf(of(ix.find(id))), true }
	}
	found, err := ix.Search(q)
	for _, h := range found.Hits {
		hits = append(hits, Found{h, of(ix.find(h.ID))})
	}
	return hits, found.Held, err
}

// Worthwhile is how many memories an index is kept of: fewer are indexed in no time.
const Worthwhile = 200

// Keep writes the index for the processes to come, if it is worth that: there is none yet,
// or so much has changed since that to write it costs less than to read the changed texts
// some thirty times. It may fail without harm.
func (l *Library) Keep() error {
	n := l.ix.Len()
	if l.store == nil || l.torn != nil || n < Worthwhile || l.kept && l.fresh <= 64+n/100 {
		return nil
	}
	return l.keep()
}

func (l *Library) keep() error {
	var sections [][]byte
	var err error
	write := func() error { sections, err = l.sections(); return nil }
	if l.file == nil {
		_ = write()
	} else if l.file.Use(func([][]byte) error { return write() }) != nil {
		return nil // somebody has cut it short: the next process makes it anew
	}
	if err != nil {
		return fmt.Errorf("keep the index of words: %w", err)
	}
	if err := l.store.WriteKept(workspace.RecallFile, libraryVersion, sections...); err != nil {
		return fmt.Errorf("keep the index of words: %w", err)
	}
	return nil
}

// Differs reports whether the kept index would make anything else found than one that is
// made anew of the same snapshot: never, unless it is forged or memoryd has a mistake.
func Differs(store Keeper, snap *workspace.Snapshot) (bool, error) {
	kept, err := OpenLibrary(store, snap, 0)
	if err != nil {
		return false, err
	}
	defer func() { _ = kept.Close() }() // nothing is written by closing
	if kept.file == nil {
		return false, nil // there is none that anybody would use
	}
	anew, err := OpenLibrary(nil, snap, 0)
	if err != nil || anew.torn != nil {
		return false, err // somebody is writing: the next time tells
	}
	want, err := anew.sections()
	if err != nil {
		return false, fmt.Errorf("compare the index of words: %w", err)
	}
	differs := false
	gone := kept.file.Use(func(have [][]byte) error {
		if slices.EqualFunc(have, want, bytes.Equal) {
			return nil
		}
		have, failed := kept.sections() // with what has changed since
		err = failed
		differs = failed == nil && !slices.EqualFunc(have, want, bytes.Equal)
		return nil
	})
	if gone != nil || err != nil || kept.torn != nil {
		return false, err
	}
	return differs, nil
}
