package rules

import (
	"errors"
	"fmt"
	"slices"

	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/review"
)

// ReasonAccepted is that of a promotion whose copy people have merged from a branch.
const ReasonAccepted = "accepted"

// PromoteTo builds the action by which somebody copies a memory into a wider scope, or with propose asks people to accept the copy. It
// asks neither how often the memory was read nor what type it is. Errors: the scope is no wider, the memory is no agent's or team's,
// holds a secret or waits for a decision, or what it says stands in the scope already.
func PromoteTo(s *memory.Snapshot, r Request, id string, to memory.Scope, propose bool) (memory.Action, error) {
	p := newPlanner(s, r)
	m := s.Live(id)
	if m == nil {
		return memory.Action{}, fmt.Errorf("%s is archived: restore it first", id)
	}
	if dir, ok := p.teamDir(to.ID); ok && to.Kind == "team" {
		to.ID = dir
	}
	if err := p.mayRise(m, to); err != nil {
		return memory.Action{}, fmt.Errorf("promote %s to %s: %w", id, to, err)
	}
	if propose {
		return p.proposal(m, to, memory.RuleManual, "")
	}
	return p.copyTo(m, to, memory.RuleManual, "")
}

// mayRise says why a memory can't be copied into a scope.
func (p *planner) mayRise(m *memory.Memory, to memory.Scope) error {
	switch {
	case !rises(m.Scope):
		return fmt.Errorf("it is of %s, and only what an agent or a team knows is promoted", m.Scope)
	case to != memory.Global && (to.Kind != "team" || m.Scope.Kind != "agent"):
		return fmt.Errorf("that is no wider than %s: promotion goes from an agent to a team or to global, and from a team to global", m.Scope)
	case len(p.Find(m.ID)) > 1:
		return errors.New("several memories have this id")
	case m.Conflicted || p.CopyOf(m.ID) != nil:
		return errors.New("it waits for a decision: see \"memory review\"")
	}
	says := statement(m)
	for _, other := range p.Memories() {
		if other.Scope == to && (slices.Contains(m.PromotedTo, other.ID) || statement(other) == says) {
			return fmt.Errorf("%s says it there already", other.ID)
		}
	}
	return nil
}

// proposal asks people to accept a copy of m. It changes no memory.
func (p *planner) proposal(m *memory.Memory, to memory.Scope, rule, detail string) (memory.Action, error) {
	if found := p.secretIn(m); found != "" {
		return memory.Action{}, secretError(found)
	}
	id := copyID(p.Snapshot, m, to)
	return memory.Action{
		Action:    oplog.Action{Type: oplog.Propose, Rule: rule, MemoryID: m.ID, ResultID: id, From: m.Scope.String(), To: to.String(), Detail: detail},
		Decisions: []review.Decision{memory.NewProposal(m, id, to)},
	}, nil
}

// ProposedCopy is the file that a proposal adds to the workspace when people accept it, with the memory as it is now. ok is false
// where the proposal no longer holds: the memory says something else, or the copy is there.
func ProposedCopy(s *memory.Snapshot, r Request, d review.Decision) (file string, record []byte, ok bool, err error) {
	name, ok := d.Proposal()
	m := s.Live(d.A)
	if !ok || m == nil || len(s.Find(d.B)) > 0 {
		return "", nil, false, nil
	}
	to, err := memory.ParseScope(name)
	if err != nil {
		return "", nil, false, err
	}
	if now, ok := s.Review.Proposed(m, to); !ok || now.B != d.B {
		return "", nil, false, nil
	}
	p := newPlanner(s, r)
	record, err = p.copyOf(m, d.B, to)
	return p.files.Name(p.Dir(to), d.B), append(record, '\n'), err == nil, err
}

// Accepted builds the actions that note in memories which of their proposed copies people have accepted.
func Accepted(s *memory.Snapshot, r Request) (actions []memory.Action) {
	p := newPlanner(s, r)
	p.cover().takeAccepted()
	for _, c := range p.candidates {
		if a, err := c.build(); err == nil {
			actions = append(actions, a)
		}
	}
	return actions
}

// takeAccepted proposes to note copies that people have accepted.
func (p *planner) takeAccepted() {
	for _, m := range p.subjects {
		if m.claimed {
			continue
		}
		for _, d := range p.Review.Proposals(m.ID) {
			c := p.Live(d.B)
			if c == nil || !slices.Contains(c.PromotedFrom, m.ID) || slices.Contains(m.PromotedTo, c.ID) || !p.admits(m, memory.RulePromote) {
				continue
			}
			p.consider(candidate{
				about: []*subject{m}, cost: 1,
				build:   func() (memory.Action, error) { return accept(m.Memory, c, d) },
				refused: func(err error) { p.skip(m.ID, memory.RulePromote, whyRefused(err), err.Error()) },
			})
			break
		}
	}
}

// accept lets a memory point to a copy of it that people have accepted.
func accept(m, copied *memory.Memory, d review.Decision) (memory.Action, error) {
	raw, err := m.Edit(jsonedit.Set(link(m, "promoted_to", m.PromotedTo, copied.ID), "promoted_to"))
	return memory.Action{
		Action: oplog.Action{
			Type: oplog.Promote, Rule: memory.RulePromote, MemoryID: m.ID, ResultID: copied.ID, From: m.Scope.String(), To: copied.Scope.String(),
			Reason: ReasonAccepted, Detail: "proposed by " + d.RunID,
		},
		Ops: []memory.Op{{Kind: memory.Put, ID: m.ID, Ref: m.Ref, Base: m.Digest(), Raw: raw}},
	}, err
}
