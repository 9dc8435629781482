package rules

import (
	"fmt"
	"slices"
	"strings"

	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/text"
)

// above is the layer over each one: what is promoted becomes a memory of that type.
var above = map[string]string{memory.Working: memory.Semantic, memory.Semantic: memory.Episodic, memory.Episodic: memory.Procedural}

// layered is what the rule "layers" asks of a memory.
var layered = conditions{
	{
		what: always("type is working, semantic or episodic"),
		met:  func(_ *planner, m *memory.Memory) bool { return above[m.Type] != "" },
		is:   func(_ *planner, m *memory.Memory) string { return or(m.Type, "none") },
	},
	{
		when: func(_ *planner, m *memory.Memory) bool { return m.Type == memory.Working },
		what: func(p *planner, _ *memory.Memory) string {
			w := p.Settings.Working
			return fmt.Sprintf("importance > %g, access_count >= %d, priority high, or older than %s", w.MinImportance, w.MinAccess, p.Settings.Layers.WorkingAge)
		},
		met: func(p *planner, m *memory.Memory) bool { return m.Type != memory.Working || p.asFact(m) != "" },
		is: func(p *planner, m *memory.Memory) string {
			return fmt.Sprintf("importance %s, access_count %d, priority %s, %s old", share(m.Importance), m.AccessCount, or(m.Priority, "none"), ageOf(p, m))
		},
	},
	{
		when: func(_ *planner, m *memory.Memory) bool { return m.Type == memory.Semantic },
		what: func(p *planner, _ *memory.Memory) string {
			l := p.Settings.Layers
			return fmt.Sprintf("confidence > %g and older than %s, or one of %d that are alike within %s", l.MinConfidence, l.SemanticAge, l.Recurring, l.SemanticWindow)
		},
		met: func(p *planner, m *memory.Memory) bool { return m.Type != memory.Semantic || p.asEvent(m) != "" },
		is: func(p *planner, m *memory.Memory) string {
			return fmt.Sprintf("confidence %s, %s old, %s", share(m.Confidence), ageOf(p, m), p.recurrence(m))
		},
	},
	{
		when: func(_ *planner, m *memory.Memory) bool { return m.Type == memory.Episodic },
		what: func(p *planner, _ *memory.Memory) string {
			l := p.Settings.Layers
			return fmt.Sprintf("one of %d of one event_type, or that are alike, within %s, of whose outcomes more than %.0f %% are a success", l.Recurring, l.EpisodicWindow, l.Success*100)
		},
		met: func(p *planner, m *memory.Memory) bool {
			return m.Type != memory.Episodic || p.recurring().of[m.ID].learnable(p)
		},
		is: (*planner).recurrence,
	},
	{
		what: always("not promoted before, and nothing supersedes it"),
		met:  func(p *planner, m *memory.Memory) bool { return !p.promoted(m) && len(m.SupersededBy) == 0 },
		is: func(_ *planner, m *memory.Memory) string {
			return or(strings.Join(slices.Concat(m.PromotedTo, m.SupersededBy), ", "), "neither")
		},
	},
}

// layers lets memories rise as a cycle of MemoryKit does (seed 001): what a session works on becomes a fact, facts that hold
// or recur become events, and events that recur and succeed a procedure. Each rises by a copy, as with promotion; a memory
// rises by one layer in a run. The original stays for its lifetime.
func (p *planner) layers() {
	for _, m := range p.subjects {
		if m.claimed || m.Type == memory.Episodic || !layered.hold(p, m.Memory) || !p.mayLayer(m) {
			continue
		}
		to, why, edits := m.Scope, "", []jsonedit.Edit(nil)
		if m.Type == memory.Working {
			to, why, edits = p.workedFor(m.Memory), p.asFact(m.Memory), p.factEdits(m.Memory)
		} else {
			why = p.asEvent(m.Memory)
		}
		p.considerRise([]*subject{m}, to, why, edits)
	}
	for _, r := range p.recurring().groups {
		p.learn(r)
	}
}

// mayLayer reports whether a memory may be copied into the next layer, and notes in the plan when it may not.
func (p *planner) mayLayer(m *subject) bool {
	if !p.admits(m, memory.RuleLayers) {
		return false
	}
	found := p.secretBefore(m)
	if found != "" {
		p.skip(m.ID, memory.RuleLayers, ReasonSecret, found)
	}
	return found == ""
}

// asFact says why a working memory becomes a fact, "" when it doesn't.
func (p *planner) asFact(m *memory.Memory) string {
	if worth := p.worth(m); worth != "" {
		return worth
	}
	if born := m.Born(); !born.IsZero() && born.Before(p.Settings.Layers.WorkingAge.Before(p.At)) {
		return "older than " + p.Settings.Layers.WorkingAge.String()
	}
	return ""
}

// factEdits are what becomes of a working memory's fields: its ttl was that of the work, and its importance, with an addition, is how
// sure the fact is. Without an importance nothing is known of that.
func (p *planner) factEdits(m *memory.Memory) []jsonedit.Edit {
	edits := []jsonedit.Edit{jsonedit.Delete("ttl")}
	if m.Importance != nil {
		edits = append(edits, jsonedit.Set([]byte(share(round(min(1, *m.Importance+p.Settings.Layers.Boost)))), "confidence"))
	}
	return edits
}

