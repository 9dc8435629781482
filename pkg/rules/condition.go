package rules

import (
	"slices"

	"github.com/memoryd/memoryd/pkg/memory"
)

// Condition is one thing that a rule asks of a memory, with the numbers.
type Condition struct {
	Met  bool   `json:"met"`
	What string `json:"condition" jsonschema:"'access_count >= 5'"`
	Is   string `json:"is" jsonschema:"'3'"`
}

// Neighbour is a memory close to the explained one.
type Neighbour struct {
	MemoryID          string   `json:"id"`
	TagOverlap        float64  `json:"tag_overlap"`
	ContentSimilarity float64  `json:"content_similarity"`
	Apart             string   `json:"apart,omitempty" jsonschema:"what else keeps the two from being duplicates"`
	Differences       []string `json:"differences,omitempty"`
}

// pairing is what a rule asks of a memory and those like it.
type pairing struct {
	what func(*state) string
	find func(st *state, m *memory.Memory, near []Neighbour) (met bool, is string)
}

// conditions are what a rule asks of a memory. The plan and [Explain] go by the same ones.
type conditions []condition

// condition is one thing that a rule asks of a memory.
type condition struct {
	what func(*state, *memory.Memory) string // "access_count >= 5"
	met  func(*state, *memory.Memory) bool
	is   func(*state, *memory.Memory) string // "3"
	when func(*state, *memory.Memory) bool   // nil: always; else where it makes sense to ask
	skip bool                                // a memory that doesn't meet it still takes part, and the plan notes why it is skipped
}

// hold reports whether a memory takes part in the rule.
func (cs conditions) hold(st *state, m *memory.Memory) bool {
	return !slices.ContainsFunc(cs, func(c condition) bool { return !c.skip && !c.met(st, m) })
}

// always is a condition in words that are the same for all memories.
func always(what string) func(*state, *memory.Memory) string {
	return func(*state, *memory.Memory) string { return what }
}

// typeIs asks for a type.
func typeIs(kind string) condition {
	return condition{
		what: always("type is " + kind),
		met:  func(_ *state, m *memory.Memory) bool { return m.Type == kind },
		is:   func(_ *state, m *memory.Memory) string { return or(m.Type, "none") },
	}
}

func ageOf(st *state, m *memory.Memory) string {
	if st.born(m).IsZero() {
		return "unknown"
	}
	return age(st.At, st.born(m))
}
