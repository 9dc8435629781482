// Package reviewing settles pairs of memories that wait for a person, as that person decides: one pair, several, or a group of pairs
// that differ in the same way.
package reviewing

import (
	"context"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/memoryd/memoryd/internal/app"
	"github.com/memoryd/memoryd/internal/fail"
	"github.com/memoryd/memoryd/internal/op/commit"
	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/review"
	"github.com/memoryd/memoryd/pkg/rules"
	"github.com/memoryd/memoryd/pkg/workspace"
)

// Verdicts besides those of [rules.Decide]: in each pair the one or the other stays.
const (
	KeepNewer = "keep_newer"
	KeepOlder = "keep_older"
	Keep      = "keep" // the one that is named
)

// Verdicts are all ways to decide.
var Verdicts = []string{review.KeepBoth, rules.VerdictMerge, rules.VerdictSupersede, review.Partly, KeepNewer, KeepOlder, Keep}

// Decision is what a person decided, and about what.
type Decision struct {
	IDs     []string // pairs, as [Pairs] finds them
	Group   string   // instead: a group, as [FindGroup] finds it
	Verdict string   // one of [Verdicts]
	Keep    string   // of the verdict keep: a memory by its id, or a conflict copy by its file
}

// Decided says what became of a decision.
type Decided struct {
	Pairs   []string // ids of those that were decided
	Settled []string // pairs that no longer wait, since another decision has changed one of the memories
	Results []*workspace.Result
	Left    int // pairs that wait still
}

// RunIDs are the runs by which it was decided, for undo.
func (d *Decided) RunIDs() []string {
	ids := []string{}
	for _, r := range d.Results {
		ids = append(ids, r.RunID)
	}
	return ids
}

// Commit makes actions true, which it has made of the workspace as it is; no result where there are none.
type Commit func(ctx context.Context, plan func(*memory.Snapshot) ([]memory.Action, error)) (*workspace.Result, error)

// Decide settles pairs. A memory that stands in several of them takes part in one transaction after the other. head is the head of the log.
// With an error, what was decided before it stays so.
func Decide(ctx context.Context, write Commit, settings config.Settings, head func() string, d Decision) (out Decided, err error) {
	if !slices.Contains(Verdicts, d.Verdict) {
		return out, fail.New(fail.ErrInvalid, "there is no decision %q: write one of %s", d.Verdict, strings.Join(Verdicts, ", "))
	}
	var waiting []review.Pair
	for first := true; first || len(waiting) > 0; first = false {
		var now []review.Pair
		result, err := write(ctx, func(snap *memory.Snapshot) (actions []memory.Action, err error) {
			open := snap.Open()
			if first {
				waiting, err = d.pairs(snap)
			} else {
				waiting = out.stillWaiting(waiting, open)
			}
			if err != nil {
				return nil, err
			}
			actions, now, waiting, err = Actions(snap, settings, head(), waiting, d.Verdict, d.Keep)
			out.Left = len(open) - len(now)
			return actions, err
		})
		if result != nil && result.RunID != "" {
			out.Results = append(out.Results, result)
		}
		if err == nil {
			err = commit.Conflict(result)
		}
		if err != nil {
			if len(out.Results) > 0 {
				err = fail.WithHint(err, "what was decided stays so: undo "+strings.Join(out.RunIDs(), ", undo ")+" takes it back; the other pairs still wait")
			}
			return out, err
		}
		for _, p := range now {
			out.Pairs = append(out.Pairs, p.ID())
		}
	}
	return out, nil
}

// stillWaiting are those of pairs that still wait. The others are settled.
func (d *Decided) stillWaiting(pairs, open []review.Pair) (waiting []review.Pair) {
	for _, p := range pairs {
		if slices.ContainsFunc(open, func(o review.Pair) bool { return o.ID() == p.ID() }) {
			waiting = append(waiting, p)
		} else {
			d.Settled = append(d.Settled, p.ID())
		}
	}
	return waiting
}

