package workspace

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"time"

	"github.com/memoryd/memoryd/pkg/edgefile"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/review"
)

// ErrForbidden: whom the store serves may not do that; see [FileStore.Access].
var ErrForbidden = errors.New("not granted")

// Access limits whom a store serves. It is asked by several goroutines at a time.
type Access interface {
	// Read reports whether memories of a scope are seen. The others are absent from every
	// snapshot, and so from searches, counts, links and plans.
	Read(memory.Scope) bool
	// Write reports whether memories of a scope may be changed, made and archived. A
	// transaction that would change another one is refused as a whole, as [ErrForbidden].
	Write(memory.Scope) bool
}

// visible are the memories that may be seen. One in the archive is seen only by who could see it where
// it came from.
func (s *FileStore) visible(live, archived []*memory.Memory, indexes []*memory.Index) (_, _ []*memory.Memory) {
	if s.Access == nil {
		return live, archived
	}
	hidden := func(m *memory.Memory) bool { return !s.Access.Read(m.Scope) }
	old := memory.NewSnapshot(time.Time{}, nil, archived)
	old.SetIndexes(indexes)
	return slices.DeleteFunc(slices.Clone(live), hidden), slices.DeleteFunc(slices.Clone(archived), func(m *memory.Memory) bool {
		from := memory.Scope{} // unknown: only who reads everything sees it
		if origin, ok := memory.OriginOf(m, old.Indexes); ok {
			from = memory.ScopeOf(origin.Ref.File)
		}
		return hidden(m) || !s.Access.Read(from)
	})
}

// narrow takes out of a snapshot what concerns memories that may not be seen.
func (s *FileStore) narrow(snap *memory.Snapshot) {
	if s.Access == nil {
		return
	}
	sees := func(file string) bool {
		dir := memory.ScopeDir(file)
		return dir != "" && dir != memory.ArchiveDir && s.Access.Read(memory.ScopeOf(file))
	}
	snap.Copies = nil
	snap.SetIndexes(slices.DeleteFunc(slices.Clone(snap.Indexes), func(x *memory.Index) bool { return !sees(x.File) }))
	snap.Problems = slices.DeleteFunc(snap.Problems, func(p memory.Problem) bool { return path.Dir(p.File) != memory.OpsDir && !sees(p.File) })
	edges := snap.Edges
	snap.Edges = func() []edgefile.Edge {
		return slices.DeleteFunc(slices.Clone(edges()), func(e edgefile.Edge) bool { return !sees(e.File) })
	}
	known := func(id string) bool { return len(snap.Find(id)) > 0 }
	snap.Deferred = slices.DeleteFunc(slices.Clone(snap.Deferred), func(id string) bool { return !known(id) })
	if q := snap.Review; q != nil && !q.Broken {
		snap.Review = memory.NewReviewQueue(
			slices.DeleteFunc(slices.Clone(q.Pairs), func(p review.Pair) bool { return !known(p.A) || !known(p.B) }),
			slices.DeleteFunc(slices.Clone(q.Decided), func(d review.Decision) bool {
				_, proposal := d.Proposal()
				return !known(d.A) || !known(d.B) && !proposal
			}))
	}
}

// allowed is the error of a transaction that changes what may not be changed.
func (s *FileStore) allowed(tx *Tx) error {
	if s.Access == nil {
		return nil
	}
	snap := tx.Snapshot
	if last := s.last.Load(); snap == nil && last != nil {
		snap = last.snap
	}
	for _, a := range tx.Plan.Actions {
		if a.Rule == memory.RuleAccess { // counts of reads
			continue
		}
		for _, scope := range scopesOf(&a, snap) {
			if !s.Access.Write(scope) {
				return fmt.Errorf("%s: changing memories of %s is %w", a.Type, scope, ErrForbidden)
			}
		}
	}
	return nil
}

// scopesOf are the scopes in which an action changes something.
func scopesOf(a *memory.Action, snap *memory.Snapshot) (all []memory.Scope) {
	place := func(file string) {
		if file != "" && !memory.InArchive(file) {
			all = append(all, memory.ScopeOf(file))
		}
	}
	ids := a.Members()
	for _, o := range a.Ops {
		place(o.Ref.File)
		place(o.To.File)
		ids = append(ids, o.ID)
	}
	for _, e := range a.Edges {
		place(e.File)
	}
	if snap != nil {
		for _, id := range ids {
			for _, m := range snap.Find(id) {
				all = append(all, m.Scope)
			}
		}
	}
	return all
}
