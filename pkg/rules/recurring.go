package rules

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/text"
)

// Recurring lists the memories that have a say in whether others of their layer recur, for the rule "layers", and the procedures that
// stand for them: what is in no common list has nothing to do with each other. It is nil where the rule is off.
func Recurring(s *memory.Snapshot, r Request) (lists [][]*memory.Memory) {
	st := newState(s, r)
	if !st.Settings.Layers.Enabled {
		return nil
	}
	st.cover()
	alike := searchRecurring(st, func(group []*subject) (taken []*subject) { return nil })
	for _, group := range append(alike, byEventType(st)...) {
		var list []*memory.Memory
		for _, m := range group {
			list = append(list, m.Memory)
			if known := learned(st, m.Memory); known != nil {
				list = append(list, known)
			}
		}
		lists = append(lists, list)
	}
	return lists
}

// recurring finds what recurs, once for a plan.
func (st *state) recurring() *recurrences {
	if st.recur != nil {
		return st.recur
	}
	st.recur = &recurrences{of: map[string]*recurrence{}}
	if st.subjects == nil {
		st.cover()
	}
	l := st.Settings.Layers
	groups := searchRecurring(st, func(group []*subject) (taken []*subject) {
		if len(occurrences(st, group)) < l.Recurring {
			return nil
		}
		return group
	})
	for _, group := range slices.Concat(groups, byEventType(st), merged(st)) {
		all := occurrences(st, group)
		if len(all) < l.Recurring || st.recur.of[group[0].ID] != nil {
			continue
		}
		slices.SortStableFunc(group, func(a, b *subject) int { return cmp.Or(compareAge(b.Memory, a.Memory), cmp.Compare(a.n, b.n)) })
		r := &recurrence{group, all}
		for _, m := range group {
			st.recur.of[m.ID] = r
		}
		st.recur.groups = append(st.recur.groups, r)
	}
	slices.SortFunc(st.recur.groups, func(a, b *recurrence) int { return cmp.Compare(a.members[0].n, b.members[0].n) })
	return st.recur
}

// searchRecurring finds facts that are alike, and events that name no type and are. What is taken is in no other group.
func searchRecurring(st *state, take func(group []*subject) (taken []*subject)) (groups [][]*subject) {
	return searchSimilar(st, search{
		kind: 'l', tags: 0, content: st.Settings.Layers.Similarity, block: func(m *memory.Memory) (block, bool) {
			b := block{kind: m.Type, subtype: text.FoldName(m.Subtype), scope: m.Scope.Kind, scopeID: m.Scope.ID}
			return b, mayRecur(st, m) && (m.Type == memory.Semantic || eventType(m) == "")
		},
	}, func(v *visit) ([]*subject, []*subject) {
		group := []*subject{v.of}
		for _, pair := range v.pairs {
			group = append(group, pair.subject)
		}
		return take(group), group
	})
}

// mayRecur reports whether a memory is young enough to count. One that has risen counts, too.
func mayRecur(st *state, m *memory.Memory) bool {
	return len(m.SupersededBy) == 0 && withinWindow(st, m)
}

// withinWindow reports whether a memory of a layer in which it matters what recurs is young enough for that.
func withinWindow(st *state, m *memory.Memory) bool {
	l := st.Settings.Layers
	window, ok := map[string]config.Duration{memory.Semantic: l.SemanticWindow, memory.Episodic: l.EpisodicWindow}[m.Type]
	return ok && m.Born().After(window.Before(st.At))
}

// occurrences are the members of a group, and those memories that count, too, and were merged into them.
func occurrences(st *state, group []*subject) (all []*memory.Memory) {
	for _, m := range group {
		all = append(all, m.Memory)
		for _, id := range m.Supersedes {
			for _, old := range st.Find(id) {
				if old.Archived && old.Type == m.Type && withinWindow(st, old) {
					all = append(all, old)
				}
			}
		}
	}
	return all
}

// merged lists the memories that others were merged into, each by itself: it may tell of all that recurs.
func merged(st *state) (groups [][]*subject) {
	for _, m := range st.subjects {
		if len(m.Supersedes) > 0 && mayRecur(st, m.Memory) && (m.Type == memory.Semantic || eventType(m.Memory) == "") {
			groups = append(groups, []*subject{m})
		}
	}
	return groups
}

// byEventType groups the events that name their type.
func byEventType(st *state) [][]*subject {
	type key struct {
		scope memory.Scope
		kind  string
	}
	return grouped(st.subjects, func(m *subject) (key, bool) {
		if m.Type != memory.Episodic || !mayRecur(st, m.Memory) {
			return key{}, false
		}
		k := key{m.Scope, text.FoldName(eventType(m.Memory))}
		return k, k.kind != ""
	})
}

// recurrence says how often what m says recurs, and with what success.
func howOften(st *state, m *memory.Memory) string {
	r := st.recurring().of[m.ID]
	if r == nil {
		return "it doesn't recur"
	}
	words := fmt.Sprintf("one of %d", len(r.all))
	if m.Type == memory.Episodic {
		words += ", " + r.success()
	}
	return words
}

// learned is a procedure that stands for events like m: of their type, or with the same words; nil for none.
func learned(st *state, m *memory.Memory) *memory.Memory {
	kind := eventType(m)
	for _, other := range st.Memories() {
		if other.Type != memory.Procedural || other.Scope != m.Scope {
			continue
		}
		if kind != "" && text.SameName(eventType(other), kind) || StatementHash(other) == hash64(statement(m)) && statement(other) == statement(m) {
			return other
		}
	}
	return nil
}
