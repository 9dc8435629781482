package rules

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

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
	if m.Born().IsZero() {
		return "unknown"
	}
	return age(p.At, m.Born())
}

// Reasons why a rule leaves a memory alone that it would otherwise change.
const (
	ReasonCritical   = "critical"             // priority critical
	ReasonProtected  = "protected"            // "protected": true
	ReasonUser       = "user_without_consent" // written by a person
	ReasonDecision   = "decision"             // semantic, subtype decision
	ReasonYoung      = "too_young"            // younger than exclude.min_age
	ReasonNoAge      = "age_unknown"          // neither created_at nor updated_at can be read
	ReasonNotUnique  = "id_not_unique"        // several memories have the id
	ReasonCopy       = memory.ReasonCopy      // a conflict copy of its file says otherwise
	ReasonConflict   = "conflict"             // a merge of two machines' edits left values to decide about
	ReasonLocked     = "repeated_key"         // the record can't be edited safely
	ReasonJustNow    = "just_changed"         // by a run at this very time
	ReasonUses       = "reads_unknown"        // a file that notes reads or gifts can't be read
	ReasonInReview   = "in_review"            // waits for a person's decision
	ReasonApart      = "kept_apart"           // a person decided that both stay, or undid their merge
	ReasonNoTeam     = "no_team"              // the agent's team isn't known
	ReasonStands     = "already_in_target"    // an equal memory stands there
	ReasonProposed   = "proposed"             // people were asked to accept it
	ReasonNoBranch   = "no_branch"            // there is no git that would carry a proposal
	ReasonSummary    = "no_faithful_summary"  // too few key terms kept, or not shorter
	ReasonBroken     = "cannot_edit"          // the edit was refused
	ReasonKept       = "cluster_summary"      // "memory enrich" keeps it
	ReasonDistinct   = "distinct_facts"       // two texts state different facts
	ReasonSuperseded = "superseded"           // a newer memory holds in its place
	ReasonSecret     = "secret"               // a memory that holds a secret is not spread
)

// quantity names a number of things.
func quantity(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// age is how long ago t was, in words.
func age(now, t time.Time) string {
	d := now.Sub(t)
	switch {
	case d < 0:
		return "created in the future"
	case d < 48*time.Hour:
		return strconv.Itoa(int(d.Hours())) + " h"
	}
	return strconv.Itoa(int(d.Hours()/24)) + " days"
}

// ago is how long ago something happened, in words; a zero time is never.
func ago(now, t time.Time) string {
	if t.IsZero() {
		return "never"
	}
	return age(now, t) + " ago"
}

// or gives text, or instead where it names nothing.
func or(text, instead string) string {
	if strings.Trim(text, "/ ") == "" {
		return instead
	}
	return text
}
