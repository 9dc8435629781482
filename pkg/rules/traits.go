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

// having is how many have a trait.
func having(trait traits, all []traits) (n int) {
	for _, t := range all {
		if t&trait != 0 {
			n++
		}
	}
	return n
}

// traitsOf are those of a memory that has these marks. Beside them its id, its times and
// its count of reads are looked at, and nothing else: an earlier plan may have found them.
func (p *planner) traitsOf(m *workspace.Memory, has marks) (t traits) {
	if has&markBound == 0 && !p.boundNow(m) {
		t |= free
	}
	if p.stale(m) || p.unreadButYoung(m) {
		t |= idle
	}
	if has&markLong != 0 && m.CreatedAt.Before(p.episode) {
		t |= episodic
	}
	if has&markPattern != 0 {
		t |= pattern
	}
	if has&markStanding != 0 {
		t |= standing
	}
	return t
}

// bound reports whether an exclusion may apply to m whatever the time, and boundNow whether
// one does now, or by its id. What both say no to is free; all else is looked at by excluded.
func (p *planner) bound(m *workspace.Memory) bool {
	switch {
	case m.Locked != "" || m.Protected || m.Priority == "critical" || len(m.PromotedTo) > 0,
		!p.Settings.Exclude.ConsentUser && !m.Consent && !differs(m.CreatedBy, "USER") && strings.EqualFold(strings.TrimSpace(m.CreatedBy), "USER"),
		m.Subtype != "" && strings.EqualFold(strings.TrimSpace(m.Subtype), "decision"):
		return true
	}
	for _, tag := range p.Settings.Exclude.Tags {
		if tagged(m, tag) {
			return true
		}
	}
	return false
}

func (p *planner) boundNow(m *workspace.Memory) bool {
	return m.UpdatedAt.Equal(p.now) || p.flaggedNow[m.ID] || p.repeats && p.Repeats(m.ID) ||
		!p.session() && (m.Born().IsZero() || m.Born().After(p.minAge))
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
