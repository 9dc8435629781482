package rules

import (
	"errors"
	"fmt"
	"strings"

	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/secrets"
)

// Untouchable says why nothing but a person's hand may change m, whatever its age
// and author, "" when rules may. Tags of the exclusion list give the tag itself as
// the reason.
func Untouchable(m *memory.Memory, x config.Exclude) (reason, detail string) {
	switch {
	case m.Locked != "":
		return ReasonLocked, m.Locked
	case m.Priority == "critical":
		return ReasonCritical, "priority is critical"
	case m.Protected:
		return ReasonProtected, `"protected" is true`
	}
	for _, tag := range x.Tags {
		if m.HasTag(tag) {
			return strings.ToLower(strings.TrimSpace(tag)), "tagged " + tag
		}
	}
	return "", ""
}

// excluded says why a rule may not change m, "" when it may.
func (p *planner) excluded(m *subject, rule string) (reason, detail string) {
	x := p.Settings.Exclude
	if m.Locked == "" {
		if n := len(p.Find(m.ID)); n > 1 {
			return ReasonNotUnique, fmt.Sprintf("%d memories have this id", n)
		}
	}
	if c := p.CopyOf(m.ID); c != nil {
		return ReasonCopy, "it waits for a decision: " + c.Ref.String() + " is a copy of it"
	}
	if m.Conflicted {
		return ReasonConflict, "two machines changed it, and a merge left values to decide about: memory review " + m.ID
	}
	if reason, detail := Untouchable(m.Memory, x); reason != "" {
		return reason, detail
	}
	switch {
	case (rule == memory.RuleArchive || rule == memory.RuleExpired) && m.Pinned():
		return ReasonPinned, m.PinnedBy()
	case memory.IsClusterSummary(m.Memory):
		return ReasonKept, "the summary of a cluster is kept by \"memory enrich\""
	case strings.EqualFold(strings.TrimSpace(m.CreatedBy), "USER") && !m.Consent && !x.ConsentUser:
		return ReasonUser, "created_by is " + m.CreatedBy + " and there is no consent"
	// A person may be asked about a decision: which one replaces which is the question.
	case rule != memory.RuleSupersede && strings.EqualFold(m.Type, memory.Semantic) && strings.EqualFold(strings.TrimSpace(m.Subtype), "decision"):
		return ReasonDecision, "semantic memories of subtype decision stay"
	}
	// The rules that ask, and merges, look at pairs themselves.
	if rule != memory.RuleMerge && rule != memory.RuleSupersede {
		if waits := p.inReview(m.Memory); waits != "" {
			return ReasonInReview, waits
		}
	}
	if p.UsesUnknown != "" && (rule == memory.RuleArchive || rule == memory.RuleWorking) {
		return ReasonUses, p.UsesUnknown
	}
	switch born := p.born(m.Memory); {
	case p.session(), rule == memory.RuleExpired, rule == memory.RuleLayers: // age doesn't count
	case born.IsZero():
		return ReasonNoAge, "created_at can't be read"
	case born.After(p.minAge):
		return ReasonYoung, age(p.At, born) + " old, younger than " + x.MinAge.String()
	}
	// What a run made is looked at by a later one, not by the same reading of the
	// clock: a merge that adds up access counts doesn't set off a promotion at once.
	if rule != memory.RuleWorking && !m.late && p.justChanged(m.Memory) {
		return ReasonJustNow, "a run at this very time took it"
	}
	return "", ""
}

// inReview says that a memory waits for a person's decision, "" if it doesn't. In a queue that can't be read all may wait.
func (p *planner) inReview(m *memory.Memory) string {
	if p.Review.Broken {
		return memory.ReviewFile + " can't be read, so every memory may be waiting for a decision"
	}
	pairs := p.UndecidedOf(m)
	if len(pairs) == 0 {
		return ""
	}
	other := pairs[0].A
	if other == m.ID {
		other = pairs[0].B
	}
	return "waits for a decision, together with " + other
}

// justChanged reports whether a run at this very time has taken m: changed it, copied
// it to a wider scope, or flagged it for review.
func (p *planner) justChanged(m *memory.Memory) bool {
	switch {
	case p.Again:
		return false
	case p.flaggedNow[m.ID], m.UpdatedAt.Equal(p.now) && !asImported(m):
		return true
	}
	for _, id := range m.PromotedTo {
		for _, copied := range p.Find(id) {
			if copied.UpdatedAt.Equal(p.now) {
				return true
			}
		}
	}
	return false
}

// asImported reports whether m is as an import made it: it came without a date, and no run has taken it since.
func asImported(m *memory.Memory) bool {
	return !m.Arrived.IsZero() && m.Arrived.Equal(m.CreatedAt) && m.Arrived.Equal(m.UpdatedAt) && len(m.Supersedes)+len(m.PromotedFrom) == 0
}

// admits reports whether a rule may change m, and notes in the plan when it may not.
func (p *planner) admits(m *subject, rule string) bool { return p.admit(&p.skips, m, rule) }

// admit is admits for a caller with a list of its own.
func (p *planner) admit(noted *skips, m *subject, rule string) bool {
	reason, detail := p.excluded(m, rule)
	if reason != "" {
		noted.skip(m.ID, rule, reason, detail)
	}
	return reason == ""
}

// skips lists what rules would have changed and did not, each once.
type skips struct {
	skipped []memory.Skip
	has     map[memory.Skip]bool
}

// skip notes that a rule would have changed a memory, and why it did not.
func (s *skips) skip(id, rule, reason, detail string) {
	s.note(memory.Skip{MemoryID: id, Rule: rule, Reason: reason, Detail: detail})
}

func (s *skips) note(sk memory.Skip) {
	if s.has[sk] {
		return
	}
	if s.has == nil {
		s.has = map[memory.Skip]bool{}
	}
	s.has[sk] = true
	s.skipped = append(s.skipped, sk)
}

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

// limitError refuses an action that is larger than a whole run may be.
type limitError string

func (e limitError) Error() string { return string(e) }

// whyRefused is the reason why an action could not be built.
func whyRefused(err error) string {
	switch {
	case errors.As(err, new(secretError)):
		return ReasonSecret
	case errors.As(err, new(limitError)):
		return ReasonLimit
	}
	return ReasonBroken
}
