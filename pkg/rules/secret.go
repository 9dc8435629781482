package rules

import (
	"errors"
	"fmt"

	"github.com/memoryd/memoryd/pkg/secrets"
	"github.com/memoryd/memoryd/pkg/workspace"
)

// ReasonSecret: a memory that holds a secret is not spread.
const ReasonSecret = "secret"

// holdsSecret says what secret a memory holds, "" for none, and never shows it. It is
// asked of a memory that is about to be promoted, and of no other: it reads all of it.
func (p *planner) holdsSecret(m *workspace.Memory) string {
	rules := p.Secrets
	if rules == nil {
		rules = secrets.Default()
	}
	found := rules.FindRecord(m.Raw())
	if len(found) == 0 {
		return ""
	}
	return fmt.Sprintf("%s: take it out with \"memory edit %s --redact\"", found[0], m.ID)
}

// secretBefore says what secret a memory holds that may be promoted in this run. Of one
// that waits for another run that is not asked: all of it would have to be read.
func (p *planner) secretBefore(k int32) string {
	spent := p.spent
	if p.late.has(k) { // which comes before what does not wait
		spent = p.spentLate
	}
	if spent >= p.Settings.Run.Limit {
		return ""
	}
	return p.holdsSecret(p.at(k))
}

// secretError names a secret that keeps a memory from being promoted.
type secretError string

func (e secretError) Error() string { return string(e) }

// withoutSecret is an error for a memory that holds a secret.
func (p *planner) withoutSecret(m *workspace.Memory) error {
	if found := p.holdsSecret(m); found != "" {
		return secretError(found)
	}
	return nil
}

// whyRefused is the reason why an action could not be built.
func whyRefused(err error) string {
	if errors.As(err, new(secretError)) {
		return ReasonSecret
	}
	return ReasonBroken
}

// secretCondition is for explaining a memory that would be promoted otherwise.
func (p *planner) secretCondition(m *workspace.Memory) Condition {
	is := "none"
	if found := p.holdsSecret(m); found != "" {
		is = found
	}
	return Condition{is == "none", "holds no secret", is}
}
