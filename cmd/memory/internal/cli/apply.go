package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/memoryd/memoryd/cmd/memory/internal/app"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/workspace"
)

// applyCommand commits the actions of a single command, made from the snapshot. done prints what was
// done, for people; it gets the actions that are true now.
func (c *call) applyCommand(actions []memory.Action, done func([]oplog.Action)) error {
	plan := memory.Command(c.snap, c.store.Log().Head(), actions...)
	result, err := c.store.Commit(c.ctx, &workspace.Tx{Plan: plan, Started: c.started()})
	if err != nil {
		return err
	}
	c.warn(result)
	doc := app.NewPlanDocument(plan, result)
	switch {
	case c.json && result.Applied > 0:
		if err := c.printJSON(doc); err != nil {
			return err
		}
	case result.Applied > 0:
		done(doc.Actions)
	}
	return changedMeanwhile(result)
}

// warn passes on what a commit has to say besides.
func (c *call) warn(result *workspace.Result) {
	for _, w := range result.Warnings {
		c.note("%s", w)
	}
}

// changedMeanwhile is the conflict of actions whose memories had changed; nil when
// there is none.
func changedMeanwhile(result *workspace.Result) error {
	if len(result.Skipped) == 0 {
		return nil
	}
	var texts []string
	for _, s := range result.Skipped {
		texts = append(texts, skipText(s))
	}
	return withHint(&failure{err: errors.New(strings.Join(texts, "\n")), code: exitStale}, "nothing of it was touched: look at it, then try again")
}

// skipText says why an action was left out when it was applied.
func skipText(s memory.Skip) string {
	if s.Reason == workspace.ReasonChanged {
		return s.MemoryID + ": changed meanwhile: " + s.Detail
	}
	return s.MemoryID + ": " + s.Detail
}

// one is the memory with an id: the live one, or the archived one when none is
// live. No such memory, and an id that isn't unique, are errors.
func one(snap *memory.Snapshot, id string) (*memory.Memory, error) {
	found := snap.Find(id)
	if live := snap.Live(id); live != nil {
		found = []*memory.Memory{live}
	}
	switch {
	case len(found) == 0:
		return nil, notFound(snap, id)
	case len(found) == 1 && found[0].Raw() == nil: // its file has gone, or holds something else, since it was listed
		return nil, &failure{err: fmt.Errorf("%s: %s changed meanwhile: try again", id, found[0].Ref), code: exitStale}
	case len(found) == 1:
		return found[0], nil
	}
	return nil, fmt.Errorf("%s: %w: it stands in %s and %s", id, workspace.ErrAmbiguous, found[0].Ref, found[1].Ref)
}

// notFound is the error for an id that no memory has.
func notFound(snap *memory.Snapshot, id string) error {
	err := fmt.Errorf("%s: %w", id, workspace.ErrNotFound)
	if near := closest(id, snap.IDs()); near != "" {
		return withHint(err, "did you mean "+near+"?")
	}
	return err
}

// known checks that every id is that of some memory, so that a slip gets a
// suggestion.
func known(snap *memory.Snapshot, ids []string) error {
	for _, id := range ids {
		if len(snap.Find(id)) == 0 {
			return notFound(snap, id)
		}
	}
	return nil
}

// liveIDs and archivedIDs are for completion.

func liveIDs(c *call) []string { return c.ids(func(m *memory.Memory) bool { return !m.Archived }) }

func archivedIDs(c *call) []string {
	return c.ids(func(m *memory.Memory) bool { return m.Archived })
}

func allIDs(c *call) []string { return c.ids(func(*memory.Memory) bool { return true }) }

func (c *call) ids(want func(*memory.Memory) bool) (ids []string) {
	_, snap, err := c.load()
	if err != nil {
		return nil
	}
	for _, id := range snap.IDs() {
		for _, m := range snap.Find(id) {
			if want(m) {
				ids = append(ids, id)
				break
			}
		}
	}
	return ids
}
