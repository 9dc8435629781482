package mirror

import (
	"context"
	"strings"

	"github.com/memoryd/memoryd/pkg/memory"
)

// A memory that one side archived and the other changed meanwhile is live again, with what both did to it: who changes a memory uses
// it. So it never stands in two places.

// move is what is known of such a memory.
type move struct {
	text  []byte // as the side that archived it has it
	here  string // the document to which it was archived here; "": the hub archived it
	there bool   // this document is the one to which the hub archived it
	base  []byte // this document is the one to which both archived it, from this text
}

// moves finds them among documents of the hub, by the names of those.
func (m *Mirror) moves(ctx context.Context, incoming []agreed) (map[string]move, error) {
	archived := map[string]agreed{} // by id
	for _, a := range incoming {
		if id := soleID(a); id != "" && memory.InArchive(a.Path) {
			archived[id] = a
		}
	}
	found := map[string]move{}
	for _, a := range incoming {
		if memory.InArchive(a.Path) || strings.HasPrefix(a.Path, memory.OpsDir+"/") {
			continue
		}
		base, err := m.state.base(ctx, a.Path)
		if err != nil {
			return nil, err
		}
		id, ours := soleID(base), m.local(a.Path)
		to, moved := archived[id]
		switch {
		case id == "" || base.Sum == a.Sum:
		case a.Bytes == nil && moved && ours != nil && sum(ours) != base.Sum:
			found[a.Path], found[to.Path] = move{text: to.Bytes}, move{there: true}
		case a.Bytes == nil && moved && ours == nil:
			found[to.Path] = move{base: base.Bytes}
		case a.Bytes != nil && ours == nil:
			err = m.Store.Documents().Each(func(name string) bool { return memory.InArchive(name) && Shared(name) }, func(name string, text []byte) {
				if soleID(agreed{Path: name, Bytes: text}) == id {
					found[a.Path] = move{text: text, here: name}
				}
			})
		}
		if err != nil {
			return nil, err
		}
	}
	return found, nil
}

// soleID is the id of the one memory that a document is, "" where it is none.
func soleID(a agreed) string {
	if a.Bytes == nil || strings.HasPrefix(a.Path, memory.OpsDir+"/") {
		return ""
	}
	return memory.SoleID(a.Path, a.Bytes)
}
