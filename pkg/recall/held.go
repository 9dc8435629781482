package recall

import (
	"bytes"
	"strings"

	"github.com/memoryd/memoryd/pkg/workspace"
)

// Held is the index of all memories of a snapshot for a process that goes on: it lies in
// memory, and whoever has it brings it along. Searching from several goroutines at once is
// safe, but not while it is changed.
type Held struct {
	ix   *Index
	of   []*workspace.Memory // by document; nil for one that was removed: a memory leads to all that was read with it
	torn map[string]bool     // documents of memories that could not be read
}

// Named is a memory under the name of its document: its id, or of several with one id
// another for all but the first.
type Named struct {
	Name   string
	Memory *workspace.Memory
}

// Hold makes the index of a snapshot's memories: of the kept one, where there is one that
// can be used, and of the texts of the memories that are new to it. It is kept for the
// processes to come as by [Library.Keep], whose error is the one beside the index. With a
// nil store it is always made anew, and not kept.
//
// Kept or made anew, it finds the same.
func Hold(store Keeper, snap *workspace.Snapshot) (*Held, error) {
	l := &Library{snap: snap, store: store}
	if l.kept = l.copied(); !l.kept {
		l.build()
	}
	h := &Held{ix: l.ix, of: make([]*workspace.Memory, len(l.at)), torn: map[string]bool{}}
	all := l.all()
	for d, at := range l.at {
		if at > 0 {
			h.of[d] = all[at-1]
		}
	}
	for _, m := range l.torn {
		for d, of := range h.of {
			if of == m {
				h.torn[l.ix.ids.at(uint32(d))] = true
			}
		}
	}
	return h, l.Keep()
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

// Search is [Library.Search].
func (h *Held) Search(ask Ask) (hits []Found, held int, err error) {
	return find(h.ix, h.memory, h.memory, ask)
}

func (h *Held) memory(d uint32) *workspace.Memory { return h.of[d] }

// Memory is the memory of a document; nil for none.
func (h *Held) Memory(name string) *workspace.Memory {
	if d := h.ix.find(name); d != none {
		return h.of[d]
	}
	return nil
}

// Torn reports whether the memory of a document could not be read, or with "" that of any.
func (h *Held) Torn(name string) bool { return h.torn[name] || name == "" && len(h.torn) > 0 }

// Put files memories, in place of those that have their names. It reads their texts.
func (h *Held) Put(list ...Named) {
	docs := make([]Document, len(list))
	for i, n := range list {
		docs[i] = Of(n.Memory)
		docs[i].ID = n.Name
		if h.drop(n.Name); n.Memory.Raw() == nil {
			h.torn[strings.Clone(n.Name)] = true
		}
	}
	h.ix.Add(docs...)
	for _, n := range list {
		h.of = append(h.of, n.Memory)
	}
}

// drop lets go of the memory of a document.
func (h *Held) drop(name string) {
	delete(h.torn, name)
	if d := h.ix.find(name); d != none {
		h.of[d] = nil
	}
}

// Renew puts another reading of a memory in the place of the one that says the same.
func (h *Held) Renew(n Named) {
	if d := h.ix.find(n.Name); d != none {
		h.of[d] = n.Memory
	}
}

// Remove takes documents out.
func (h *Held) Remove(names ...string) {
	for _, name := range names {
		h.drop(name)
	}
	h.ix.Remove(names...)
}

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
	of := make([]*workspace.Memory, ix.Len())
	for d, m := range h.of {
		if now[d] != none {
			of[now[d]] = m
		}
	}
	h.ix, h.of = ix, of
	return nil
}
