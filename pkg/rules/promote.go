package rules

import (
	"fmt"
	"strings"
	"time"

	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
	"github.com/memoryd/memoryd/pkg/oplog"
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

// promote proposes copies of useful patterns: from agent to team, from team to
// everybody.
func (p *planner) promote() {
	var standing map[string]string          // what a scope says already -> id
	var left map[string][]*workspace.Memory // archived ones by what they say
	for _, m := range p.live {
		if p.claimed[m.ID] {
			continue
		}
		if _, ok := p.pattern(m); !ok || p.promoted(m) || !p.admits(m, workspace.RulePromote) {
			continue
		}
		to, ok := p.above(m)
		if !ok {
			p.skip(m, workspace.RulePromote, ReasonNoTeam, noTeam(m.Scope.ID))
			continue
		}
		if standing == nil {
			standing, left = p.statements(), p.leftStatements()
		}
		key := statement(m, to)
		if id := standing[key]; id != "" {
			p.skip(m, workspace.RulePromote, ReasonStands, id+" in "+to.String()+" says the same")
			continue
		}
		if id := p.justLeft(left[statement(m, workspace.Global)], to); id != "" {
			p.skip(m, workspace.RulePromote, ReasonJustNow, id+" said the same in "+to.String()+" and was archived at this very time")
			continue
		}
		if found := p.holdsSecret(m); found != "" {
			p.skip(m, workspace.RulePromote, ReasonSecret, found)
			continue
		}
		a, err := p.promotion(m, to)
		if err != nil {
			p.skip(m, workspace.RulePromote, ReasonBroken, err.Error())
			continue
		}
		standing[key] = a.ResultID
		p.propose(a, 1)
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

// above is the scope that m rises to.
func (p *planner) above(m *workspace.Memory) (workspace.Scope, bool) {
	if m.Scope.Kind == "team" {
		return workspace.Global, true
	}
	team, ok := p.team(m.Scope.ID)
	return workspace.Scope{Kind: "team", ID: team}, ok
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

// statements collects what is said already, by scope.
func (p *planner) statements() map[string]string {
	out := map[string]string{}
	for _, m := range p.Memories {
		if m.Type != workspace.Procedural {
			continue // nothing else is promoted
		}
		if key := statement(m, m.Scope); out[key] == "" {
			out[key] = m.ID
		}
	}
	return out
}

// leftStatements collects what archived memories said, wherever they stood.
func (p *planner) leftStatements() map[string][]*workspace.Memory {
	out := map[string][]*workspace.Memory{}
	for _, m := range p.Archived {
		if m.Type == workspace.Procedural {
			key := statement(m, workspace.Global)
			out[key] = append(out[key], m)
		}
	}
	return out
}

// justLeft finds a memory that a run at this very time has archived out of a scope:
// whoever says the same takes its place by a later reading of the clock, if at all.
func (p *planner) justLeft(said []*workspace.Memory, scope workspace.Scope) string {
	for _, m := range said {
		from, ok := p.Origin(m)
		if !ok || !from.ArchivedAt.Equal(p.At.Truncate(time.Second)) {
			continue
		}
		stood, err := workspace.ParseRecords(from.Ref.File, m.Raw) // there the path may tell the scope
		if err == nil && len(stood) == 1 && stood[0].Scope.Kind == scope.Kind && strings.EqualFold(stood[0].Scope.ID, scope.ID) {
			return m.ID
		}
	}
	return ""
}

// statement identifies what a memory would say in a scope: equal ones need no
// second copy there.
func statement(m *workspace.Memory, in workspace.Scope) string {
	text := strings.Join(strings.Fields(strings.ToLower(m.Text())), " ")
	return strings.Join([]string{in.Kind, strings.ToLower(in.ID), m.Type, m.Subtype, text}, "\x00")
}

// promotion copies m into a wider scope. The original stays and points to the
// copy.
func (p *planner) promotion(m *workspace.Memory, to workspace.Scope) (workspace.Action, error) {
	id := workspace.NewID(p.Snapshot, "promote", m.ID, string(m.Digest()), to.String())
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
		jsonedit.Set(jsonedit.Quote(workspace.FormatTime(p.At)), "updated_at"),
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
