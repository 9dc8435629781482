package app

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/text"
)

// Asked is an option that memories are chosen by, its value, and the values of a memory.
type Asked struct {
	Name, Value string
	Of          func(*memory.Memory) []string
}

// AskedType is a type of memories.
func AskedType(name, value string) Asked {
	return Asked{name, value, func(m *memory.Memory) []string { return []string{m.Type} }}
}

// AskedScope is a scope, or a kind of scopes, which no memory needs to have.
func AskedScope(name, value string) Asked {
	if !strings.Contains(value, ":") {
		value = ""
	}
	return Asked{name, value, func(m *memory.Memory) []string { return []string{m.Scope.String()} }}
}

// AskedAgent is who wrote a memory, or whose it is.
func AskedAgent(name, value string) Asked {
	return Asked{name, value, func(m *memory.Memory) []string {
		if m.Scope.Kind == "agent" {
			return []string{m.Scope.ID, m.CreatedBy}
		}
		return []string{m.CreatedBy}
	}}
}

// AskedTag is a tag.
func AskedTag(name, value string) Asked {
	return Asked{name, strings.TrimSpace(value), func(m *memory.Memory) []string { return m.Tags }}
}

// UnknownError is about a value of an option that no memory has.
type UnknownError struct {
	Name, Value string
	Hint        string // the nearest that one has, or what there is
}

func (e *UnknownError) Error() string { return fmt.Sprintf("%s: no memory has %q", e.Name, e.Value) }

// Unknown is about the first value of an option that no memory has, live or archived; nil where there is none, or memories have
// no values for it at all. Where nothing is found, it tells a slip from an empty answer.
func Unknown(snap *memory.Snapshot, options ...Asked) *UnknownError {
	for _, o := range options {
		if o.Value == "" {
			continue
		}
		values := o.values(snap)
		if len(values) == 0 || slices.ContainsFunc(values, func(v string) bool { return text.SameName(v, o.Value) }) {
			continue
		}
		hint := "there are " + strings.Join(values[:min(len(values), 10)], ", ")
		if len(values) > 10 {
			hint += ", …"
		}
		if near := Closest(o.Value, values); near != "" {
			hint = "did you mean " + o.Name + " " + near + "?"
		}
		return &UnknownError{o.Name, o.Value, hint}
	}
	return nil
}

// values are those that memories have, and for types those that the program knows.
func (o Asked) values(snap *memory.Snapshot) []string {
	known := map[string]bool{}
	if strings.TrimLeft(o.Name, "-") == "type" {
		for _, t := range memory.Types() {
			known[t] = true
		}
	}
	for _, ms := range [][]*memory.Memory{snap.Memories(), snap.Archived()} {
		for _, m := range ms {
			for _, v := range o.Of(m) {
				known[v] = true
			}
		}
	}
	delete(known, "")
	return slices.Sorted(maps.Keys(known))
}
