package rules

import (
	"slices"
	"time"

	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/workspace"
)

// stale reports whether m counts as stale: never read and at least
// archive.unread_after old, or last read more than archive.idle_after ago. Being
// restored from the archive counts as being read.
func (p *planner) stale(m *workspace.Memory) bool {
	if back, ok := p.broughtBack(m); ok {
		return back.Before(p.idle)
	}
	return p.unreadLong(m) || !m.LastAccessed.IsZero() && m.LastAccessed.Before(p.idle)
}

// broughtBack tells when m came back from the archive, if it has not been read since.
func (p *planner) broughtBack(m *workspace.Memory) (time.Time, bool) {
	if len(p.Restored) == 0 {
		return time.Time{}, false
	}
	back := p.Restored[m.ID]
	return back, back.After(m.LastAccessed)
}

func (p *planner) unreadLong(m *workspace.Memory) bool {
	return m.AccessCount == 0 && !m.Born().IsZero() && !m.Born().After(p.unread)
}

// neglect says why a memory counts as stale, or would if it were older.
func (p *planner) neglect(m *workspace.Memory) string {
	back, returned := p.broughtBack(m)
	switch {
	case returned && back.Before(p.idle):
		return "brought back " + age(p.At, back) + " ago and not read since"
	case !returned && p.unreadLong(m):
		return "never read in " + age(p.At, m.Born())
	case !returned && !m.LastAccessed.IsZero() && m.LastAccessed.Before(p.idle):
		return "last read " + age(p.At, m.LastAccessed) + " ago"
	}
	return "never read" // which the age exclusion keeps from counting
}

// archive proposes to move stale memories to the archive.
func (p *planner) archive() {
	p.toGo = make([]int32, 0, having(idle, p.traits))
	var doubtful []int32
	for i, t := range p.traits {
		if k := int32(i); t&idle != 0 && !p.claimed.has(k) {
			if p.toGo = append(p.toGo, k); t&free == 0 {
				doubtful = append(doubtful, k)
			}
		}
	}
	stay := p.refused(doubtful, workspace.RuleArchive)
	if len(stay) > 0 {
		p.toGo = slices.DeleteFunc(p.toGo, func(k int32) bool {
			stays := len(stay) > 0 && stay[0] == k
			if stays {
				stay = stay[1:]
			}
			return stays
		})
	}
	for _, k := range p.toGo {
		p.claimed.add(k)
	}
}

// unreadButYoung reports whether only the exclusion of young memories, or of those
// of unknown age, keeps an unread memory from being stale.
func (p *planner) unreadButYoung(m *workspace.Memory) bool {
	return m.AccessCount == 0 && (len(p.Restored) == 0 || p.Restored[m.ID].IsZero()) && (m.Born().IsZero() || m.Born().After(p.minAge)) &&
		!p.unread.Before(p.minAge)
}

func (p *planner) toArchive(m *workspace.Memory, rule, reason, detail string) workspace.Action {
	op := p.ArchiveOp(m, nil, p.files)
	return workspace.Action{
		Action: oplog.Action{Type: oplog.Archive, Rule: rule, MemoryID: m.ID, From: m.Ref.String(), To: op.To.File, Reason: reason, Detail: detail},
		Ops:    []workspace.Op{op},
	}
}
