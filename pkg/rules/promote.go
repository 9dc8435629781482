package rules

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/review"
	"github.com/memoryd/memoryd/pkg/text"
)

// RulePromote is the name of the rule that copies useful procedures into a wider scope.
const RulePromote = "promote"

var promoting = rule{
	name:    RulePromote,
	does:    "copies a procedure that is often read from its agent to the team, or from a team to everybody",
	asks:    useful,
	moments: untimed, // it has to be read
	propose: proposePromotions,
}

// useful is what the rule asks of a memory.
var useful = conditions{
	typeIs(memory.Procedural),
	{
		what: always("scope is agent or team"),
		met:  func(_ *state, m *memory.Memory) bool { return rises(m.Scope) },
		is:   func(_ *state, m *memory.Memory) string { return m.Scope.String() },
	},
	{
		when: func(_ *state, m *memory.Memory) bool { return rises(m.Scope) },
		what: func(st *state, m *memory.Memory) string {
			return fmt.Sprintf("access_count >= %d", readsToRise(st, m))
		},
		met: func(st *state, m *memory.Memory) bool { return m.AccessCount >= readsToRise(st, m) },
		is:  func(_ *state, m *memory.Memory) string { return fmt.Sprint(m.AccessCount) },
	},
	{
		skip: true,
		when: func(_ *state, m *memory.Memory) bool { return rises(m.Scope) },
		what: always("a scope above is known"),
		met:  func(st *state, m *memory.Memory) bool { _, ok := scopeAbove(st, m.Scope); return ok },
		is: func(st *state, m *memory.Memory) string {
			to, ok := scopeAbove(st, m.Scope)
			if !ok {
				return noTeam(m.Scope.ID)
			}
			return to.String()
		},
	},
	{
		skip: true,
		when: func(st *state, m *memory.Memory) bool {
			_, ok := scopeAbove(st, m.Scope)
			return rises(m.Scope) && ok && m.AccessCount >= readsToRise(st, m) && !st.promoted(m)
		},
		what: always("holds no secret"),
		met:  func(st *state, m *memory.Memory) bool { return st.secretIn(m) == "" },
		is:   func(st *state, m *memory.Memory) string { return or(st.secretIn(m), "none") },
	},
	{
		what: always("not promoted before"),
		met:  func(st *state, m *memory.Memory) bool { return !st.promoted(m) },
		is:   func(_ *state, m *memory.Memory) string { return or(strings.Join(m.PromotedTo, ", "), "never") },
	},
}

// proposePromotions proposes copies of useful procedures: from an agent to its team, from a team to
// everybody. What is said there already needs no second copy.
func proposePromotions(p *proposer) {
	takeAccepted(p)
	var said *statements
	for _, m := range p.subjects {
		if m.claimed || !p.rule.asks.hold(p.state, m.Memory) || !p.admits(m) {
			continue
		}
		to, ok := scopeAbove(p.state, m.Scope)
		if !ok {
			p.skip(m.ID, ReasonNoTeam, noTeam(m.Scope.ID))
			continue
		}
		if said == nil {
			said = newStatements(p.state)
		}
		if id := said.standing(m.Memory, to); id != "" {
			p.skip(m.ID, ReasonStands, id+" in "+to.String()+" says the same")
			continue
		}
		if p.Settings.Promote.Via == config.ViaNowhere {
			p.skip(m.ID, ReasonNoBranch, "promote.via is \"branch\", and the workspace lies in no git repository")
			continue
		}
		if d, ok := p.Review.Proposed(m.Memory, to); ok {
			p.skip(m.ID, ReasonProposed, d.B+" was proposed for "+to.String()+" by "+d.RunID)
			continue
		}
		if id := said.justArchived(m.Memory, to); id != "" && !p.Again {
			p.skip(m.ID, ReasonJustNow, id+" said the same in "+to.String()+" and was archived at this very time")
			continue
		}
		if found := p.secretBefore(m); found != "" {
			p.skip(m.ID, ReasonSecret, found)
			continue
		}
		said.promoted.add(m.Memory, to)
		p.change(m, func() (memory.Action, error) { return promotion(p.state, m.Memory, to) })
	}
}

// rises reports whether what is said in a scope may be promoted to another one.
func rises(from memory.Scope) bool { return from.Kind == "agent" || from.Kind == "team" }

// readsToRise is how often a memory has to be read to be promoted from its scope.
func readsToRise(st *state, m *memory.Memory) int64 {
	if m.Scope.Kind == "team" {
		return int64(st.Settings.Promote.GlobalAccess)
	}
	return int64(st.Settings.Promote.TeamAccess)
}

func noTeam(agent string) string {
	return fmt.Sprintf("the team of %s isn't known: name it under [teams] in memory.toml", agent)
}

// promoted reports whether m has been promoted already, to a memory that still
// exists, archived or not.
func (st *state) promoted(m *memory.Memory) bool {
	return slices.ContainsFunc(m.PromotedTo, func(id string) bool { return len(st.Find(id)) > 0 })
}

// scopeAbove is the scope that a memory of an agent or a team is promoted to.
func scopeAbove(st *state, from memory.Scope) (memory.Scope, bool) {
	if from.Kind == "team" {
		return memory.Global, true
	}
	to, known := st.above[from.ID]
	if !known {
		if team, ok := teamOf(st, from.ID); ok {
			to = memory.Scope{Kind: "team", ID: team}
		}
		st.above[from.ID] = to
	}
	return to, to.Kind != ""
}

