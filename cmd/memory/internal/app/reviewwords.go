package app

import (
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/rules"
)

// DifferenceVerb is the word before a difference, or before the evidence of an update, in a question to a person.
func DifferenceVerb(reason string) string {
	if reason == rules.ReasonSupersede {
		return "updates"
	}
	return "differs"
}

// RoleInReview names the i-th memory of a question: which is the newer matters only where it is said to update the
// others.
func RoleInReview(a *oplog.Action, i int) string {
	switch {
	case a.Reason != rules.ReasonSupersede:
		return "either"
	case i == len(a.MemoryIDs)-1:
		return "newer"
	}
	return "older"
}