// pairs are those that a decision is about.
func (d *Decision) pairs(snap *memory.Snapshot) ([]review.Pair, error) {
	pairs, err := Pairs(Groups(snap, snap.Open()), d.IDs, d.Group)
	if err != nil {
		return nil, err
	}
	if d.Verdict != Keep {
		return pairs, nil
	}
	if len(pairs) == 1 {
		d.Keep = side(snap, pairs[0], d.Keep)
	}
	for _, p := range pairs {
		if d.Keep != p.A && d.Keep != p.B {
			return nil, fail.New(fail.ErrInvalid, "keep: %s is neither %s nor %s", d.Keep, p.A, p.B)
		}
	}
	return pairs, nil
}

// side is the side of a pair that is named: by its id, its place, or the name of its file.
func side(snap *memory.Snapshot, p review.Pair, name string) string {
	if name == p.A || name == p.B {
		return name
	}
	names := func(m *memory.Memory) bool {
		return m != nil && (name == m.Ref.String() || name == m.File || name == path.Base(m.File))
	}
	switch older, newer := snap.Sides(p); {
	case names(older):
		return p.A
	case names(newer):
		return p.B
	}
	return name
}

// Pairs finds the waiting pairs that are named by their own ids, by that of a memory that stands in one pair only, or by a group.
func Pairs(groups []Group, ids []string, group string) (pairs []review.Pair, err error) {
	if group != "" {
		if len(ids) > 0 {
			return nil, fail.New(fail.ErrInvalid, "name a group or pairs, not both")
		}
		g, err := FindGroup(groups, group)
		return g.Pairs, err
	}
	for _, id := range ids {
		p, err := findPair(groups, id)
		if err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(pairs, func(q review.Pair) bool { return q.ID() == p.ID() }) {
			pairs = append(pairs, p)
		}
	}
	return pairs, nil
}

func findPair(groups []Group, id string) (review.Pair, error) {
	var found []review.Pair
	var ids []string
	for _, g := range groups {
		for _, p := range g.Pairs {
			if p.ID() == id || p.A == id || p.B == id {
				found, ids = append(found, p), append(ids, p.ID())
			}
		}
	}
	switch len(found) {
	case 0:
		return review.Pair{}, fail.New(fail.ErrDecided, "%s: no such pair waits: it was decided, or one of its texts has changed", id)
	case 1:
		return found[0], nil
	}
	return review.Pair{}, fail.New(fail.ErrInvalid, "%s stands in %d pairs: name one of %s", id, len(found), app.First(ids, 10))
}

// FindGroup finds a group by its id, or by its number in the list.
func FindGroup(groups []Group, name string) (Group, error) {
	for i, g := range groups {
		if g.ID == name || strconv.Itoa(i+1) == name {
			return g, nil
		}
	}
	return Group{}, fail.New(fail.ErrDecided, "there is no group %s: its pairs may have changed", name)
}

// Actions builds the actions by which a person settles pairs in one transaction. Pairs whose memories an action before them changes are
// left: they are to be decided after it, if they wait still.
func Actions(snap *memory.Snapshot, settings config.Settings, logHead string, pairs []review.Pair, verdict, keep string) (actions []memory.Action, done, left []review.Pair, err error) {
	changed := map[string]bool{}
	for _, p := range pairs {
		if changed[p.A] || changed[p.B] {
			left = append(left, p)
			continue
		}
		verdict, keep := verdict, keep
		switch verdict {
		case KeepNewer:
			verdict, keep = Keep, p.B
		case KeepOlder:
			verdict, keep = Keep, p.A
		}
		a, err := rules.Decide(snap, rules.Request{Settings: settings, LogHead: logHead}, p, verdict, keep)
		if err != nil {
			return nil, nil, nil, &fail.Error{Err: err, Kind: fail.ErrInvalid, Code: fail.ExitError}
		}
		if len(a.Ops) > 0 {
			changed[p.A], changed[p.B] = true, true
		}
		actions, done = append(actions, a), append(done, p)
	}
	return actions, done, left, nil
}
