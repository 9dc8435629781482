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

// excluded says why a rule may not change m, "" when it may. A rule may have exceptions.
func (st *state) excluded(m *subject, x exceptions) (reason, detail string) {
	set := st.Settings.Exclude
	if m.Locked == "" {
		if n := len(st.Find(m.ID)); n > 1 {
			return ReasonNotUnique, fmt.Sprintf("%d memories have this id", n)
		}
	}
	if c := st.CopyOf(m.ID); c != nil {
		return ReasonCopy, "it waits for a decision: " + c.Ref.String() + " is a copy of it"
	}
	if m.Conflicted {
		return ReasonConflict, "two machines changed it, and a merge left values to decide about: memory review " + m.ID
	}
	if reason, detail := Untouchable(m.Memory, set); reason != "" {
		return reason, detail
	}
	switch {
	case x.archives && m.Pinned():
		return ReasonPinned, m.PinnedBy()
	case memory.IsClusterSummary(m.Memory):
		return ReasonKept, "the summary of a cluster is kept by \"memory enrich\""
	case strings.EqualFold(strings.TrimSpace(m.CreatedBy), "USER") && !m.Consent && !set.ConsentUser:
		return ReasonUser, "created_by is " + m.CreatedBy + " and there is no consent"
	// A person may be asked about a decision: which one replaces which is the question.
	case !x.decisions && strings.EqualFold(m.Type, memory.Semantic) && strings.EqualFold(strings.TrimSpace(m.Subtype), "decision"):
		return ReasonDecision, "semantic memories of subtype decision stay"
	}
	// The rules that ask, and merges, look at pairs themselves.
	if !x.inReview {
		if waits := st.inReview(m.Memory); waits != "" {
			return ReasonInReview, waits
		}
	}
	if st.UsesUnknown != "" && x.byUse {
		return ReasonUses, st.UsesUnknown
	}
	switch born := st.born(m.Memory); {
	case st.session(), x.anyAge: // age doesn't count
	case born.IsZero():
		return ReasonNoAge, "created_at can't be read"
	case born.After(st.minAge):
		return ReasonYoung, age(st.At, born) + " old, younger than " + set.MinAge.String()
	}
	// What a run made is looked at by a later one, not by the same reading of the
	// clock: a merge that adds up access counts doesn't set off a promotion at once.
	if !x.sameSecond && !m.late && st.justChanged(m.Memory) {
		return ReasonJustNow, "a run at this very time took it"
	}
	return "", ""
}

// inReview says that a memory waits for a person's decision, "" if it doesn't. In a queue that can't be read all may wait.
func (st *state) inReview(m *memory.Memory) string {
	if st.Review.Broken {
		return memory.ReviewFile + " can't be read, so every memory may be waiting for a decision"
	}
	pairs := st.UndecidedOf(m)
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
func (st *state) justChanged(m *memory.Memory) bool {
	switch {
	case st.Again:
		return false
	case st.flaggedNow[m.ID], m.UpdatedAt.Equal(st.now) && !asImported(m):
		return true
	}
	for _, id := range m.PromotedTo {
		for _, copied := range st.Find(id) {
			if copied.UpdatedAt.Equal(st.now) {
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

// secretIn says what secret a memory holds, "" for none, and never shows it. It reads all
// of the memory.
func (st *state) secretIn(m *memory.Memory) string {
	rules := st.Secrets
	if rules == nil {
		rules = secrets.Default()
	}
	found := rules.FindRecord(m.Raw())
	if len(found) == 0 {
		return ""
	}
	return fmt.Sprintf("%s: take it out with \"memory edit %s --redact\"", found[0], m.ID)
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

// exceptions are what differs for a rule from the exclusions that all rules share.
type exceptions struct {
	archives   bool // it moves memories to the archive: pinned ones stay
	byUse      bool // it goes by how memories were used: nothing happens while that can't be read
	anyAge     bool // young memories are not spared
	decisions  bool // semantic decisions are not spared
	inReview   bool // it looks itself at what waits for a person's decision
	sameSecond bool // it takes what a run of this very second has changed
}
