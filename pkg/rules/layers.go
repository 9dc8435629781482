package rules

import (
	"fmt"
	"slices"
	"strings"

	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/timestamp"
)

// nextLayer is the layer over each one: what is promoted becomes a memory of that type.
var nextLayer = map[string]string{memory.Working: memory.Semantic, memory.Semantic: memory.Episodic, memory.Episodic: memory.Procedural}

// RuleLayers is the name of the rule that lets memories rise as in MemoryKit.
const RuleLayers = "layers"

// rising lets memories rise as a cycle of MemoryKit does (seed 001): what a session works on becomes a fact, facts that hold
// or recur become events, and events that recur and succeed a procedure. Each rises by a copy, as with promotion; a memory
// rises by one layer in a run. The original stays for its lifetime.
var rising = rule{
	name: RuleLayers, runs: allRuns, except: exceptions{anyAge: true},
	does:    "lets working memories rise to facts, facts to events and events to procedures, each by a copy",
	optIn:   func(s *config.Settings) bool { return s.Layers.Enabled },
	asks:    layered,
	moments: layerMoments,
	propose: proposeLayers,
}

// layerMoments are those at which a memory is old enough for the next layer, and at which an event that failed no longer counts.
func layerMoments(st *state, m *memory.Memory) []moment {
	l := st.Settings.Layers
	switch {
	case !l.Enabled:
		return nil
	case m.Type == memory.Working:
		return []moment{{span: l.WorkingAge, from: m.Born(), more: true}}
	case m.Type == memory.Semantic:
		return []moment{{span: l.SemanticAge, from: factSince(m), more: true}}
	case m.Type == memory.Episodic:
		return []moment{{span: l.EpisodicWindow, from: m.Born()}}
	}
	return nil
}

// layered is what the rule asks of a memory.
var layered = conditions{
	{
		what: always("type is working, semantic or episodic"),
		met:  func(_ *state, m *memory.Memory) bool { return nextLayer[m.Type] != "" },
		is:   func(_ *state, m *memory.Memory) string { return or(m.Type, "none") },
	},
	{
		when: func(_ *state, m *memory.Memory) bool { return m.Type == memory.Working },
		what: func(st *state, _ *memory.Memory) string {
			w := st.Settings.Working
			return fmt.Sprintf("importance > %g, access_count >= %d, priority high, or older than %s", w.MinImportance, w.MinAccess, st.Settings.Layers.WorkingAge)
		},
		met: func(st *state, m *memory.Memory) bool { return m.Type != memory.Working || asFact(st, m) != "" },
		is: func(st *state, m *memory.Memory) string {
			return fmt.Sprintf("importance %s, access_count %d, priority %s, %s old", shareText(m.Importance), m.AccessCount, or(m.Priority, "none"), ageOf(st, m))
		},
	},
	{
		when: func(_ *state, m *memory.Memory) bool { return m.Type == memory.Semantic },
		what: func(st *state, _ *memory.Memory) string {
			l := st.Settings.Layers
			return fmt.Sprintf("confidence > %g and a fact for more than %s, or one of %d that are alike within %s", l.MinConfidence, l.SemanticAge, l.Recurring, l.SemanticWindow)
		},
		met: func(st *state, m *memory.Memory) bool { return m.Type != memory.Semantic || asEvent(st, m) != "" },
		is: func(st *state, m *memory.Memory) string {
			since := "unknown"
			if from := factSince(m); !from.IsZero() {
				since = age(st.At, from)
			}
			return fmt.Sprintf("confidence %s, a fact for %s, %s", shareText(m.Confidence), since, howOften(st, m))
		},
	},
	{
		when: func(_ *state, m *memory.Memory) bool { return m.Type == memory.Episodic },
		what: func(st *state, _ *memory.Memory) string {
			l := st.Settings.Layers
			return fmt.Sprintf("one of %d of one event_type, or that are alike, within %s, of whose outcomes more than %.0f %% are a success", l.Recurring, l.EpisodicWindow, l.Success*100)
		},
		met: func(st *state, m *memory.Memory) bool {
			return m.Type != memory.Episodic || st.recurring().of[m.ID].learnable(st.Settings.Layers.Success)
		},
		is: howOften,
	},
	{
		what: always("not promoted before, and nothing supersedes it"),
		met:  func(st *state, m *memory.Memory) bool { return !st.promoted(m) && len(m.SupersededBy) == 0 },
		is: func(_ *state, m *memory.Memory) string {
			return or(strings.Join(slices.Concat(m.PromotedTo, m.SupersededBy), ", "), "neither")
		},
	},
}

// proposeLayers proposes a copy of each memory that rises.
func proposeLayers(p *proposer) {
	for _, m := range p.subjects {
		if m.claimed || m.Type == memory.Episodic || !p.rule.asks.hold(p.state, m.Memory) || !mayLayer(p, m) {
			continue
		}
		to, why, edits := m.Scope, "", []jsonedit.Edit(nil)
		if m.Type == memory.Working {
			to, why, edits = workedFor(p.state, m.Memory), asFact(p.state, m.Memory), factEdits(p.state, m.Memory)
		} else {
			why = asEvent(p.state, m.Memory)
		}
		considerRise(p, []*subject{m}, to, why, edits)
	}
	for _, r := range p.recurring().groups {
		learn(p, r)
	}
}

// mayLayer reports whether a memory may be copied into the next layer, and notes in the plan when it may not.
func mayLayer(p *proposer, m *subject) bool {
	if !p.admits(m) {
		return false
	}
	found := p.secretBefore(m)
	if found != "" {
		p.skip(m.ID, ReasonSecret, found)
	}
	return found == ""
}

