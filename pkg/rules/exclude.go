package rules

import (
	"errors"
	"fmt"
	"strings"

	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/secrets"
)

// exclusion is one reason why rules leave a memory alone. The plan and [Explain] go by the same ones.
type exclusion struct {
	what  func(*state) string                                               // the condition that a memory has to meet
	hand  func(*memory.Memory, config.Exclude) (reason, detail string)      // only a person may change such a memory; "": it doesn't apply
	stops func(st *state, m *subject, x exceptions) (reason, detail string) // in place of hand, where a rule may be excepted
	is    func(st *state, m *memory.Memory) string                          // nil: [Explain] lists it only where it applies
}

// exclusions are all of them. The first that applies is the reason.
var exclusions = []exclusion{
	{
		what: fixedText("no key is repeated"),
		hand: func(m *memory.Memory, _ config.Exclude) (string, string) {
			return reasonIf(m.Locked != "", ReasonLocked), m.Locked
		},
		is: func(_ *state, m *memory.Memory) string { return or(m.Locked, "none is") },
	},
	{
		what: fixedText("the id is unique"),
		stops: func(st *state, m *subject, _ exceptions) (string, string) {
			if n := len(st.Find(m.ID)); n > 1 {
				return ReasonNotUnique, fmt.Sprintf("%d memories have this id", n)
			}
			return "", ""
		},
		is: func(st *state, m *memory.Memory) string { return quantity(len(st.Find(m.ID)), "record") },
	},
	{
		what: fixedText("no conflict copy says otherwise"),
		stops: func(st *state, m *subject, _ exceptions) (string, string) {
			if c := st.CopyOf(m.ID); c != nil {
				return ReasonCopy, "it waits for a decision: " + c.Ref.String() + " is a copy of it"
			}
			return "", ""
		},
	},
	{
		what: fixedText("no merge left values to decide about"),
		stops: func(_ *state, m *subject, _ exceptions) (string, string) {
			if m.Conflicted {
				return ReasonConflict, "two machines changed it, and a merge left values to decide about: memory review " + m.ID
			}
			return "", ""
		},
	},
	{
		what: fixedText("priority is not critical"),
		hand: func(m *memory.Memory, _ config.Exclude) (string, string) {
			return reasonIf(m.Priority == "critical", ReasonCritical), "priority is critical"
		},
		is: func(_ *state, m *memory.Memory) string { return or(m.Priority, "none") },
	},
	{
		what: fixedText(`"protected" is not true`),
		hand: func(m *memory.Memory, _ config.Exclude) (string, string) {
			return reasonIf(m.Protected, ReasonProtected), `"protected" is true`
		},
		is: func(_ *state, m *memory.Memory) string { return fmt.Sprint(m.Protected) },
	},
	{
		what: func(st *state) string {
			if len(st.Settings.Exclude.Tags) == 0 {
				return "no tag is excluded"
			}
			return "not tagged " + strings.Join(st.Settings.Exclude.Tags, " or ")
		},
		hand: func(m *memory.Memory, x config.Exclude) (string, string) {
			for _, tag := range x.Tags {
				if m.HasTag(tag) {
					return strings.ToLower(strings.TrimSpace(tag)), "tagged " + tag
				}
			}
			return "", ""
		},
		is: func(_ *state, m *memory.Memory) string { return or(strings.Join(m.Tags, ", "), "no tags") },
	},
	{
		what: fixedText("not pinned (archive and expired only)"),
		stops: func(st *state, m *subject, x exceptions) (string, string) {
			if x.archives && m.Pinned() {
				return ReasonPinned, m.PinnedBy()
			}
			if why := mentioned(st, m.Memory); x.archives && why != "" {
				return ReasonMentioned, why
			}
			return "", ""
		},
	},
	{
		what: fixedText("not the summary of a cluster"),
		stops: func(_ *state, m *subject, _ exceptions) (string, string) {
			return reasonIf(memory.IsClusterSummary(m.Memory), ReasonKept), "the summary of a cluster is kept by \"memory enrich\""
		},
	},
	{
		what: fixedText("not created_by USER without consent"),
		stops: func(st *state, m *subject, _ exceptions) (string, string) {
			if strings.EqualFold(strings.TrimSpace(m.CreatedBy), "USER") && !m.Consent && !st.Settings.Exclude.ConsentUser {
				return ReasonUser, "created_by is " + m.CreatedBy + " and there is no consent"
			}
			return "", ""
		},
		is: func(_ *state, m *memory.Memory) string { return or(m.CreatedBy, "unknown") },
	},
	{ // A person may be asked about a decision: which one replaces which is the question.
		what: fixedText("not a semantic decision"),
		stops: func(_ *state, m *subject, x exceptions) (string, string) {
			decision := !x.decisions && strings.EqualFold(m.Type, memory.Semantic) && strings.EqualFold(strings.TrimSpace(m.Subtype), "decision")
			return reasonIf(decision, ReasonDecision), "semantic memories of subtype decision stay"
		},
		is: func(_ *state, m *memory.Memory) string { return or(strings.Trim(m.Type+"/"+m.Subtype, "/"), "none") },
	},
	{ // The rules that ask, and merges, look at pairs themselves.
		what: fixedText("waits for no decision"),
		stops: func(st *state, m *subject, x exceptions) (string, string) {
			if x.inReview {
				return "", ""
			}
			waits := st.inReview(m.Memory)
			return reasonIf(waits != "", ReasonInReview), waits
		},
		is: func(st *state, m *memory.Memory) string { return or(st.inReview(m), "none") },
	},
	{
		what: fixedText("its reads are known"),
		stops: func(st *state, _ *subject, x exceptions) (string, string) {
			return reasonIf(st.UsesUnknown != "" && x.byUse, ReasonUses), st.UsesUnknown
		},
	},
	{
		what: func(st *state) string { return "at least " + st.Settings.Exclude.MinAge.String() + " old" },
		stops: func(st *state, m *subject, x exceptions) (string, string) {
			switch born := st.born(m.Memory); {
			case st.session(), x.anyAge: // age doesn't count
			case born.IsZero():
				return ReasonNoAge, "created_at can't be read"
			case born.After(st.minAge):
				return ReasonYoung, age(st.At, born) + " old, younger than " + st.Settings.Exclude.MinAge.String()
			}
			return "", ""
		},
		is: ageOf,
	},
	{ // What a run made is looked at by a later one, not by the same reading of the clock: a merge that adds up access counts doesn't set
		// off a promotion at once.
		what: fixedText("not changed by a run at this very time"),
		stops: func(st *state, m *subject, x exceptions) (string, string) {
			return reasonIf(!x.sameSecond && !m.late && st.justChanged(m.Memory), ReasonJustNow), "a run at this very time took it"
		},
	},
}

