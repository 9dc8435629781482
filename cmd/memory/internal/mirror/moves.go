package mirror

import (
	"context"
	"strings"

	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/merge"
)

// A memory that one side has moved, as to the archive, and the other has changed or moved meanwhile is one memory still: at its new place,
// with what both did to it. Whether it comes back from the archive is decided once all is in, as with git (archive.EditedMeanwhile).

// move is such a memory as both sides last had it, as the hub has it, and as it is here.
type move struct{ base, theirs, ours agreed }

// moves finds them among documents of the hub.
func (m *Mirror) moves(ctx context.Context, incoming []agreed) (found []move, err error) {
	there := map[string]agreed{} // by id
	for _, a := range incoming {
		if id := soleID(a); id != "" {
			there[id] = a
		}
	}
	var here map[string]agreed
	for _, theirs := range incoming {
		base, err := m.state.base(ctx, theirs.Path)
		if err != nil {
			return nil, err
		}
		id := soleID(base)
		if id == "" || base.Sum == theirs.Sum {
			continue
		}
		if theirs.Bytes == nil {
			theirs = there[id]
		}
		ours := m.localAgreed(base.Path)
		if soleID(ours) != id {
			if here == nil {
				if here, err = m.memories(); err != nil {
					return nil, err
				}
			}
			ours = here[id]
		}
		stays := ours.Path == base.Path && (theirs.Path == base.Path || ours.Sum == base.Sum)
		if !stays && soleID(theirs) == id && soleID(ours) == id {
			found = append(found, move{base, theirs, ours})
		}
	}
	return found, nil
}

// follow tells what is to be written so that a moved memory stands in one place, and what both sides have agreed on by then. ok is false where it can't be merged.
func (m *Mirror) follow(ctx context.Context, v move) (takings []taking, ok bool, err error) {
	to := v.theirs.Path
	if to == v.base.Path {
		to = v.ours.Path
	}
	result, failed := merge.Documents(to, v.base.Bytes, v.ours.Bytes, v.theirs.Bytes)
	stands := m.localAgreed(to)
	if before, err := m.state.base(ctx, to); err != nil {
		return nil, false, err
	} else if failed == nil && to != v.ours.Path && stands.Bytes != nil { // an interrupted sync has put it there
		if before.Sum != v.theirs.Sum {
			return nil, false, nil
		}
		result, failed = merge.Documents(to, v.theirs.Bytes, stands.Bytes, result.Doc)
	}
	if failed != nil {
		return nil, false, nil
	}
	takings = []taking{{agreed: v.theirs, Place: to, Before: stands.Sum, After: sum(result.Doc), data: result.Doc}}
	if stands.Sum == takings[0].After {
		takings[0].Place = ""
	}
	if v.ours.Path != to {
		takings = append(takings, taking{agreed: agreed{Path: v.ours.Path}, Place: v.ours.Path, Before: v.ours.Sum})
	}
	if v.theirs.Path != v.base.Path && v.ours.Path != v.base.Path {
		takings = append(takings, taking{agreed: agreed{Path: v.base.Path}})
	}
	if v.ours.Sum != v.base.Sum {
		m.out.Merged = append(m.out.Merged, to)
	}
	m.out.Conflicts += result.Conflicts
	return takings, true, nil
}

// memories are the documents here that are one memory, by its id.
func (m *Mirror) memories() (map[string]agreed, error) {
	all := map[string]agreed{}
	err := m.Store.Documents().Each(Shared, func(name string, text []byte) {
		a := agreed{name, text, sum(text)}
		if id := soleID(a); id != "" {
			all[id] = a
		}
	})
	return all, err
}

// localAgreed is a document as it is here.
func (m *Mirror) localAgreed(name string) agreed {
	text := m.local(name)
	return agreed{name, text, sum(text)}
}

// soleID is the id of the one memory that a document is, "" where it is none.
func soleID(a agreed) string {
	if a.Bytes == nil || strings.HasPrefix(a.Path, memory.OpsDir+"/") {
		return ""
	}
	return memory.SoleID(a.Path, a.Bytes)
}
