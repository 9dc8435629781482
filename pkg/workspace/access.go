package workspace

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"time"

	"github.com/memoryd/memoryd/pkg/access"
	"github.com/memoryd/memoryd/pkg/edgefile"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/review"
)

// ErrForbidden: whom the store serves may not do that; see [FileStore.Access].
var ErrForbidden = access.ErrForbidden

// Access is whom a store serves. Memories of scopes that it may not read are absent from every
// snapshot, and so from searches, counts, links and plans. A transaction that [access.Allows]
// refuses is refused as a whole, as [ErrForbidden].
type Access = access.Principal

// visibleTo are the memories that may be seen. One in the archive is seen only by who could see it where
// it came from.
func visibleTo(s *FileStore, live, archived []*memory.Memory, indexes []*memory.Index) (_, _ []*memory.Memory) {
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
func narrow(s *FileStore, snap *memory.Snapshot) {
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
func allowed(s *FileStore, tx *Tx) error {
	if s.Access == nil {
		return nil
	}
	snap := tx.Snapshot
	if last := s.last.Load(); snap == nil && last != nil {
		snap = last.snap
	}
	for i := range tx.Plan.Actions {
		if err := allowedAction(s, &tx.Plan.Actions[i], snap); err != nil {
			return fmt.Errorf("%s: %w", tx.Plan.Actions[i].Type, err)
		}
	}
	return nil
}

// allowedAction holds each record that an action changes, and each that it names, against the
// grants. A record that the snapshot doesn't show can't be judged: changing it is refused.
func allowedAction(s *FileStore, a *memory.Action, snap *memory.Snapshot) error {
	if a.Rule == memory.RuleAccess { // counts of reads
		return nil
	}
	changes := make([]access.Change, len(a.Ops))
	var before []*memory.Memory
	for i, o := range a.Ops {
		c := &changes[i]
		c.Command, c.Files = a.Rule == memory.RuleManual, []string{o.Ref.File, o.To.File}
		file := cmp.Or(o.To.File, o.Ref.File)
		if o.Kind != memory.Create {
			if c.Before = recordAt(snap, o.ID, o.Ref); c.Before == nil {
				return fmt.Errorf("%s: changing a memory that is not seen is %w to %s", o.ID, ErrForbidden, s.Access.Name())
			}
			before = append(before, c.Before)
			if o.Raw == nil && o.Kind == memory.Move {
				c.After = c.Before
			}
		}
		if len(o.Raw) > 0 { // else the commit skips it
			var err error
			if c.After, err = memory.OneRecord(file, o.Raw); err != nil {
				return err
			}
		}
	}
	for i := range changes {
		changes[i].Beside = before
		if err := access.Allows(s.Access, changes[i]); err != nil {
			return err
		}
	}
	for _, id := range a.Members() {
		for _, m := range known(snap, id) {
			if err := access.Allows(s.Access, access.Change{Before: m}); err != nil {
				return err
			}
		}
	}
	for _, e := range a.Edges {
		if err := access.Allows(s.Access, access.Change{Files: []string{e.File}}); err != nil {
			return err
		}
	}
	return nil
}

// known are the memories of an id in a snapshot, which may be nil.
func known(snap *memory.Snapshot, id string) []*memory.Memory {
	if snap == nil {
		return nil
	}
	return snap.Find(id)
}

// recordAt is the memory of an id at a place, nil for none.
func recordAt(snap *memory.Snapshot, id string, at memory.Ref) *memory.Memory {
	for _, m := range known(snap, id) {
		if m.Ref.String() == at.String() {
			return m
		}
	}
	return nil
}