func fixedText(text string) func(*state) string { return func(*state) string { return text } }

func reasonIf(applies bool, reason string) string {
	if applies {
		return reason
	}
	return ""
}

// Untouchable says why nothing but a person's hand may change m, whatever its age
// and author, "" when rules may. Tags of the exclusion list give the tag itself as
// the reason.
func Untouchable(m *memory.Memory, x config.Exclude) (reason, detail string) {
	for i := range exclusions {
		if hand := exclusions[i].hand; hand != nil {
			if reason, detail := hand(m, x); reason != "" {
				return reason, detail
			}
		}
	}
	return "", ""
}

// excluded says why a rule may not change m, "" when it may. A rule may have exceptions.
func (st *state) excluded(m *subject, x exceptions) (reason, detail string) {
	for i := range exclusions {
		if reason, detail := exclusions[i].applies(st, m, x); reason != "" {
			return reason, detail
		}
	}
	return "", ""
}

func (e *exclusion) applies(st *state, m *subject, x exceptions) (reason, detail string) {
	if e.hand != nil {
		return e.hand(m.Memory, st.Settings.Exclude)
	}
	return e.stops(st, m, x)
}

// conditionsOf lists the exclusions as conditions that a memory meets or not.
func (st *state) conditionsOf(m *memory.Memory) (all []Condition) {
	for i := range exclusions {
		e := &exclusions[i]
		switch reason, detail := e.applies(st, &subject{Memory: m}, exceptions{archives: true, byUse: true}); {
		case e.is != nil:
			all = append(all, Condition{reason == "", e.what(st), e.is(st, m)})
		case reason != "":
			all = append(all, Condition{false, e.what(st), detail})
		}
	}
	return all
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

// pendingError refuses a merge in this run, since the question about one of its memories is changed by another merge.
type pendingError string

func (e pendingError) Error() string { return string(e) }

// whyRefused is the reason why an action could not be built.
func whyRefused(err error) string {
	switch {
	case errors.As(err, new(secretError)):
		return ReasonSecret
	case errors.As(err, new(limitError)):
		return ReasonLimit
	case errors.As(err, new(pendingError)):
		return ReasonInReview
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
