package rules

import (
	"fmt"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/timestamp"
	"github.com/memoryd/memoryd/pkg/workspace"
)

// working settles the working memories of a session: what is worth keeping
// becomes a long-term memory, the rest is archived.
func (p *planner) working() {
	for i := range p.places {
		k := int32(i)
		m := p.at(k)
		if m.Type != workspace.Working || p.claimed.has(k) || !p.admits(k, workspace.RuleWorking) {
			continue
		}
		why := p.worthKeeping(m)
		keep := why != "" && !p.promoted(m)
		if keep && p.secretBefore(k) != "" {
			p.skip(m.ID, workspace.RuleWorking, ReasonSecret, p.holdsSecret(m))
			continue
		}
		p.consider(candidate{of: k, cost: 1, more: &wider{
			build: func() (workspace.Action, error) {
				if keep {
					if err := p.withoutSecret(m); err != nil {
						return workspace.Action{}, err
					}
					return p.longTerm(m, why)
				}
				return p.toArchive(m, workspace.RuleWorking, "working", p.worthless(m)), nil
			},
			refused: func(err error) { p.skip(m.ID, workspace.RuleWorking, whyRefused(err), err.Error()) },
		}})
	}
}

// worthKeeping says why a working memory outlives its session, "" when it does
// not.
func (p *planner) worthKeeping(m *workspace.Memory) string {
	w := p.Settings.Working
	switch {
	case m.Importance != nil && *m.Importance > w.MinImportance:
		return fmt.Sprintf("importance %g", *m.Importance)
	case m.AccessCount >= int64(w.MinAccess):
		return fmt.Sprintf("read %s", quantity(int(m.AccessCount), "time"))
	case m.Priority == "high":
		return "priority high"
	}
	return ""
}

func (p *planner) worthless(m *workspace.Memory) string {
	if expired(m, p.At) {
		return "ttl " + m.TTL + " has run out"
	}
	return "the session has ended and nothing marks it as worth keeping"
}

// expired reports whether a memory's ttl has run out. "permanent", null and what
// can't be read never do.
func expired(m *workspace.Memory, now time.Time) bool {
	if m.TTL == "" || strings.EqualFold(m.TTL, "permanent") || m.Born().IsZero() {
		return false
	}
	d, err := config.ParseDuration(m.TTL)
	return err == nil && m.Newest().Before(d.Before(now))
}

// longTerm turns a working memory into a long-term one and archives it.
func (p *planner) longTerm(m *workspace.Memory, why string) (workspace.Action, error) {
	to := p.workedFor(m)
	id := workspace.NewID(p.Snapshot, "working", m.ID, string(m.Digest()), to.String())
	kind := workspace.Semantic
	switch s := strings.ToLower(strings.TrimSpace(m.Subtype)); s {
	case workspace.Factual, workspace.Procedural, workspace.Episodic, workspace.Semantic:
		kind = s
	}
	scopeID := []byte("null")
	if to.ID != "" {
		scopeID = jsonedit.Quote(to.ID)
	}
	kept, err := m.Edit(
		jsonedit.Set(jsonedit.Quote(id), "id"),
		jsonedit.Set(jsonedit.Quote(kind), "type"),
		jsonedit.Set(jsonedit.Quote(to.Kind), "scope"),
		jsonedit.Set(scopeID, "scope_id"),
		jsonedit.Delete("ttl"),
		jsonedit.Set(jsonedit.Quote(m.ID), "promoted_from"),
		jsonedit.Set(jsonedit.Quote(timestamp.Format(p.At)), "updated_at"),
	)
	if err != nil {
		return workspace.Action{}, err
	}
	old, err := m.Edit(jsonedit.Set(link(m, "promoted_to", m.PromotedTo, id), "promoted_to"))
	if err != nil {
		return workspace.Action{}, err
	}
	return workspace.Action{
		Action: oplog.Action{
			Type: oplog.Promote, Rule: workspace.RuleWorking, MemoryID: m.ID, ResultID: id,
			From: workspace.Working, To: to.String(), Reason: workspace.Working, Detail: why,
		},
		Ops: []workspace.Op{
			{Kind: workspace.Create, ID: id, To: workspace.Ref{File: p.FreeFile(to.Dir(), id, p.files)}, Raw: standalone(m, kept)},
			p.ArchiveOp(m, old, p.files),
		},
	}, nil
}

// workedFor is the scope in which a working memory lives on: its own, and for a
// session's the agent that wrote it, or the project it names, else everybody.
func (p *planner) workedFor(m *workspace.Memory) workspace.Scope {
	root := gjson.ParseBytes(m.Raw())
	if m.Scope.Kind != "session" && (m.Scope.Kind != "global" || root.Get("scope").Str != "") {
		return m.Scope
	}
	for _, agent := range []string{root.Get("agent_id").Str, m.Content().Get("agent_id").Str, m.CreatedBy} {
		if p.isAgent(agent) {
			return workspace.Scope{Kind: "agent", ID: agent}
		}
	}
	for _, project := range []string{root.Get("project_id").Str, root.Get("project").Str, m.Content().Get("project").Str} {
		if project != "" {
			return workspace.Scope{Kind: "project", ID: project}
		}
	}
	return workspace.Global
}

// isAgent reports whether a name is that of an agent: it has a directory, a team
// in the settings, or the usual form PREFIX-123.
func (p *planner) isAgent(name string) bool {
	if name == "" {
		return false
	}
	for _, dir := range p.Agents {
		if strings.EqualFold(dir, name) {
			return true
		}
	}
	if _, ok := p.Settings.Team(name); ok {
		return true
	}
	_, ok := config.PrefixTeam(name)
	return ok
}
