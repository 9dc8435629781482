package memory

import (
	"time"

	"github.com/memoryd/memoryd/pkg/process"
	"github.com/memoryd/memoryd/pkg/text"
)

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
