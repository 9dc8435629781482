package memory

import (
	"fmt"
	"strings"
	"time"

	"github.com/memoryd/memoryd/pkg/process"
	"github.com/memoryd/memoryd/pkg/text"
)

// Scope says for whom a memory is: everybody, or one team, agent, project or
// session.
type Scope struct {
	Kind string // global, team, agent, project, session
	ID   string // empty for global
}

// Global is the scope of memories that belong to everybody.
var Global = Scope{Kind: "global"}

// scopeDirs maps the directories of a workspace to kinds of scopes.
var scopeDirs = map[string]string{
	"teams": "team", "agents": "agent", "projects": "project", "sessions": "session",
}

// String gives the form of the command line: "global", "agent:DEV-001".
func (s Scope) String() string {
	if s.ID == "" {
		return s.Kind
	}
	return s.Kind + ":" + s.ID
}

// Dir is the directory of the scope where it has none yet, relative to the workspace. See [Snapshot.Dir].
func (s Scope) Dir() string {
	for dir, kind := range scopeDirs {
		if kind == s.Kind && s.ID != "" {
			return dir + "/" + FileName(s.ID)
		}
	}
	return "global"
}

// ParseScope reads the form of the command line. Unknown kinds, and kinds that
// need an ID without one, are errors.
func ParseScope(name string) (Scope, error) {
	kind, id, _ := strings.Cut(strings.TrimSpace(name), ":")
	switch kind {
	case "global":
		if id != "" {
			return Scope{}, fmt.Errorf("scope %q: global has no id: write \"global\"", name)
		}
		return Global, nil
	case "team", "agent", "project", "session":
		if id == "" {
			return Scope{}, fmt.Errorf("scope %q: which %s? write \"%s:NAME\"", name, kind, kind)
		}
		return Scope{Kind: kind, ID: text.Composed(id)}, nil
	}
	return Scope{}, fmt.Errorf("scope %q: want global, team:NAME, agent:NAME, project:NAME or session:NAME", name)
}

// ParseScopes reads the scope by which memories are chosen: one scope, or a kind alone, such as "agent", for all scopes of that kind.
func ParseScopes(name string) (Scope, error) {
	switch kind := strings.TrimSpace(name); kind {
	case "team", "agent", "project", "session":
		return Scope{Kind: kind}, nil
	}
	return ParseScope(name)
}

// Covers reports whether a scope that [ParseScopes] read is that of a memory, or the kind of it.
func (s Scope) Covers(of Scope) bool {
	return s.Kind == of.Kind && (s.ID == "" || text.SameName(s.ID, of.ID))
}

// Is reports whether two scopes are one: of a kind, and of one name.
func (s Scope) Is(other Scope) bool { return s.Kind == other.Kind && text.SameName(s.ID, other.ID) }

// ScopeOf derives the scope of a path; anything outside the scope
// directories is global.
func ScopeOf(file string) Scope {
	dir, rest, _ := strings.Cut(file, "/")
	if id, _, below := strings.Cut(rest, "/"); below {
		if kind, ok := scopeDirs[dir]; ok {
			return Scope{Kind: kind, ID: text.Composed(id)}
		}
	}
	return Global
}

// ScopeDir returns the scope directory of a file, "" when it is in none:
// the directories for which an index is made.
func ScopeDir(file string) string {
	parts := strings.SplitN(file, "/", 3)
	switch {
	case len(parts) >= 2 && (parts[0] == "global" || parts[0] == ArchiveDir):
		return parts[0]
	case len(parts) == 3 && scopeDirs[parts[0]] != "":
		return parts[0] + "/" + parts[1]
	}
	return ""
}

// Session is the work of an agent from its begin to its end: one that has begun, or
// whose end waits to be settled.
type Session struct {
	ID    string    `json:"session,omitempty"` // "" when only the agent is known
	Agent string    `json:"agent,omitempty"`
	Host  string    `json:"host,omitempty"` // the program that the agent runs in
	At    time.Time `json:"at"`             // when it began, or ended
	// Process is the process of the host. The session ends when that process does, even if no end was reported.
	Process process.ID `json:"process,omitzero"`

	State process.State `json:"-"` // of the process, when the session was read
	File  string        `json:"-"` // where it was read; "" if it was not
}

// Scope is the scope that names the session: its own, else its agent's.
func (s Session) Scope() *Scope {
	switch {
	case s.ID != "":
		return &Scope{Kind: "session", ID: s.ID}
	case s.Agent != "":
		return &Scope{Kind: "agent", ID: s.Agent}
	}
	return nil
}

// Open reports whether a session that has begun goes on: its process runs or, where that isn't known, it
// began less than idle before now.
func (s Session) Open(now time.Time, idle time.Duration) bool {
	return s.State == process.Running || s.State == process.Unknown && now.Sub(s.At) < idle
}

// Is reports whether two are of the same session: the same id, or the same agent
// where neither has one.
func (s Session) Is(other Session) bool {
	if s.ID != "" || other.ID != "" {
		return s.ID == other.ID
	}
	return text.SameName(s.Agent, other.Agent)
}
