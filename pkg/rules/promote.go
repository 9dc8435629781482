package rules

import (
	"fmt"
	"strings"

	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/timestamp"
	"github.com/memoryd/memoryd/pkg/workspace"
)

// pattern reports whether m is one that may rise: procedural, of an agent or a
// team, and read at least least times.
func (p *planner) pattern(m *workspace.Memory) (least int64, ok bool) {
	switch m.Scope.Kind {
	case "agent":
		least = int64(p.Settings.Promote.TeamAccess)
	case "team":
		least = int64(p.Settings.Promote.GlobalAccess)
	default:
		return 0, false
	}
	return least, m.Type == workspace.Procedural && m.AccessCount >= least
}

// riser is a pattern that may rise, what it says, and where to; not known if nobody knows
// the team of its agent.
type riser struct {
	at    int32
	says  saying
	to    workspace.Scope
	known bool
}

// risers lists the patterns that nobody has claimed.
func (p *planner) risers(claimed bits) (all []riser) {
	all = make([]riser, 0, having(pattern, p.traits))
	var room workspace.Room
	for i, t := range p.traits {
		if k := int32(i); t&pattern != 0 && (claimed == nil || !claimed.has(k)) {
			says := p.saying(int(p.places[k]), &room)
			to, known := p.above(says.in)
			all = append(all, riser{k, says, to, known})
		}
	}
	return all
}

// promote proposes copies of useful patterns: from agent to team, from team to
// everybody. What is said there is asked for when one may rise.
func (p *planner) promote(risers []riser, sayings func() *sayings) {
	var room workspace.Room
	unknown := map[string]string{} // what is said of agents whose teams are
	for i := range risers {
		r := &risers[i]
		k, says, to := r.at, r.says, r.to
		if p.claimed.has(k) {
			continue
		}
		// What is free has not been promoted.
		if p.traits[k]&free == 0 && (p.promoted(p.glance(k, &room)) || !p.admits(k, workspace.RulePromote)) {
			continue
		}
		skip := func(reason, detail string) {
			sk := workspace.Skip{MemoryID: p.id(k), Rule: workspace.RulePromote, Reason: reason, Detail: detail}
			if p.repeats {
				p.note(sk)
			} else { // nobody else can have said so
				p.skipped = append(p.skipped, sk)
			}
		}
		if !r.known {
			why, ok := unknown[says.in.ID]
			if !ok {
				why = noTeam(says.in.ID)
				unknown[says.in.ID] = why
			}
			skip(ReasonNoTeam, why)
			continue
		}
		said := sayings()
		said.rising.expect(len(risers) - i)
		if id := said.standing(k, says, to); id != "" {
			skip(ReasonStands, id+" in "+to.String()+" says the same")
			continue
		}
		if id := said.justLeft(k, says, to); id != "" {
			skip(ReasonJustNow, id+" said the same in "+to.String()+" and was archived at this very time")
			continue
		}
		if found := p.secretBefore(k); found != "" {
			skip(ReasonSecret, found)
			continue
		}
		said.rising.add(k, says, to)
		p.consider(candidate{of: k, cost: 1})
	}
}

func noTeam(agent string) string {
	return fmt.Sprintf("the team of %s isn't known: name it under [teams] in memory.toml", agent)
}

// promoted reports whether m has been promoted already, to a memory that still
// exists, archived or not.
func (p *planner) promoted(m *workspace.Memory) bool {
	for _, id := range m.PromotedTo {
		if len(p.Find(id)) > 0 {
			return true
		}
	}
	return false
}

// above is the scope that a memory rises to from its own.
func (p *planner) above(from workspace.Scope) (workspace.Scope, bool) {
	if from.Kind == "team" {
		return workspace.Global, true
	}
	to, known := p.rise[from.ID]
	if !known {
		if team, ok := p.team(from.ID); ok {
			to = workspace.Scope{Kind: "team", ID: team}
		}
		p.rise[from.ID] = to
	}
	return to, to.Kind != ""
}

// team names an agent's team: from the settings, else from the agent's profile,
// else from the prefix of its id. A directory of that name gives the spelling.
func (p *planner) team(agent string) (string, bool) {
	team, ok := p.Settings.Team(agent)
	if !ok {
		team = p.Teams[strings.ToLower(agent)]
	}
	if team == "" {
		team, _ = config.PrefixTeam(agent)
	}
	if team = strings.TrimSpace(team); team == "" {
		return "", false
	}
	for _, dir := range p.TeamDirs {
		if strings.EqualFold(dir, team) {
			return dir, true
		}
	}
	return strings.ReplaceAll(strings.ToLower(team), " ", "-"), true
}

// promotion copies m into a wider scope. The original stays and points to the
// copy.
func (p *planner) promotion(m *workspace.Memory) (workspace.Action, error) {
	to, _ := p.above(m.Scope)
	id := p.risenID(m, to)
	scopeID := []byte("null")
	if to.ID != "" {
		scopeID = jsonedit.Quote(to.ID)
	}
	edits := []jsonedit.Edit{
		jsonedit.Set(jsonedit.Quote(id), "id"),
		jsonedit.Set(jsonedit.Quote(to.Kind), "scope"),
		jsonedit.Set(scopeID, "scope_id"),
		jsonedit.Delete("promoted_to"),
		jsonedit.Set(jsonedit.Quote(m.ID), "promoted_from"),
		jsonedit.Set(jsonedit.Quote(timestamp.Format(p.At)), "updated_at"),
	}
	if !m.HasTag("promoted") {
		edits = append(edits, appendTags(m, []string{"promoted"})...)
	}
	copied, err := m.Edit(edits...)
	if err != nil {
		return workspace.Action{}, err
	}
	original, err := m.Edit(jsonedit.Set(link(m, "promoted_to", m.PromotedTo, id), "promoted_to"))
	if err != nil {
		return workspace.Action{}, err
	}
	return workspace.Action{
		Action: oplog.Action{
			Type: oplog.Promote, Rule: workspace.RulePromote, MemoryID: m.ID, ResultID: id,
			From: m.Scope.String(), To: to.String(), Detail: fmt.Sprintf("read %s", quantity(int(m.AccessCount), "time")),
		},
		Ops: []workspace.Op{
			{Kind: workspace.Create, ID: id, To: workspace.Ref{File: p.FreeFile(to.Dir(), id, p.files)}, Raw: standalone(m, copied)},
			{Kind: workspace.Put, ID: m.ID, Ref: m.Ref, Base: m.Digest(), Raw: original},
		},
	}, nil
}

// risenID is the id of the copy of m in a wider scope.
func (p *planner) risenID(m *workspace.Memory, to workspace.Scope) string {
	return workspace.NewID(p.Snapshot, "promote", m.ID, string(m.Digest()), to.String())
}

// standalone gives the record of a new file: one that comes out of a collection
// loses the indentation it had there.
func standalone(m *workspace.Memory, raw []byte) []byte {
	if m.Whole() || !strings.Contains(string(raw), "\n") {
		return raw
	}
	return jsonedit.Indent(raw, "", "  ")
}

// quantity names a number of things.
func quantity(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
