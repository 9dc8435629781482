package retention

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/memory"
)

// Score is how much a memory still matters, by part. All are within 0 and 1.
type Score struct {
	Score      float64 `json:"score"`
	Tier       Tier    `json:"tier"`
	Recency    float64 `json:"recency"`
	Activation float64 `json:"activation"`
	Importance float64 `json:"importance"`
	Superseded bool    `json:"superseded" jsonschema:"another memory holds instead"`
	Partly     bool    `json:"superseded_in_part,omitempty"`
}

// Of computes the score of a memory at a time.
func Of(m *memory.Memory, at time.Time, s config.Settings) Score {
	r := s.Retention
	out := Score{
		Recency:    recency(m, at, r),
		Activation: activation(m.AccessCount, r),
		Importance: importance(m, s),
		Superseded: len(m.SupersededBy) > 0,
	}
	_, part := memory.ReplacedBy(m)
	out.Partly = len(part) > 0
	score := r.RecencyWeight*out.Recency + r.ActivationWeight*out.Activation + r.ImportanceWeight*out.Importance
	if out.Superseded {
		share := r.SupersededFactor
		if out.Partly {
			share = r.PartialFactor
		}
		score = share * within(score-r.SupersessionWeight*supersededPenalty)
	}
	out.Score = within(score)
	out.Tier = TierOf(out.Score, r)
	if m.Pinned() && !out.Superseded {
		out.Tier = Hot
	}
	return out
}

// supersededPenalty is what being superseded counts as, before its weight.
const supersededPenalty = 0.7

// within keeps a number between 0 and 1; NaN is 0.
func within(x float64) float64 {
	if !(x > 0) {
		return 0
	}
	return min(x, 1)
}

// recency is 1 for a memory of this moment and half of it after each half-life.
func recency(m *memory.Memory, at time.Time, r config.Retention) float64 {
	last := m.Born()
	if r.RecencyFrom == "used" {
		last = used(m)
	}
	if last.IsZero() {
		return 0
	}
	age := max(at.Sub(last), 0)
	return math.Exp2(-age.Seconds() / r.HalfLife.Clock().Seconds())
}

// used is when somebody last wrote or read a memory. That a run has shortened or
// copied it is neither.
func used(m *memory.Memory) time.Time {
	last := m.Born()
	if m.UpdatedAt.After(last) && !m.HasTag("summarized") && !m.HasTag("promoted") {
		last = m.UpdatedAt
	}
	if m.LastAccessed.After(last) {
		last = m.LastAccessed
	}
	return last
}

func activation(reads int64, r config.Retention) float64 {
	n := float64(max(reads, 0))
	if r.Activation == "ln" {
		return within((math.Log(n) + 1) / 5)
	}
	return within(math.Log1p(n) / math.Log1p(float64(r.ActivationFull)))
}

// unstated is the importance of a memory that says nothing of it.
const unstated = 0.5

func importance(m *memory.Memory, s config.Settings) float64 {
	stated := unstated
	switch {
	case m.Importance != nil:
		stated = within(*m.Importance)
	case m.Priority == "high":
		stated = 0.8
	case m.Priority == "low":
		stated = 0.2
	}
	if s.Retention.Importance == "mean" {
		return (stated + kindWeight(m.Subtype)) / 2
	}
	return max(stated, leastImportance(m, s))
}

// leastImportance is that of a memory of its kind, whatever it states.
func leastImportance(m *memory.Memory, s config.Settings) float64 {
	switch {
	case m.Priority == "critical", m.Protected, slices.ContainsFunc(s.Exclude.Tags, m.HasTag):
		return 1
	case strings.EqualFold(m.Type, memory.Semantic) && strings.EqualFold(strings.TrimSpace(m.Subtype), "decision"):
		return 0.9
	case m.Priority == "high":
		return 0.8
	}
	return 0
}

// kindWeight is subcog's weight of a namespace, which a subtype stands for here, in
// the singular as well.
func kindWeight(subtype string) float64 {
	switch strings.TrimSuffix(strings.ToLower(strings.TrimSpace(subtype)), "s") {
	case "decision":
		return 0.9
	case "learning", "pattern":
		return 0.8
	case "blocker":
		return 0.7
	case "observation":
		return 0.4
	}
	return 0.5
}

// Tier is a class of memories by their score, the most wanted first.
type Tier int

// The tiers. Archived is where a score falls below all others; a memory in the
// archive has a tier by its score like any other.
const (
	Hot Tier = iota
	Warm
	Cold
	Archived
)

// Tiers lists the tiers, the most wanted first.
func Tiers() []Tier { return []Tier{Hot, Warm, Cold, Archived} }

// TierNames lists the names of the tiers, the most wanted first.
func TierNames() []string { return slices.Clone(tierNames[:]) }

var tierNames = [...]string{"hot", "warm", "cold", "archived"}

func (t Tier) String() string {
	if t < 0 || int(t) >= len(tierNames) {
		return fmt.Sprintf("tier %d", int(t))
	}
	return tierNames[t]
}

// ParseTier reads the name of a tier, without case.
func ParseTier(name string) (Tier, error) {
	for i, known := range tierNames {
		if strings.EqualFold(strings.TrimSpace(name), known) {
			return Tier(i), nil
		}
	}
	return 0, fmt.Errorf("tier %q: write hot, warm, cold or archived", name)
}

// MarshalText gives the name.
func (t Tier) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// UnmarshalText reads what [ParseTier] reads.
func (t *Tier) UnmarshalText(text []byte) (err error) {
	*t, err = ParseTier(string(text))
	return err
}

// TierOf is the tier of a score.
func TierOf(score float64, r config.Retention) Tier {
	switch {
	case score >= r.Hot:
		return Hot
	case score >= r.Warm:
		return Warm
	case score >= r.Cold:
		return Cold
	}
	return Archived
}
