package rules

import (
	"errors"
	"fmt"

	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/secrets"
)

// secretIn says what secret a memory holds, "" for none, and never shows it. It reads all
// of the memory.
func (p *planner) secretIn(m *memory.Memory) string {
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

// secretBefore is secretIn for a memory that fits into this run. Of one that waits for
// another run that is not asked: all of it would have to be read.
func (p *planner) secretBefore(m *subject) string {
	spent := p.spent
	if m.late { // these come before the others
		spent = p.spentWaited
	}
	if spent >= p.Settings.Run.Limit {
		return ""
	}
	return p.secretIn(m.Memory)
}

// secretError names a secret that keeps a memory from being promoted.
type secretError string

func (e secretError) Error() string { return string(e) }

// whyRefused is the reason why an action could not be built.
func whyRefused(err error) string {
	if errors.As(err, new(secretError)) {
		return ReasonSecret
	}
	return ReasonBroken
}
