package rules

import (
	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/memory"
)

// LeftAlone counts the live memories that no run changes, however old they are, by the reasons of the exclusions.
func LeftAlone(s *memory.Snapshot, set config.Settings) map[string]int {
	st := newState(s, Request{Trigger: SessionEnd, Settings: set}) // at which age doesn't count
	reasons := map[string]int{}
	for _, m := range s.Memories() {
		reason, _ := st.excluded(&subject{Memory: m, late: true}, exceptions{})
		if reason == "" && st.born(m).IsZero() {
			reason = ReasonNoAge
		}
		if reason != "" {
			reasons[reason]++
		}
	}
	return reasons
}
