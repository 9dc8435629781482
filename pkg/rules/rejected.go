package rules

import (
	"slices"
	"strings"
	"time"

	"github.com/memoryd/memoryd/pkg/edgefile"
	"github.com/memoryd/memoryd/pkg/memory"
)

// Rejection says that a person decided against what a memory says.
type Rejection struct {
	Rejected string         // the id of the memory that said so
	Holds    *memory.Memory // a live one: what holds instead
	At       time.Time      // when it was decided; zero where nobody knows
}

// Evidence says so in words.
func (r Rejection) Evidence() string {
	when := ""
	if !r.At.IsZero() {
		when = " on " + r.At.Format(time.DateOnly)
	}
	return "rejected: a person decided against this" + when + ": " + r.Rejected + " said it, and " + r.Holds.ID + " holds instead"
}

// Rejected finds a person's decision against what a memory says, by another author too, and whatever its case, spacing and punctuation: a verdict in the
// review queue, a link, or a memory of a person that supersedes it. What holds instead is of the same scope, and says something else.
// A decision outranks age.
func Rejected(s *memory.Snapshot, m *memory.Memory) (r Rejection, ok bool) {
	var says []memory.Statement
	look := func(loser, winner string, at time.Time) bool {
		if loser == winner || m.ID == loser || m.ID == winner {
			return false
		}
		holds := holder(s, winner)
		if holds == nil || holds.ID == m.ID || holds.Scope != m.Scope || holds.Type != m.Type {
			return false
		}
		found := s.Find(loser)
		if len(found) != 1 || holder(s, loser) == found[0] {
			return false
		}
		if says == nil {
			says = memory.Statements(m)
		}
		if memory.SaysAgain(says, memory.Statements(found[0])) && !memory.SaysAgain(says, memory.Statements(holds)) {
			r, ok = Rejection{loser, holds, at}, true
		}
		return ok
	}
	for _, d := range slices.Backward(s.Review.Decided) {
		winner, stays := strings.CutPrefix(d.Verdict, verdictKeep)
		switch {
		case d.Verdict == VerdictSupersede:
			winner = d.B
		case !stays || winner != d.A && winner != d.B:
			continue
		}
		loser := d.A
		if winner == d.A {
			loser = d.B
		}
		if look(loser, winner, d.DecidedAt) {
			return r, true
		}
	}
	for _, e := range s.Links {
		if e.Settles() && look(e.To, e.From, time.Time{}) {
			return r, true
		}
	}
	for _, b := range s.Memories() {
		if b.Links == nil || !strings.EqualFold(strings.TrimSpace(b.CreatedBy), edgefile.User) {
			continue
		}
		for _, older := range memory.Stated(b).Supersedes {
			if look(older, b.ID, b.Newest()) {
				return r, true
			}
		}
	}
	return r, false
}

// verdictKeep begins the verdict that one of a pair stays; its id follows.
const verdictKeep = "keep "

// holder is the live memory that holds where one with an id stood: itself, or what supersedes it, at the end of all steps.
func holder(s *memory.Snapshot, id string) *memory.Memory {
	for met := map[string]bool{}; !met[id]; {
		met[id] = true
		found := s.Find(id)
		if len(found) == 0 {
			return nil
		}
		m := found[0]
		if len(m.SupersededBy) == 0 {
			if m.Archived {
				return nil
			}
			return m
		}
		id = m.SupersededBy[0]
	}
	return nil
}

// Newer are the ids of memories that seem to hold in place of one: pairs that wait for a person.
func Newer(s *memory.Snapshot, m *memory.Memory) (ids []string) {
	for _, p := range s.UndecidedOf(m) {
		if p.Reason == ReasonSupersede && p.A == m.ID && p.A != p.B {
			ids = append(ids, p.B)
		}
	}
	return ids
}

// Correction is what holds, for code that flags a memory that says again what was rejected.
func (r Rejection) Correction() Correction { return Correction{r.Holds, r.Evidence(), true} }
