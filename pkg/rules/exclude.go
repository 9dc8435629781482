package rules

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/internal/parallel"
	"github.com/memoryd/memoryd/pkg/workspace"
)

// Reasons why a rule leaves a memory alone that it would otherwise change.
const (
	ReasonCritical  = "critical"             // priority critical
	ReasonProtected = "protected"            // "protected": true
	ReasonUser      = "user_without_consent" // written by a person
	ReasonDecision  = "decision"             // semantic, subtype decision
	ReasonYoung     = "too_young"            // younger than exclude.min_age
	ReasonNoAge     = "age_unknown"          // neither created_at nor updated_at can be read
	ReasonNotUnique = "id_not_unique"        // several memories have the id
	ReasonLocked    = "repeated_key"         // the record can't be edited safely
	ReasonJustNow   = "just_changed"         // by a run at this very time
	ReasonInReview  = "in_review"            // waits for a person's decision
	ReasonApart     = "kept_apart"           // a person decided that both stay, or undid their merge
	ReasonNoTeam    = "no_team"              // the agent's team isn't known
	ReasonStands    = "already_in_target"    // an equal memory stands there
	ReasonPromoted  = "already_promoted"     // promoted_to resolves
	ReasonSummary   = "no_faithful_summary"  // too few key terms kept, or not shorter
	ReasonBroken    = "cannot_edit"          // the edit was refused
)

// Untouchable says why nothing but a person's hand may change m, whatever its age
// and author, "" when rules may. Tags of the exclusion list give the tag itself as
// the reason.
func Untouchable(m *workspace.Memory, x config.Exclude) (reason, detail string) {
	switch {
	case m.Locked != "":
		return ReasonLocked, m.Locked
	case m.Priority == "critical":
		return ReasonCritical, "priority is critical"
	case m.Protected:
		return ReasonProtected, `"protected" is true`
	}
	for _, tag := range x.Tags {
		if tagged(m, tag) {
			return strings.ToLower(strings.TrimSpace(tag)), "tagged " + tag
		}
	}
	return "", ""
}

// excluded says why no rule may change m, "" when rules may. late tells that the
// last run put it off.
func (p *planner) excluded(m *workspace.Memory, rule string, late bool) (reason, detail string) {
	x := p.Settings.Exclude
	if m.Locked == "" && p.Repeats(m.ID) {
		return ReasonNotUnique, p.sharing(m.ID)
	}
	if reason, detail := Untouchable(m, x); reason != "" {
		return reason, detail
	}
	switch {
	case strings.EqualFold(strings.TrimSpace(m.CreatedBy), "USER") && !m.Consent && !x.ConsentUser:
		return ReasonUser, "created_by is " + m.CreatedBy + " and there is no consent"
	// A person may be asked about a decision: what replaces which is what one asks.
	case rule != workspace.RuleSupersede && strings.EqualFold(m.Type, workspace.Semantic) && strings.EqualFold(strings.TrimSpace(m.Subtype), "decision"):
		return ReasonDecision, "semantic memories of subtype decision stay"
	}
	switch born := m.Born(); {
	case p.session(): // at a session's end age doesn't count
	case born.IsZero():
		return ReasonNoAge, "created_at can't be read"
	case born.After(p.minAge):
		return ReasonYoung, age(p.At, born) + " old, younger than " + p.minAgeWords()
	}
	// What a run made is looked at by a later one, not by the same reading of the
	// clock: a merge that adds up access counts doesn't set off a promotion at once.
	if rule != workspace.RuleWorking && !late && p.justNow(m) {
		return ReasonJustNow, "a run at this very time took it"
	}
	return "", ""
}

// wording is what the reasons of many memories have in common, put into words once.
type wording struct {
	minAgeWords func() string
	shared      sync.Map // what sharing has said, by id
}

func newWording(set config.Settings) *wording {
	return &wording{minAgeWords: sync.OnceValue(set.Exclude.MinAge.String)}
}

// sharing says how many have an id.
func (p *planner) sharing(id string) string {
	said, ok := p.shared.Load(id)
	if !ok {
		said, _ = p.shared.LoadOrStore(id, fmt.Sprintf("%d memories have this id", len(p.Find(id))))
	}
	return said.(string)
}

// justNow reports whether a run at this very time has taken m: changed it, copied
// it to a wider scope, or flagged it for review.
func (p *planner) justNow(m *workspace.Memory) bool {
	if m.UpdatedAt.Equal(p.now) {
		return true
	}
	for _, id := range m.PromotedTo {
		for _, copied := range p.Find(id) {
			if copied.UpdatedAt.Equal(p.now) {
				return true
			}
		}
	}
	return p.flaggedNow[m.ID]
}

// admits reports whether rule may change the memory at k, and notes in the plan when
// it may not.
func (p *planner) admits(k int32, rule string) bool {
	if p.traits[k]&free != 0 {
		return true
	}
	if p.room == nil {
		p.room = new(workspace.Room)
	}
	m := p.glance(k, p.room)
	if reason, detail := p.excluded(m, rule, p.late.has(k)); reason != "" {
		p.skip(m.ID, rule, reason, detail)
		return false
	}
	return true
}

// refused lists those of some memories which rule may not change, and notes them in the plan.
// It looks at them on all cores. It is called once for a rule of which nothing else is noted: so
// only memories of one id can be told of twice.
func (p *planner) refused(ks []int32, rule string) (refused []int32) {
	why := make([]workspace.Skip, len(ks))
	parallel.Ranges(len(ks), func(from, to int) {
		var room workspace.Room
		for i := from; i < to; i++ {
			m := p.glance(ks[i], &room)
			reason, detail := p.excluded(m, rule, p.late.has(ks[i]))
			why[i] = workspace.Skip{MemoryID: m.ID, Rule: rule, Reason: reason, Detail: detail}
		}
	})
	p.skipped = slices.Grow(p.skipped, len(ks)) // nearly all of those that are in doubt stay
	for i, k := range ks {
		switch sk := why[i]; {
		case sk.Reason == "":
			continue
		case p.repeats && p.Repeats(sk.MemoryID): // another one may have been told of
			p.note(sk)
		default:
			p.skipped = append(p.skipped, sk)
		}
		refused = append(refused, k)
	}
	return refused
}

// age is how long ago t was, in words.
func age(now, t time.Time) string {
	d := now.Sub(t)
	switch {
	case d < 0:
		return "created in the future"
	case d < 48*time.Hour:
		return strconv.Itoa(int(d.Hours())) + " h"
	}
	return strconv.Itoa(int(d.Hours()/24)) + " days"
}
