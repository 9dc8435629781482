package retention

import (
	"fmt"
	"slices"
	"strings"

	"github.com/memoryd/memoryd/pkg/config"
)

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
