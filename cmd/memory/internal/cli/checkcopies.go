package cli

import (
	"fmt"
	"slices"

	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/workspace"
)

// fixCopyNames gives files that are named like conflict copies, and are none since nothing has the name they stand for, that name. A memory whose id
// another one has, or that shares its file, stays.
func (c *call) fixCopyNames() (fixed []workspace.Fixed, err error) {
	store, snap, err := c.load()
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
		if _, err := store.Documents().Stat(name); err == nil {
			continue // a file that is no memory has the name
		}
		taken = append(taken, name)
		actions = append(actions, memory.Action{
			Action: oplog.Action{Type: oplog.Edit, Rule: memory.RuleManual, MemoryID: m.ID, From: m.File, To: name, Detail: "the file has the name that it stood for"},
			Ops:    []memory.Op{{Kind: memory.Move, ID: m.ID, Ref: m.Ref, Base: m.Digest(), To: memory.Ref{File: name}}},
		})
		fixed = append(fixed, workspace.Fixed{File: m.File, What: "renamed to " + name})
	}
	return fixed, c.commitFix(snap, actions)
}

// commitFix commits what a fix changes in memories and edges, which can be undone.
func (c *call) commitFix(snap *memory.Snapshot, actions []memory.Action) error {
	if len(actions) == 0 {
		return nil
	}
	result, err := c.store.Commit(c.ctx, &workspace.Tx{Plan: memory.Command(snap, c.store.Log().Head(), actions...), Started: c.started()})
	if err != nil {
		return fmt.Errorf("fix: %w", err)
	}
	c.warn(result)
	if len(result.Skipped) > 0 {
		return failf(exitStale, "fix: %s", skipText(result.Skipped[0]))
	}
	return nil
}
