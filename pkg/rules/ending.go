package rules

import (
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/text"
)

// Ending is the end of a session. It settles the working memories of the session;
// those of its agent, unless that one has another session open; and those in no
// scope, as in working/, when it was the last open session. The end of an agent's
// work without a session settles that agent's only; one that names neither settles
// all that belongs to no open session.
type Ending struct {
	Session memory.Session
	Open    []memory.Session // others that have begun and not ended
	Spared  map[string]bool  // ids of memories that somebody still works on
}

// settles reports whether a memory is one to settle.
func (e *Ending) settles(m *memory.Memory) bool {
	id, agent := e.Session.ID, e.Session.Agent
	ofOpen := func(o memory.Session) bool { return o.ID != "" && ofSession(m, o.ID) }
	ofBusy := func(o memory.Session) bool { return ofAgent(m, o.Agent) }
	switch {
	case m.Type != memory.Working, e.Spared[m.ID]:
		return false
	case id != "" && ofSession(m, id):
		return true
	case slices.ContainsFunc(e.Open, ofOpen), slices.ContainsFunc(e.Open, ofBusy):
		return false
	case id == "" && agent == "":
		return true
	case id != "" && SessionOf(m) != "":
		return false // of another session, that nobody has noted
	case ofAgent(m, agent):
		return true
	}
	return id != "" && m.Scope == memory.Global && len(e.Open) == 0
}

// ofSession reports whether a memory is a session's: of its scope, in its
// directory or file, or naming it.
func ofSession(m *memory.Memory, id string) bool {
	if m.Scope.Kind == "session" && text.SameName(m.Scope.ID, id) {
		return true
	}
	dir := memory.Scope{Kind: "session", ID: id}.Dir()
	return strings.HasPrefix(m.File, dir+"/") || m.File == dir+".json" || gjson.GetBytes(m.Raw(), "session_id").Str == id
}

// SessionOf names the session that a memory is of; "" for none.
func SessionOf(m *memory.Memory) string {
	if m.Scope.Kind == "session" {
		return m.Scope.ID
	}
	if rest, ok := strings.CutPrefix(m.File, "sessions/"); ok {
		name, _, _ := strings.Cut(rest, "/")
		return strings.TrimSuffix(name, ".json")
	}
	return gjson.GetBytes(m.Raw(), "session_id").Str
}

// ofAgent reports whether a memory is an agent's: of its scope, or of no narrower
// one and naming or written by it.
func ofAgent(m *memory.Memory, agent string) bool {
	switch {
	case agent == "":
		return false
	case m.Scope.Kind == "agent":
		return text.SameName(m.Scope.ID, agent)
	case m.Scope != memory.Global:
		return false
	}
	if named := gjson.GetBytes(m.Raw(), "agent_id").Str; named != "" {
		return text.SameName(named, agent)
	}
	return text.SameName(m.CreatedBy, agent)
}
