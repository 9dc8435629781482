package recall

import (
	"bytes"

	"github.com/memoryd/memoryd/pkg/workspace"
)

// Held is the index of all memories of a snapshot for a process that goes on: it lies in
// memory, and whoever has it brings it along.
type Held struct {
	*Index
	Of   map[string]*workspace.Memory // by the ids of documents: those of the memories, but of several with one id
	Torn []*workspace.Memory          // could not be read: what is known of them isn't what they say
}

// Hold makes the index of a snapshot's memories: of the kept one, where there is one that
// can be used, and of the texts of the memories that are new to it. It is kept for the
// processes to come as by [Library.Keep], whose error is the one beside the index. With a nil store it is always made anew, and not kept.
//
// Kept or made anew, it finds the same.
func Hold(store Keeper, snap *workspace.Snapshot) (Held, error) {
	l := &Library{snap: snap, store: store}
	if l.kept = l.copied(); !l.kept {
		l.build()
	}
	err := l.Keep()
	h := Held{l.ix, make(map[string]*workspace.Memory, len(l.of)), l.torn}
	for d, m := range l.of {
		if m != nil && !l.ix.isDead(uint32(d)) {
			h.Of[l.ix.ids.at(uint32(d))] = m
		}
	}
	return h, err
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
