package recall

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"github.com/memoryd/memoryd/pkg/internal/flatfile"
	"github.com/memoryd/memoryd/pkg/supersession"
	"github.com/memoryd/memoryd/pkg/workspace"
)

// Library is the index of all memories of a snapshot, archived ones too, as it is kept
// beside the workspace from one process to the next. One goroutine at a time uses it.
type Library struct {
	filing
	store Keeper
	file  *flatfile.File // that the index lies in; nil: it lies in memory
	kept  bool           // it was made of a kept one
	fresh int            // documents added or gone since that was kept
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
	l := &Library{filing: filing{snap: snap}, store: store}
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

// build makes the index of what the files say.
func (l *Library) build() {
	l.filing.build()
	l.kept, l.fresh = false, 0
}

func (l *Library) glance(d uint32) *workspace.Memory {
	return l.snap.Glance(int(l.at[d]-1), &l.room)
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
	By    any                             // what Score goes by, for [Held.Search]: comparable; nil: that may change
	May   func(*workspace.Memory) bool    // which may be found; nil: all. Asked about few; it keeps nothing
	Texts bool                            // whether the texts of the best hits are read, as with Note
}

// Search is [Index.Search]. It returns besides how many memories the mode leaves out.
func (l *Library) Search(ask Ask) (hits []Found, held int, err error) {
	search := func() { hits, held, err = find(l.ix, l.memory, l.glance, nil, ask) }
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
func find(ix *Index, of, glance func(d uint32) *workspace.Memory, said *said, ask Ask) (hits []Found, held int, err error) {
	q := ask.Query
	if q.Retention = nil; ask.Score != nil {
		q.kept = func(d uint32) float64 { return ask.Score(glance(d)) }
		q.said = said
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
	if l.store == nil || len(l.torn) > 0 || n < Worthwhile || l.kept && l.fresh <= 64+n/100 {
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
	if err != nil || len(anew.torn) > 0 {
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
	if gone != nil || err != nil || len(kept.torn) > 0 {
		return false, err
	}
	return differs, nil
}
