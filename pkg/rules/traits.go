package rules

import (
	"strings"

	"github.com/memoryd/memoryd/pkg/workspace"
)

// traits are what the rules ask of every memory, in a byte: so most memories of a large
// workspace are passed over without being looked at again.
type traits uint8

const (
	free     traits = 1 << iota // no exclusion applies, whatever the rule
	idle                        // stale, or kept from it by its age only
	episodic                    // old enough to be summarised, and longer than it may be
	pattern                     // may rise
	standing                    // see stands
)

// traitsOf looks at a memory.
func (p *planner) traitsOf(m *workspace.Memory) (t traits) {
	if p.unbound(m) {
		t |= free
	}
	if p.stale(m) || p.unreadButYoung(m) {
		t |= idle
	}
	switch m.Type {
	case workspace.Episodic:
		if !m.CreatedAt.IsZero() && m.CreatedAt.Before(p.episode) {
			if _, ok := p.verbose(m); ok {
				t |= episodic
			}
		}
	case workspace.Procedural:
		if _, ok := p.pattern(m); ok {
			t |= pattern
		}
		if stands(m) {
			t |= standing
		}
	}
	return t
}

// unbound reports whether no exclusion can apply to m. What it says no to is looked at
// by excluded.
func (p *planner) unbound(m *workspace.Memory) bool {
	switch {
	case m.Locked != "" || m.Protected || m.Priority == "critical" || p.Repeats(m.ID),
		m.UpdatedAt.Equal(p.now) || len(m.PromotedTo) > 0 || p.flaggedNow[m.ID],
		!p.Settings.Exclude.ConsentUser && !m.Consent && !differs(m.CreatedBy, "USER") && strings.EqualFold(strings.TrimSpace(m.CreatedBy), "USER"):
		return false
	case !p.session() && (m.Born().IsZero() || m.Born().After(p.minAge)):
		return false
	case m.Subtype != "" && strings.EqualFold(strings.TrimSpace(m.Subtype), "decision"):
		return false
	}
	for _, tag := range p.Settings.Exclude.Tags {
		if tagged(m, tag) {
			return false
		}
	}
	return true
}

// tagged is m.HasTag(tag), which it asks when a tag may be that one: two that begin with
// different letters are not.
func tagged(m *workspace.Memory, tag string) bool {
	for _, t := range m.Tags {
		if differs(t, tag) {
			continue
		}
		return m.HasTag(tag)
	}
	return false
}

// differs reports whether the first characters tell that two words differ, whatever
// their case and the space around the first.
func differs(a, b string) bool {
	if a == "" || b == "" || !letter(a[0]) || !letter(b[0]) {
		return false
	}
	return (a[0]^b[0])&^0x20 != 0
}

func letter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }
