package tx

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/memoryd/memoryd/pkg/internal/durable"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/review"
	"github.com/memoryd/memoryd/pkg/workspace/internal/journal"
)

// Commit makes a transaction true, whole actions at a time.
//
// Under the writer's lock: what an interrupted run left is finished. Every record
// is compared with what the plan saw; actions that don't match are skipped. The
// new files are computed in memory and pass the gate again. They are staged
// beside a journal whose rename commits the run, and swapped into their places
// one by one, each only if the file there is still the one that was read: an
// action one of whose files somebody else has just changed is taken back as a
// whole and logged as skipped. See docs/internals.md for the files this leaves.
//
// An error before the commit leaves the workspace as it was; after it the error
// is [ErrPending].
func (s *Store) Commit(ctx context.Context, tx *Tx) (_ *Result, err error) {
	release, err := s.Lock(ctx, tx.Plan.Trigger)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, release()) }()
	if !tx.Save {
		if err := s.UpdateIndexes(ctx); err != nil {
			return nil, fmt.Errorf("apply %s: %w", tx.Plan.RunID, err)
		}
	}
	c, err := s.newCommit(tx)
	if err != nil {
		return nil, fmt.Errorf("apply %s: %w", tx.Plan.RunID, err)
	}
	if err := c.prepare(); err != nil {
		return nil, fmt.Errorf("apply %s: %w", tx.Plan.RunID, err)
	}
	return s.apply(ctx, c, nil)
}

func (s *Store) newCommit(tx *Tx) (*commit, error) {
	id, err := s.freeRunName(tx.Plan.RunID)
	if err != nil {
		return nil, err
	}
	ops, err := s.Root.Stat(memory.OpsDir)
	return &commit{
		root: s.Root, notes: s.Notes, named: s.Named, actor: s.Actor, machine: s.Machine, runID: id, tx: tx, device: ops.ID.Device,
		files: map[string]*file{}, done: map[int]bool{}, logged: map[int]int{},
	}, err
}

// freeRunName finds a free name for a run: its id, with a number behind it when the
// same plan was applied before.
func (s *Store) freeRunName(id string) (string, error) {
	var log []byte
	for _, name := range []string{memory.LogFile, memory.SavesFile} {
		doc, _, err := s.Root.Read(name, maxSize)
		if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, durable.ErrLink) {
			return "", err
		}
		log = append(doc, log...)
	}
	for name, n := id, 2; ; n++ {
		taken, err := durable.Exists(s.Root, journal.RunsDir+"/"+name)
		if err != nil {
			return "", err
		}
		if !taken && !bytes.Contains(log, []byte(`"`+name+`"`)) {
			return name, nil
		}
		name = fmt.Sprintf("%s-%d", id, n)
	}
}

// apply commits and finishes what was prepared; amend may add to the journal.
func (s *Store) apply(ctx context.Context, c *commit, amend func(*journal.Run) error) (*Result, error) {
	j, err := c.journal()
	if err == nil {
		err = ctx.Err()
	}
	if err != nil || j == nil {
		return &c.result, err
	}
	if amend != nil {
		if err := amend(j); err != nil {
			return nil, fmt.Errorf("apply %s: %w", c.runID, err)
		}
	}
	r := s.newRun(c.runID, j)
	r.pause, r.hurry = c.tx.Pause, ctx.Done
	if all := c.tx.Plan.Deferred; len(all) > s.Named {
		r.deferred = &journal.Deferred{RunID: c.runID, IDs: all}
	}
	c.index = nil
	if err := s.execute(ctx, r); err != nil {
		return nil, fmt.Errorf("apply %s: %w", c.runID, err)
	}
	c.cameTrue(r)
	return &c.result, nil
}

// inUTC is a time as the log writes it; the zero time stays zero.
func inUTC(at time.Time) time.Time {
	if at.IsZero() {
		return at
	}
	return at.UTC().Truncate(time.Second)
}

// prepare computes every file that the transaction changes. It writes nothing.
func (c *commit) prepare() error {
	plan := c.tx.Plan
	entry := &oplog.Entry{
		RunID: c.runID, Timestamp: plan.At, Trigger: plan.Trigger, Scope: plan.Scope, Types: plan.Types, Since: inUTC(plan.Since), Until: inUTC(plan.Until), Actor: c.actor, Machine: c.machine,
		Deferred: plan.Deferred[:min(len(plan.Deferred), c.named)], Status: oplog.Done, UndoOf: c.undoOf,
		Model: plan.Model,
	}
	if entry.Scope == "" {
		entry.Scope = "all"
	}
	var pairs []review.Pair
	var decisions []review.Decision
	for i := range plan.Actions {
		a := &plan.Actions[i]
		var refused *refusal
		if err := c.admit(i, a); errors.As(err, &refused) {
			for _, id := range a.Members() {
				c.skip(entry, memory.Skip{MemoryID: id, Rule: a.Rule, Reason: refused.reason, Detail: refused.why})
			}
			continue
		} else if err != nil {
			return err
		}
		pairs = append(pairs, a.Pairs...)
		decisions = append(decisions, a.Decisions...)
		c.result.Applied++
		c.done[i] = true
		c.add(entry, i, c.asLogged(a))
	}
	for _, sk := range plan.Refused {
		c.skip(entry, sk)
	}
	if err := c.render(); err != nil {
		return err
	}
	if c.exact != nil {
		c.exact()
	}
	if err := c.queueTakes(pairs, decisions); err != nil {
		return err
	}
	if err := c.edgesTake(); err != nil {
		return err
	}
	if c.tx.Snapshot != nil {
		if err := c.markSeen(); err != nil {
			return err
		}
	}
	if len(entry.Actions) == 0 || (c.tx.Save || c.undoOf != "") && c.result.Applied == 0 {
		return nil // a save that could not be made is tried again, and an undo that changes nothing is told to whoever asked
	}
	c.log(entry)
	return nil
}

// skip notes a memory that is left as it is.
func (c *commit) skip(entry *oplog.Entry, sk memory.Skip) {
	c.result.Skipped = append(c.result.Skipped, sk)
	entry.Actions = append(entry.Actions, oplog.Action{Type: oplog.Skip, Rule: sk.Rule, MemoryID: sk.MemoryID, Reason: sk.Reason, Detail: sk.Detail})
}

// log sums up the entry and hands it over.
func (c *commit) log(entry *oplog.Entry) {
	entry.Stats = oplog.Count(entry.Actions, len(c.tx.Plan.Deferred))
	entry.Stats.MemoriesSkipped += c.tx.Plan.LeftAlone()
	if len(c.tx.Plan.Skipped) > 0 {
		entry.Skipped = memory.CountSkips(c.tx.Plan.Skipped)
	}
	if !c.tx.Started.IsZero() {
		entry.DurationMS = time.Since(c.tx.Started).Milliseconds()
	}
	c.entry = entry
}

// queueTakes makes sure that the review queue can take the pairs.
func (c *commit) queueTakes(pairs []review.Pair, decisions []review.Decision) error {
	if len(pairs)+len(decisions) == 0 {
		return nil
	}
	doc, _, err := c.root.Read(memory.ReviewFile, maxSize)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if _, err := review.Patch(doc, pairs, decisions); err != nil {
		return fmt.Errorf("%s: %w", memory.ReviewFile, err)
	}
	return nil
}