// team names an agent's team: from the settings, else from the agent's profile,
// else from the prefix of its id. A directory of that name gives the spelling.
func teamOf(st *state, agent string) (string, bool) {
	team, ok := st.Settings.Team(agent)
	if !ok {
		team = st.Teams[text.FoldName(agent)]
	}
	if team == "" {
		team, _ = config.PrefixTeam(agent)
	}
	if team = strings.TrimSpace(team); team == "" {
		return "", false
	}
	if dir, ok := teamDir(st, team); ok {
		return dir, true
	}
	return strings.ReplaceAll(strings.ToLower(team), " ", "-"), true
}

// teamDir is how the directory of a team spells its name.
func teamDir(st *state, team string) (string, bool) {
	for _, dir := range st.In("teams") {
		if text.SameName(dir, team) {
			return dir, true
		}
	}
	return "", false
}

// promotion copies m into a wider scope, or proposes that, as the settings say.
func promotion(st *state, m *memory.Memory, to memory.Scope) (memory.Action, error) {
	detail := fmt.Sprintf("read %s", quantity(int(m.AccessCount), "time"))
	if st.Settings.Promote.Via == config.ViaBranch {
		return proposal(st, m, to, RulePromote, detail)
	}
	return copyTo(st, m, to, RulePromote, detail)
}

// ReasonAccepted is that of a promotion whose copy people have merged from a branch.
const ReasonAccepted = "accepted"

// PromoteTo builds the action by which somebody copies a memory into a wider scope, or with propose asks people to accept the copy. It
// asks neither how often the memory was read nor what type it is. Errors: the scope is no wider, the memory is not an agent's or team's,
// holds a secret or waits for a decision, or what it says stands in the scope already.
func PromoteTo(s *memory.Snapshot, r Request, id string, to memory.Scope, propose bool) (memory.Action, error) {
	st := newState(s, r)
	m := s.Live(id)
	if m == nil {
		return memory.Action{}, fmt.Errorf("%s is archived: restore it first", id)
	}
	if dir, ok := teamDir(st, to.ID); ok && to.Kind == "team" {
		to.ID = dir
	}
	if err := mayRise(st, m, to); err != nil {
		return memory.Action{}, fmt.Errorf("promote %s to %s: %w", id, to, err)
	}
	if propose {
		return proposal(st, m, to, memory.RuleManual, "")
	}
	return copyTo(st, m, to, memory.RuleManual, "")
}

// mayRise says why a memory can't be copied into a scope.
func mayRise(st *state, m *memory.Memory, to memory.Scope) error {
	switch {
	case !rises(m.Scope):
		return fmt.Errorf("it is of %s, and only what an agent or a team knows is promoted", m.Scope)
	case to != memory.Global && (to.Kind != "team" || m.Scope.Kind != "agent"):
		return fmt.Errorf("that is no wider than %s: promotion goes from an agent to a team or to global, and from a team to global", m.Scope)
	case len(st.Find(m.ID)) > 1:
		return errors.New("several memories have this id")
	case m.Conflicted || st.CopyOf(m.ID) != nil:
		return errors.New("it waits for a decision: see \"memory review\"")
	}
	says := statement(m)
	for _, other := range st.Memories() {
		if other.Scope == to && (slices.Contains(m.PromotedTo, other.ID) || statement(other) == says) {
			return fmt.Errorf("%s says it there already", other.ID)
		}
	}
	return nil
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
	st := newState(s, r)
	record, err = copyOf(st, m, d.B, to)
	return st.files.Name(st.Dir(to), d.B), append(record, '\n'), err == nil, err
}

// Accepted builds the actions that note in memories which of their proposed copies people have accepted.
func Accepted(s *memory.Snapshot, r Request) (actions []memory.Action) {
	st := newState(s, r)
	p := &proposer{newPlanner(st.cover()), &promoting}
	takeAccepted(p)
	for _, c := range p.candidates {
		if a, err := c.build(); err == nil {
			actions = append(actions, a)
		}
	}
	return actions
}

// takeAccepted proposes to note copies that people have accepted.
func takeAccepted(p *proposer) {
	for _, m := range p.subjects {
		if m.claimed {
			continue
		}
		for _, d := range p.Review.Proposals(m.ID) {
			c := p.Live(d.B)
			if c == nil || !slices.Contains(c.PromotedFrom, m.ID) || slices.Contains(m.PromotedTo, c.ID) || !p.admits(m) {
				continue
			}
			p.change(m, func() (memory.Action, error) { return accept(m.Memory, c, d) })
			break
		}
	}
}

// accept lets a memory point to a copy of it that people have accepted.
func accept(m, copied *memory.Memory, d review.Decision) (memory.Action, error) {
	raw, err := promotedTo(m, copied.ID)
	return memory.Action{
		Action: oplog.Action{
			Type: oplog.Promote, Rule: RulePromote, MemoryID: m.ID, ResultID: copied.ID, From: m.Scope.String(), To: copied.Scope.String(),
			Reason: ReasonAccepted, Detail: "proposed by " + d.RunID,
		},
		Ops: []memory.Op{{Kind: memory.Put, ID: m.ID, Ref: m.Ref, Base: m.Digest(), Raw: raw}},
	}, err
}
