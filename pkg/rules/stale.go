package rules

import (
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/workspace"
)

// stale says why m counts as stale, "" when it does not: never read and at least
// archive.unread_after old, or last read more than archive.idle_after ago. Being
// restored from the archive counts as being read.
func (p *planner) stale(m *workspace.Memory) string {
	a := p.Settings.Archive
	if back := p.Restored[m.ID]; back.After(m.LastAccessed) {
		// Somebody brought it back: that counts as a read.
		if back.Before(a.IdleAfter.Before(p.At)) {
			return "brought back " + age(p.At, back) + " ago and not read since"
		}
		return ""
	}
	if m.AccessCount == 0 && !m.Born().IsZero() && !m.Born().After(a.UnreadAfter.Before(p.At)) {
		return "never read in " + age(p.At, m.Born())
	}
	if !m.LastAccessed.IsZero() && m.LastAccessed.Before(a.IdleAfter.Before(p.At)) {
		return "last read " + age(p.At, m.LastAccessed) + " ago"
	}
	return ""
}

// archive proposes to move stale memories to the archive.
func (p *planner) archive() {
	for _, m := range p.live {
		if p.claimed[m.ID] {
			continue
		}
		why := p.stale(m)
		if why == "" && p.unreadButYoung(m) {
			why = "never read" // which the age exclusion below keeps from counting
		}
		if why == "" || !p.admits(m, workspace.RuleArchive) {
			continue
		}
		p.propose(p.toArchive(m, workspace.RuleArchive, "stale", why), 1)
	}
}

// unreadButYoung reports whether only the exclusion of young memories, or of those
// of unknown age, keeps an unread memory from being stale.
func (p *planner) unreadButYoung(m *workspace.Memory) bool {
	x, a := p.Settings.Exclude, p.Settings.Archive
	return m.AccessCount == 0 && p.Restored[m.ID].IsZero() && (m.Born().IsZero() || m.Born().After(x.MinAge.Before(p.At))) &&
		!a.UnreadAfter.Before(p.At).Before(x.MinAge.Before(p.At))
}

func (p *planner) toArchive(m *workspace.Memory, rule, reason, detail string) workspace.Action {
	op := p.ArchiveOp(m, nil, p.files)
	return workspace.Action{
		Action: oplog.Action{Type: oplog.Archive, Rule: rule, MemoryID: m.ID, From: m.Ref.String(), To: op.To.File, Reason: reason, Detail: detail},
		Ops:    []workspace.Op{op},
	}
}