// asFact says why a working memory becomes a fact, "" when it doesn't.
func asFact(st *state, m *memory.Memory) string {
	if worth := whyKept(st, m); worth != "" {
		return worth
	}
	if born := m.Born(); !born.IsZero() && born.Before(st.Settings.Layers.WorkingAge.Before(st.At)) {
		return "older than " + st.Settings.Layers.WorkingAge.String()
	}
	return ""
}

// factEdits are what becomes of a working memory's fields: its ttl was that of the work, and its importance, with an addition, is how
// sure the fact is. Without an importance nothing is known of that.
func factEdits(st *state, m *memory.Memory) []jsonedit.Edit {
	edits := []jsonedit.Edit{jsonedit.Delete("ttl")}
	if m.Importance != nil {
		edits = append(edits, jsonedit.Set([]byte(shareText(oplog.Score(min(1, *m.Importance+st.Settings.Layers.Boost)))), "confidence"))
	}
	return edits
}

// asEvent says why a fact becomes an event, "" when it doesn't.
func asEvent(st *state, m *memory.Memory) string {
	l := st.Settings.Layers
	since := factSince(m)
	if m.Confidence != nil && *m.Confidence > l.MinConfidence && !since.IsZero() && since.Before(l.SemanticAge.Before(st.At)) {
		return fmt.Sprintf("confidence %g, a fact for more than %s", *m.Confidence, l.SemanticAge)
	}
	if r := st.recurring().of[m.ID]; r != nil && m.Type == memory.Semantic {
		return fmt.Sprintf("one of %d that are alike within %s", len(r.all), l.SemanticWindow)
	}
	return ""
}

// learn proposes the procedure that events have in common: what the newest of them says.
func learn(p *proposer, r *recurrence) {
	if r.members[0].Type != memory.Episodic || !r.learnable(p.Settings.Layers.Success) {
		return
	}
	members := slices.DeleteFunc(slices.Clone(r.members), func(m *subject) bool {
		return m.claimed || !p.rule.asks.hold(p.state, m.Memory) || !mayLayer(p, m)
	})
	if len(occurrences(p.state, members)) < p.Settings.Layers.Recurring {
		return
	}
	if most := p.Settings.Run.Limit; len(members) > most && most >= p.Settings.Layers.Recurring {
		members = members[:most] // what is learned of the newest stands for the others, too
	}
	newest := members[0]
	if known := learned(p.state, newest.Memory); known != nil {
		for _, m := range members {
			p.skip(m.ID, ReasonStands, known.ID+" is the procedure of it")
		}
		return
	}
	why := fmt.Sprintf("%d times within %s, %s", len(r.all), p.Settings.Layers.EpisodicWindow, r.success())
	considerRise(p, members, newest.Scope, why, procedureEdits(r))
}

// procedureEdits are what a procedure says of the events that it was learned from, by the names of seed 001.
func procedureEdits(r *recurrence) []jsonedit.Edit {
	stated, mean := r.outcomes()
	successes, failures := counts(stated, mean)
	edits := []jsonedit.Edit{
		jsonedit.Delete("ttl"), jsonedit.Delete("success"),
		jsonedit.Set(fmt.Append(nil, successes), "success_count"), jsonedit.Set(fmt.Append(nil, failures), "failure_count"),
		jsonedit.Set(fmt.Append(nil, len(r.all)), "occurrence_count"), jsonedit.Set([]byte(shareText(oplog.Score(mean))), "avg_success_rate"),
	}
	if kind := eventType(r.members[0].Memory); kind != "" {
		edits = append(edits, jsonedit.Set(jsonedit.Quote(kind+"_learned_pattern"), "pattern_name"))
	}
	if conditions := triggerConditions(r.all); conditions != nil {
		edits = append(edits, jsonedit.Set(conditions, "trigger_conditions"))
	}
	return edits
}

// considerRise proposes a copy of the first memory in the layer above, to which all of them point.
func considerRise(p *proposer, from []*subject, to memory.Scope, why string, edits []jsonedit.Edit) {
	p.consider(candidate{
		about: from, cost: len(from),
		build: func() (memory.Action, error) { return rise(p.state, from, to, why, edits) },
		refused: func(err error) {
			for _, m := range from {
				p.skip(m.ID, whyRefused(err), err.Error())
			}
		},
	})
}

// rise makes the action.
func rise(st *state, from []*subject, to memory.Scope, why string, edits []jsonedit.Edit) (memory.Action, error) {
	m, kind := from[0].Memory, nextLayer[from[0].Type]
	if found := st.secretIn(m); found != "" {
		return memory.Action{}, secretError(found)
	}
	id := memory.NewID(st.Snapshot, RuleLayers, m.ID, string(m.Digest()), kind, to.String())
	a := memory.Action{Action: oplog.Action{
		Type: oplog.Promote, Rule: RuleLayers, MemoryID: m.ID, ResultID: id, From: m.Type, To: kind, Detail: why,
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
		jsonedit.Set(jsonedit.Quote(timestamp.Format(st.At)), promotedAt),
		changedAt(st.At),
	)...)
	if err != nil {
		return memory.Action{}, err
	}
	a.Ops = []memory.Op{{Kind: memory.Create, ID: id, To: memory.Ref{File: st.files.Name(st.Dir(to), id)}, Raw: standalone(m, raw)}}
	for _, source := range from {
		linked, err := promotedTo(source.Memory, id)
		if err != nil {
			return memory.Action{}, err
		}
		a.Ops = append(a.Ops, memory.Op{Kind: memory.Put, ID: source.ID, Ref: source.Ref, Base: source.Digest(), Raw: linked})
	}
	return a, nil
}

// shareText writes a number from 0 to 1, and "none" for nothing.
func shareText(n *float64) string {
	if n == nil {
		return "none"
	}
	return fmt.Sprintf("%g", *n)
}
