package recall

import (
	"bytes"

	"github.com/memoryd/memoryd/pkg/internal/parallel"
	"github.com/memoryd/memoryd/pkg/workspace"
)

// Held is the index of all memories of a snapshot for a process that goes on: it lies in
// memory, and whoever has it brings it along. Searching from several goroutines at once is
// safe, but not while it is changed.
//
// It holds on to no memory but those that were found: as many as there are would cost the
// collector of garbage more than the searches.
type Held struct {
	filing
	said scores
}

// Hold makes the index of a snapshot's memories: of the kept one, where there is one that
// can be used, and of the texts of the memories that are new to it. It is kept for the
// processes to come as by [Library.Keep], whose error is the one beside the index. With a
// nil store it is always made anew, and not kept.
//
// Kept or made anew, it finds the same.
func Hold(store Keeper, snap *workspace.Snapshot) (*Held, error) {
	l := &Library{filing: filing{snap: snap}, store: store}
	if l.kept = l.copied(); !l.kept {
		l.build()
	}
	return &Held{filing: l.filing}, l.Keep()
}

// copied takes the kept index into memory and brings it along; false where there is none
// that can be used.
func (l *Library) copied() bool {
	if l.store == nil {
		return false
	}
	file, err := l.store.OpenKept(workspace.RecallFile, libraryVersion)
	if err != nil {
		return false
	}
	defer func() { _ = file.Close() }() // nothing is written by closing
	var sections [][]byte
	err = file.Use(func(mapped [][]byte) error {
		for _, s := range mapped {
			sections = append(sections, bytes.Clone(s))
		}
		return nil
	})
	return err == nil && l.follow(sections, 0) == nil
}

// Search is [Library.Search]. Where the query says By, what Score has said of a memory is
// remembered for as long as that is the same: then Score must not say more of the memory at a
// later time of the query. Most memories can be told to be left out by that.
func (h *Held) Search(ask Ask) (hits []Found, held int, err error) {
	var room workspace.Room
	glance := func(d uint32) *workspace.Memory { return h.snap.Glance(int(h.at[d]-1), &room) }
	return find(h.ix, h.memory, glance, h.said.of(&ask, h.ix.size()), ask)
}

// Follow brings the index along to another snapshot. It reads the texts of memories that say
// something else than before, and costs little for others where the snapshot was made of the
// earlier one by [workspace.FileStore.Reload].
func (h *Held) Follow(snap *workspace.Snapshot) {
	was, wasAt := h.snap, h.at
	docs := make([]uint32, was.Total()) // by place, one more
	for d, at := range wasAt {
		if at > 0 && !h.tornAt(uint32(d)) {
			docs[at-1] = uint32(d) + 1
		}
	}
	h.snap, h.at = snap, make([]int32, len(wasAt), len(wasAt)+8)
	var come []int32
	for place, at := range snap.Stayed(was) {
		if at >= 0 && docs[at] > 0 {
			h.at[docs[at]-1] = int32(place) + 1
		} else {
			come = append(come, int32(place))
		}
	}
	fresh := h.renew(come, was, wasAt)
	var gone []uint32
	for d, at := range wasAt {
		if at > 0 && h.at[d] == 0 {
			gone = append(gone, uint32(d))
		}
	}
	h.settle(gone, fresh)
	h.renamed = h.renamed && snap.Repeating()
}

// renew gives memories that were read again the documents that say what they do, and returns
// the places of the others.
func (h *Held) renew(come []int32, was *workspace.Snapshot, wasAt []int32) (fresh []int32) {
	docs := make([]uint32, len(come)) // one more
	parallel.Ranges(len(come), func(from, to int) {
		var room, before workspace.Room
		for i := from; i < to; i++ {
			place := int(come[i])
			d := h.ix.find(h.snap.ID(place))
			if d != none && wasAt[d] > 0 && !h.tornAt(d) && alike(was.Glance(int(wasAt[d]-1), &before), h.snap.Glance(place, &room)) {
				docs[i] = d + 1
			}
		}
	})
	for i, d := range docs {
		if d > 0 && h.at[d-1] == 0 {
			h.at[d-1] = come[i] + 1
		} else {
			fresh = append(fresh, come[i])
		}
	}
	return fresh
}

// alike reports whether two readings of a memory are the same document.
func alike(a, b *workspace.Memory) bool {
	return a.Archived == b.Archived && a.AccessCount == b.AccessCount && a.File == b.File && a.Checksum() == b.Checksum()
}

// tornAt reports whether the memory of a document could not be read.
func (h *Held) tornAt(d uint32) bool { return h.Torn() && h.torn[h.ix.ids.at(d)] }

// Torn reports whether any memory could not be read.
func (h *Held) Torn() bool { return len(h.torn) > 0 }

// Changes is [Index.Changes].
func (h *Held) Changes() int { return h.ix.Changes() }

// LayOut writes the index and opens it anew, which makes searches quick again after many
// changes. After an error it is as it was.
func (h *Held) LayOut() error {
	text, now, err := h.ix.appendBinary(nil)
	if err != nil {
		return err
	}
	ix, err := Open(text)
	if err != nil {
		return err
	}
	at := make([]int32, ix.Len())
	for d, place := range h.at {
		if now[d] != none {
			at[now[d]] = place
		}
	}
	h.ix, h.at = ix, at
	h.said.forget()
	return nil
}
