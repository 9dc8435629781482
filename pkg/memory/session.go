package memory

import (
	"strings"
	"time"
)

// Session is the work of an agent from its begin to its end: one that has begun, or
// whose end waits to be settled.
type Session struct {
	ID    string    `json:"session,omitempty"` // "" when only the agent is known
	Agent string    `json:"agent,omitempty"`
	Host  string    `json:"host,omitempty"` // the program that the agent runs in
	At    time.Time `json:"at"`             // when it began, or ended

	File string `json:"-"` // where it was read; "" if it was not
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

// Is reports whether two are of the same session: the same id, or the same agent
// where neither has one.
func (s Session) Is(other Session) bool {
	if s.ID != "" || other.ID != "" {
		return s.ID == other.ID
	}
	return strings.EqualFold(s.Agent, other.Agent)
}
