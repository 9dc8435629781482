package rules

import (
	"fmt"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/text"
)

// RuleWorking is the name of the rule that settles working memories.
const RuleWorking = "working"

// settling settles working memories: what is worth keeping becomes a long-term memory. The
// rest is archived at the end of the session; with the trigger "threshold", while the session
// goes on, only what has expired is.
var settling = rule{
	name: RuleWorking, runs: atSessionEnd, except: exceptions{byUse: true, sameSecond: true},
	does:    "at the end of a session keeps a working memory as a long-term one if it is worth it, and archives it otherwise",
	asks:    worthKeeping,
	moments: untimed, // a session has to end
	propose: proposeSettling,
}

// worthKeeping is what the rule asks of a working memory that outlives its session. The others are archived.
var worthKeeping = conditions{
	typeIs(memory.Working),
	{
		what: func(st *state, _ *memory.Memory) string {
			w := st.Settings.Working
			return fmt.Sprintf("importance > %g, or access_count >= %d, or priority high, or pinned (else it is archived at the session's end)", w.MinImportance, w.MinAccess)
		},
		met: func(st *state, m *memory.Memory) bool { return whyKept(st, m) != "" },
		is: func(_ *state, m *memory.Memory) string {
			importance := "none"
			if m.Importance != nil {
				importance = fmt.Sprintf("%g", *m.Importance)
			}
			return fmt.Sprintf("importance %s, access_count %d, priority %s", importance, m.AccessCount, or(m.Priority, "none"))
		},
	},
}

// proposeSettling proposes what becomes of each working memory.
func proposeSettling(p *proposer) {
	for _, m := range p.subjects {
		if m.Type != memory.Working || m.claimed || !p.admits(m) {
			continue
		}
		keep := p.rule.asks.hold(p.state, m.Memory) && !p.promoted(m.Memory)
		if !keep && p.Trigger == Threshold && !ttlPassed(p.state, m.Memory) {
			continue // its session goes on
		}
		if keep {
			if found := p.secretBefore(m); found != "" {
				p.skip(m.ID, ReasonSecret, found)
				continue
			}
		}
		p.change(m, func() (memory.Action, error) {
			if keep {
				return longTerm(p.state, m.Memory)
			}
			return p.toArchive(m.Memory, "working", worthless(p.state, m.Memory)), nil
		})
	}
}

// whyKept says why a working memory outlives its session, "" when it does not.
func whyKept(st *state, m *memory.Memory) string {
	w := st.Settings.Working
	switch {
	case m.Importance != nil && *m.Importance > w.MinImportance:
		return fmt.Sprintf("importance %g", *m.Importance)
	case m.AccessCount >= int64(w.MinAccess):
		return fmt.Sprintf("read %s", quantity(int(m.AccessCount), "time"))
	case m.Priority == "high":
		return "priority high"
	case m.Pinned():
		return "pinned"
	}
	return ""
}

func worthless(st *state, m *memory.Memory) string {
	if ttlPassed(st, m) {
		return lifetime(st, m)
	}
	if st.Settings.Layers.Enabled && st.promoted(m) {
		return "it lives on as " + strings.Join(m.PromotedTo, ", ")
	}
	return "the session has ended and nothing marks it as worth keeping"
}

// longTerm turns a working memory into a long-term one and archives it.
func longTerm(st *state, m *memory.Memory) (memory.Action, error) {
	if found := st.secretIn(m); found != "" {
		return memory.Action{}, secretError(found)
	}
	to := workedFor(st, m)
	id := memory.NewID(st.Snapshot, "working", m.ID, string(m.Digest()), to.String())
	kind := memory.Semantic
	switch s := strings.ToLower(strings.TrimSpace(m.Subtype)); s {
	case memory.Factual, memory.Procedural, memory.Episodic, memory.Semantic:
		kind = s
	}
	edits := append([]jsonedit.Edit{jsonedit.Set(jsonedit.Quote(id), "id"), jsonedit.Set(jsonedit.Quote(kind), "type")}, scopeEdits(to)...)
	kept, err := m.Edit(append(edits, jsonedit.Delete("ttl"), jsonedit.Set(jsonedit.Quote(m.ID), "promoted_from"), changedAt(st.At))...)
	if err != nil {
		return memory.Action{}, err
	}
	old, err := promotedTo(m, id)
	if err != nil {
		return memory.Action{}, err
	}
	return memory.Action{
		Action: oplog.Action{
			Type: oplog.Promote, Rule: RuleWorking, MemoryID: m.ID, ResultID: id,
			From: memory.Working, To: to.String(), Reason: memory.Working, Detail: whyKept(st, m),
		},
		Ops: []memory.Op{
			{Kind: memory.Create, ID: id, To: memory.Ref{File: st.files.Name(st.Dir(to), id)}, Raw: standalone(m, kept)},
			st.files.Archive(m, old),
		},
	}, nil
}

// workedFor is the scope in which a working memory lives on: its own, and for a
// session's the agent that wrote it, or the project it names, else everybody.
func workedFor(st *state, m *memory.Memory) memory.Scope {
	root := gjson.ParseBytes(m.Raw())
	if m.Scope.Kind != "session" && (m.Scope.Kind != "global" || root.Get("scope").Str != "") {
		return m.Scope
	}
	for _, agent := range []string{root.Get("agent_id").Str, m.Content().Get("agent_id").Str, m.CreatedBy} {
		if isAgent(st, agent) {
			return memory.Scope{Kind: "agent", ID: agent}
		}
	}
	for _, project := range []string{root.Get("project_id").Str, root.Get("project").Str, m.Content().Get("project").Str} {
		if project != "" {
			return memory.Scope{Kind: "project", ID: project}
		}
	}
	return memory.Global
}

// isAgent reports whether a name is that of an agent: it has a directory, a team
// in the settings, or the usual form PREFIX-123.
func isAgent(st *state, name string) bool {
	if name == "" {
		return false
	}
	for _, dir := range st.In("agents") {
		if text.SameName(dir, name) {
			return true
		}
	}
	if _, ok := st.Settings.Team(name); ok {
		return true
	}
	_, ok := config.PrefixTeam(name)
	return ok
}
