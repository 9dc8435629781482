package workspace

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/memoryd/memoryd/pkg/oplog"
)

// ReasonChanged is the reason of an action skipped because a memory it relies on
// is no longer as it was planned against.
const ReasonChanged = "changed_meanwhile"

// Commit implements [Store].
//
// Under the writer's lock: every record is compared with what the plan saw;
// actions that don't match are skipped. The new files are computed in memory and
// pass the gate again, are staged and fsynced beside their places, and published
// in the order create, replace, index, delete, log, so that a reader meets every
// memory at every instant.
func (s *FileStore) Commit(ctx context.Context, tx *Tx) (_ *Result, err error) {
	release, err := s.lock(ctx, tx.Plan.Trigger)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, release()) }()

	c := &commit{root: s.root, tx: tx, files: map[string]*file{}, done: map[int]bool{}}
	if err := c.prepare(); err != nil {
		return nil, fmt.Errorf("apply %s: %w", tx.Plan.RunID, err)
	}
	if err := c.publish(ctx); err != nil {
		return nil, fmt.Errorf("apply %s: %w", tx.Plan.RunID, err)
	}
	return &c.result, nil
}

// prepare computes every file that the transaction changes. It writes nothing.
func (c *commit) prepare() error {
	plan := c.tx.Plan
	entry := &oplog.Entry{
		RunID: plan.RunID, Timestamp: plan.At, Trigger: plan.Trigger, Scope: plan.Scope,
		Deferred: plan.Deferred, Status: "done",
	}
	if entry.Scope == "" {
		entry.Scope = "all"
	}
	var pairs []ReviewPair
	var decisions []Decision
	for i := range plan.Actions {
		a := &plan.Actions[i]
		if why, err := c.admit(a); err != nil {
			return err
		} else if why != "" {
			for _, id := range a.Members() {
				skip := Skip{MemoryID: id, Rule: a.Rule, Reason: ReasonChanged, Detail: why}
				c.result.Skipped = append(c.result.Skipped, skip)
				entry.Actions = append(entry.Actions, oplog.Action{Type: "skip", Rule: a.Rule, MemoryID: id, Reason: ReasonChanged, Detail: why})
			}
			continue
		}
		for _, p := range a.Pairs {
			p.RunID, p.FlaggedAt = plan.RunID, plan.At
			pairs = append(pairs, p)
		}
		for _, d := range a.Decisions {
			d.DecidedAt = plan.At
			decisions = append(decisions, d)
		}
		c.result.Applied++
		c.done[i] = true
		entry.Actions = append(entry.Actions, c.logged(a))
	}
	if err := c.render(); err != nil {
		return err
	}
	if err := c.indexes(); err != nil {
		return err
	}
	if len(pairs)+len(decisions) > 0 {
		if err := c.rewrite(ReviewFile, func(doc []byte) ([]byte, error) { return patchQueue(doc, pairs, decisions) }); err != nil {
			return err
		}
	}
	if c.tx.Snapshot != nil {
		if err := c.markSeen(); err != nil {
			return err
		}
	}
	if c.tx.Unlogged || len(entry.Actions) == 0 {
		return nil
	}
	return c.log(entry)
}

// log appends the entry; what can't be logged doesn't happen.
func (c *commit) log(entry *oplog.Entry) error {
	skipped := len(c.tx.Plan.Skipped)
	entry.Stats = oplog.Count(entry.Actions, len(entry.Deferred))
	entry.Stats.MemoriesSkipped += skipped
	if skipped > 0 {
		entry.Skipped = map[string]int{}
		for _, sk := range c.tx.Plan.Skipped {
			entry.Skipped[sk.Reason]++
		}
	}
	if !c.tx.Started.IsZero() {
		entry.DurationMS = time.Since(c.tx.Started).Milliseconds()
	}
	c.result.Entry = entry
	return c.rewrite(LogFile, func(doc []byte) ([]byte, error) { return oplog.Append(doc, entry) })
}

// rewrite replaces a file of ours by what f makes of it (nil when absent).
func (c *commit) rewrite(name string, f func([]byte) ([]byte, error)) error {
	file, err := c.open(name)
	if err != nil {
		return err
	}
	doc, err := f(file.now)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	file.now, file.exists = doc, true
	return nil
}

// markSeen notes the fingerprints that this run leaves for the memories it
// looked at. What was edited since the snapshot keeps the older fingerprint, so
// that the next run knows it for edited.
func (c *commit) markSeen() error {
	snap, plan := c.tx.Snapshot, c.tx.Plan
	after := map[string]string{}
	for _, m := range snap.Memories {
		if plan.Covers == nil || plan.Covers(m) {
			after[m.ID] = fingerprint(m)
		} else if print, ok := snap.seen[m.ID]; ok {
			after[m.ID] = print
		}
	}
	for i := range plan.Actions {
		for _, op := range plan.Actions[i].Ops {
			switch {
			case !c.done[i]:
			case op.Kind == Move && inArchive(op.To.File):
				delete(after, op.ID)
			case op.Kind == Put || op.Kind == Create:
				after[op.ID] = fingerprint(parseMemory(op.Raw, op.Ref))
			}
		}
	}
	return c.rewrite(SeenFile, func([]byte) ([]byte, error) { return renderSeen(after), nil })
}
