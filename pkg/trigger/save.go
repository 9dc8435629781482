package trigger

import (
	"strings"

	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/rules"
)

// AtSave reports whether the save of one more working memory of a scope crosses a line of the trigger "threshold" (seed 001: 20 messages in a
// session, or more than 1,000 working memories), and which run is then due. The snapshot is that before the save. A line is crossed once, and
// again after as many memories more.
func AtSave(c config.Settings, s *memory.Snapshot, scope memory.Scope) (d Due, ok bool) {
	t := c.Triggers
	if !t.Threshold || Held(c, len(s.Memories())+1) != "" {
		return d, false
	}
	all, messages := 1, 1
	for _, m := range s.Memories() {
		if m.Type != memory.Working {
			continue
		}
		all++
		if x := owner(m); x.File == "" && strings.EqualFold(x.Key(), scope.String()) {
			messages++
		}
	}
	switch {
	case all > t.ThresholdWorking && (all-t.ThresholdWorking-1)%max(t.ThresholdWorking, 1) == 0:
		return Due{Trigger: rules.Threshold, Count: all}, true
	case (scope.Kind == "session" || scope.Kind == "agent") && messages%max(t.ThresholdMessages, 1) == 0:
		return Due{Trigger: rules.Threshold, Session: scope.String(), Count: messages}, true
	}
	return d, false
}
