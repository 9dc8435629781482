package rules

import (
	"slices"

	"github.com/memoryd/memoryd/pkg/memory"
)

// Condition is one thing that a rule asks of a memory, with the numbers.
type Condition struct {
	Met  bool   `json:"met"`
	What string `json:"condition"` // "access_count >= 5"
	Is   string `json:"is"`        // "3"
}

// Neighbour is a memory close to the explained one.
type Neighbour struct {
	MemoryID          string   `json:"memory_id"`
	TagOverlap        float64  `json:"tag_overlap"`
	ContentSimilarity float64  `json:"content_similarity"`
	Apart             string   `json:"apart,omitempty"` // what else keeps the two from being duplicates
	Differences       []string `json:"differences,omitempty"`
}

// conditions are what a rule asks of a memory. The plan and [Explain] go by the same ones.
type conditions []condition

// condition is one thing that a rule asks of a memory.
type condition struct {
	what func(*planner, *memory.Memory) string // "access_count >= 5"
	met  func(*planner, *memory.Memory) bool
	is   func(*planner, *memory.Memory) string // "3"
	when func(*planner, *memory.Memory) bool   // nil: always; else where it makes sense to ask
	skip bool                                  // a memory that doesn't meet it still takes part, and the plan notes why it is skipped
}

// hold reports whether a memory takes part in the rule.
func (cs conditions) hold(p *planner, m *memory.Memory) bool {
	return !slices.ContainsFunc(cs, func(c condition) bool { return !c.skip && !c.met(p, m) })
}

// explain lists the conditions with the values of a memory.
func (cs conditions) explain(p *planner, m *memory.Memory, _ []Neighbour) (all []Condition) {
	for _, c := range cs {
		if c.when == nil || c.when(p, m) {
			all = append(all, Condition{c.met(p, m), c.what(p, m), c.is(p, m)})
		}
	}
	return all
}

// always is a condition in words that are the same for all memories.
func always(what string) func(*planner, *memory.Memory) string {
	return func(*planner, *memory.Memory) string { return what }
}

// typeIs asks for a type.
func typeIs(kind string) condition {
	return condition{
		what: always("type is " + kind),
		met:  func(_ *planner, m *memory.Memory) bool { return m.Type == kind },
		is:   func(_ *planner, m *memory.Memory) string { return or(m.Type, "none") },
	}
}

func ageOf(p *planner, m *memory.Memory) string {
	if p.born(m).IsZero() {
		return "unknown"
	}
	return age(p.At, p.born(m))
}
