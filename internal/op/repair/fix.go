package repair

import (
	"context"
	"fmt"
	"path"
	"slices"
	"time"

	"github.com/memoryd/memoryd/internal/app"
	"github.com/memoryd/memoryd/internal/fail"
	"github.com/memoryd/memoryd/internal/gitsync"
	"github.com/memoryd/memoryd/internal/op/commit"
	"github.com/memoryd/memoryd/pkg/edgefile"
	"github.com/memoryd/memoryd/pkg/graph"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/recall"
	"github.com/memoryd/memoryd/pkg/workspace"
)

// FixOptions say when a fix happens, and to whom it tells what a person may want to know.
type FixOptions struct {
	At      time.Time // now
	Started time.Time // for the log; may be zero
	Note    func(text string)
}

// Fix fixes what can be rebuilt: it finishes an interrupted run, gives files the names that they stand for, takes over the edges of copies, moves
// copies and damaged derived files aside, and rebuilds the indexes. What was fixed before an error is returned with it.
func Fix(ctx context.Context, store *workspace.FileStore, o FixOptions) (fixed []workspace.Fixed, err error) {
	if _, err := gitsync.TakeMerged(ctx, store.Dir(), o.At); err != nil {
		return nil, err
	}
	f := &fixer{ctx, store, o.At, o.Started, o.Note}
	for _, fix := range []func() ([]workspace.Fixed, error){f.copyNames, f.edges, func() ([]workspace.Fixed, error) { return store.Fix(ctx, o.At) }, f.words} {
		more, err := fix()
		if fixed = append(fixed, more...); err != nil {
			return fixed, err
		}
	}
	return fixed, nil
}

type fixer struct {
	ctx         context.Context
	store       *workspace.FileStore
	at, started time.Time
	note        func(text string)
}

// words deletes an index of words that disagrees with the files.
func (f *fixer) words() ([]workspace.Fixed, error) {
	snap, err := f.store.Load(f.at)
	if err != nil {
		return nil, err
	}
	differs, err := recall.Differs(f.store.Cache(), snap)
	if err != nil || !differs {
		return nil, err
	}
	if err := f.store.Cache().Write(recall.CacheName, nil); err != nil {
		return nil, fmt.Errorf("fix: %w", err)
	}
	return []workspace.Fixed{{File: recallFile, What: "disagreed with the files: deleted"}}, nil
}

// copyNames gives files that are named like conflict copies, and are none since nothing has the name they stand for, that name. A memory whose id
// another one has, or that shares its file, stays.
func (f *fixer) copyNames() (fixed []workspace.Fixed, err error) {
	snap, err := f.store.Load(f.at)
	if err != nil {
		return nil, err
	}
	var actions []memory.Action
	taken := slices.Clone(snap.Files)
	for _, m := range snap.Memories() {
		name, _ := memory.StandsFor(m.File)
		if name == "" || !m.Whole() || len(snap.Find(m.ID)) > 1 || slices.Contains(taken, name) {
			continue
		}
		if _, err := f.store.Documents().Stat(name); err == nil {
			continue // a file that is no memory has the name
		}
		taken = append(taken, name)
		actions = append(actions, memory.Action{
			Action: oplog.Action{Type: oplog.Edit, Rule: memory.RuleManual, MemoryID: m.ID, From: m.File, To: name, Detail: "the file has the name that it stood for"},
			Ops:    []memory.Op{{Kind: memory.Move, ID: m.ID, Ref: m.Ref, Base: m.Digest(), To: memory.Ref{File: name}}},
		})
		fixed = append(fixed, workspace.Fixed{File: m.File, What: "renamed to " + name})
	}
	return fixed, f.commit(snap, actions)
}

// commit commits what a fix changes in memories and edges, which can be undone.
func (f *fixer) commit(snap *memory.Snapshot, actions []memory.Action) error {
	if len(actions) == 0 {
		return nil
	}
	result, err := f.store.Commit(f.ctx, &workspace.Tx{Plan: memory.Command(snap, f.store.Log().Head(), actions...), Started: f.started})
	if err != nil {
		return fmt.Errorf("fix: %w", err)
	}
	for _, w := range result.Warnings {
		f.note(w)
	}
	if len(result.Skipped) > 0 {
		return fail.Errorf(fail.ExitStale, "fix: %s", commit.Skipped(result.Skipped[0]))
	}
	return nil
}

// edges takes over the edges of copies of _edges.json that the file lacks. Of two with one name the file's stays.
func (f *fixer) edges() (fixed []workspace.Fixed, err error) {
	snap, err := f.store.Load(f.at)
	if err != nil {
		return nil, err
	}
	var actions []memory.Action
	for _, name := range snap.Files {
		file := path.Join(path.Dir(name), memory.EdgesFile)
		if !memory.IsCopyName(name, file) {
			continue
		}
		doc, err := f.store.Read(name)
		if err != nil {
			return nil, fmt.Errorf("fix: %w", err)
		}
		theirs, err := edgefile.Parse(doc)
		if err != nil {
			continue // "memory check" says what it is
		}
		met := map[edgefile.Name]bool{}
		for _, e := range snap.Edges() {
			met[e.Name] = met[e.Name] || e.File == file
		}
		n := len(actions)
		for _, e := range theirs {
			if !met[e.Name] {
				actions = append(actions, graph.Adopt(e, file))
			}
		}
		if n = len(actions) - n; n > 0 {
			fixed = append(fixed, workspace.Fixed{File: file, What: fmt.Sprintf("took %s over from %s", app.Quantity(n, "edge"), path.Base(name))})
		}
	}
	return fixed, f.commit(snap, actions)
}