// asEvent says why a fact becomes an event, "" when it doesn't.
func (p *planner) asEvent(m *memory.Memory) string {
	l := p.Settings.Layers
	born := m.Born()
	if m.Confidence != nil && *m.Confidence > l.MinConfidence && !born.IsZero() && born.Before(l.SemanticAge.Before(p.At)) {
		return fmt.Sprintf("confidence %g, older than %s", *m.Confidence, l.SemanticAge)
	}
	if r := p.recurring().of[m.ID]; r != nil && m.Type == memory.Semantic {
		return fmt.Sprintf("one of %d that are alike within %s", len(r.all), l.SemanticWindow)
	}
	return ""
}

// learn proposes the procedure that events have in common: what the newest of them says.
func (p *planner) learn(r *recurrence) {
	if r.members[0].Type != memory.Episodic || !r.learnable(p) {
		return
	}
	members := slices.DeleteFunc(slices.Clone(r.members), func(m *subject) bool {
		return m.claimed || !layered.hold(p, m.Memory) || !p.mayLayer(m)
	})
	if len(p.occurrences(members)) < p.Settings.Layers.Recurring {
		return
	}
	if most := p.Settings.Run.Limit; len(members) > most && most >= p.Settings.Layers.Recurring {
		members = members[:most] // what is learned of the newest stands for the others, too
	}
	newest := members[0]
	if known := p.learned(newest.Memory); known != nil {
		for _, m := range members {
			p.skip(m.ID, memory.RuleLayers, ReasonStands, known.ID+" is the procedure of it")
		}
		return
	}
	successes, failures := r.outcomes()
	why := fmt.Sprintf("%d times within %s, %d of %d with success", len(r.all), p.Settings.Layers.EpisodicWindow, successes, successes+failures)
	p.considerRise(members, newest.Scope, why, []jsonedit.Edit{
		jsonedit.Delete("ttl"), jsonedit.Delete("success"),
		jsonedit.Set(fmt.Append(nil, successes), "success_count"), jsonedit.Set(fmt.Append(nil, failures), "failure_count"),
	})
}

// learned is a procedure that stands for events like m: of their type, or with the same words; nil for none.
func (p *planner) learned(m *memory.Memory) *memory.Memory {
	kind := eventType(m)
	for _, other := range p.Memories() {
		if other.Type != memory.Procedural || other.Scope != m.Scope {
			continue
		}
		if kind != "" && text.SameName(eventType(other), kind) || StatementHash(other) == hash64(statement(m)) && statement(other) == statement(m) {
			return other
		}
	}
	return nil
}

// considerRise proposes a copy of the first memory in the layer above, to which all of them point.
func (p *planner) considerRise(from []*subject, to memory.Scope, why string, edits []jsonedit.Edit) {
	p.consider(candidate{
		about: from, cost: len(from),
		build: func() (memory.Action, error) { return p.rise(from, to, why, edits) },
		refused: func(err error) {
			for _, m := range from {
				p.skip(m.ID, memory.RuleLayers, whyRefused(err), err.Error())
			}
		},
	})
}

// rise makes the action.
func (p *planner) rise(from []*subject, to memory.Scope, why string, edits []jsonedit.Edit) (memory.Action, error) {
	m, kind := from[0].Memory, above[from[0].Type]
	if found := p.secretIn(m); found != "" {
		return memory.Action{}, secretError(found)
	}
	id := memory.NewID(p.Snapshot, memory.RuleLayers, m.ID, string(m.Digest()), kind, to.String())
	a := memory.Action{Action: oplog.Action{
		Type: oplog.Promote, Rule: memory.RuleLayers, MemoryID: m.ID, ResultID: id, From: m.Type, To: kind, Detail: why,
	}}
	sources := make([]string, len(from))
	for i, source := range from {
		sources[i] = source.ID
	}
	origin := jsonedit.Quote(m.ID)
	if len(from) > 1 {
		a.MemoryIDs, origin = sources, jsonedit.Strings(sources)
	}
	if to != m.Scope {
		edits = append(edits, scopeEdits(to)...)
	}
	raw, err := m.Edit(append(edits,
		jsonedit.Set(jsonedit.Quote(id), "id"),
		jsonedit.Set(jsonedit.Quote(kind), "type"),
		jsonedit.Delete("promoted_to"),
		jsonedit.Set(origin, "promoted_from"),
		changedAt(p.At),
	)...)
	if err != nil {
		return memory.Action{}, err
	}
	a.Ops = []memory.Op{{Kind: memory.Create, ID: id, To: memory.Ref{File: p.files.Name(p.Dir(to), id)}, Raw: standalone(m, raw)}}
	for _, source := range from {
		linked, err := promotedTo(source.Memory, id)
		if err != nil {
			return memory.Action{}, err
		}
		a.Ops = append(a.Ops, memory.Op{Kind: memory.Put, ID: source.ID, Ref: source.Ref, Base: source.Digest(), Raw: linked})
	}
	return a, nil
}

// share writes a number from 0 to 1, and "none" for nothing.
func share(n *float64) string {
	if n == nil {
		return "none"
	}
	return fmt.Sprintf("%g", *n)
}
