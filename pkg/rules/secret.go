package rules

import (
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
	found := rules.FindRecord(m.Raw)
	if len(found) == 0 {
		return ""
	}
	return fmt.Sprintf("%s: take it out with \"memory edit %s --redact\"", found[0], m.ID)
}

// secretCondition is for explaining a memory that would be promoted otherwise.
func (p *planner) secretCondition(m *workspace.Memory) Condition {
	is := "none"
	if found := p.holdsSecret(m); found != "" {
		is = found
	}
	return Condition{is == "none", "holds no secret", is}
}
