package rules

import (
	"fmt"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/memory"
)

// ReasonExpired is why a memory is archived whose ttl has passed.
const ReasonExpired = "expired"

// ttlPassed reports whether the ttl of m has passed. One that a person brought back from the
// archive afterwards has not: it would go again at once.
func ttlPassed(st *state, m *memory.Memory) bool {
	ttl, _, err := LifetimeOf(m, st.Settings)
	if err != nil || !ttl.passed(m.CreatedAt, st.At) {
		return false
	}
	back, ok := st.Restored[m.ID]
	return !ok || !ttl.passed(m.CreatedAt, back)
}

// lifetime says how a memory's ttl stands.
func lifetime(st *state, m *memory.Memory) string {
	ttl, words, err := LifetimeOf(m, st.Settings)
	switch {
	case illTyped(m):
		return "ttl can't be read: it is no text"
	case err != nil:
		return "ttl can't be read: " + err.Error()
	case ttl == TTL{}:
		return "ttl " + or(words, "none")
	case ttl.HasSpan && m.CreatedAt.IsZero():
		return "ttl " + words + ", but created_at can't be read"
	case !ttl.passed(m.CreatedAt, st.At):
		return "ttl " + words + " has not passed"
	case !ttlPassed(st, m):
		return "ttl " + words + " had passed when it was brought back from the archive"
	case ttl.HasSpan:
		return fmt.Sprintf("ttl %s, created %s ago", words, age(st.At, m.CreatedAt))
	}
	return "ttl " + words + " has passed"
}

// LifetimeOf is the ttl of a memory, and in words: what its record states, else, where layers are on, that of its layer.
func LifetimeOf(m *memory.Memory, s config.Settings) (ttl TTL, words string, err error) {
	if m.TTL != "" {
		ttl, err = ParseTTL(m.TTL, s.Triggers.Days())
		return ttl, m.TTL, err
	}
	span, ok := map[string]config.Duration{memory.Working: s.Layers.WorkingLifetime, memory.Episodic: s.Layers.EpisodicLifetime}[m.Type]
	if !ok || !s.Layers.Enabled || illTyped(m) {
		return TTL{}, "", nil
	}
	return TTL{HasSpan: true, Span: span}, span.String() + " of its layer", nil
}

// illTyped reports whether the ttl of a memory is neither a text nor absent.
func illTyped(m *memory.Memory) bool {
	raw := gjson.GetBytes(m.Raw(), "ttl")
	return raw.Exists() && raw.Type != gjson.Null && raw.Type != gjson.String
}

// TTL is how long a memory is meant to last. The zero TTL never passes.
type TTL struct {
	HasSpan bool
	Span    config.Duration // counted from created_at, if HasSpan
	Until   time.Time       // else the first second at which it has passed; zero for never
}

// ParseTTL reads a ttl: a duration as [config.ParseDuration] reads it ("P30D", "30d"), a date
// ("2026-03-01", which passes when that day has ended in the zone), or an RFC 3339 time.
// "permanent", "none" and "" are the zero TTL. The error quotes the text.
func ParseTTL(text string, zone *time.Location) (TTL, error) {
	text = strings.TrimSpace(text)
	if text == "" || strings.EqualFold(text, "permanent") || strings.EqualFold(text, "none") {
		return TTL{}, nil
	}
	if day, err := time.ParseInLocation(time.DateOnly, text, zone); err == nil {
		return TTL{Until: day.AddDate(0, 0, 1).UTC()}, nil
	}
	if at, err := time.Parse(time.RFC3339, text); err == nil {
		return TTL{Until: at.UTC().Truncate(time.Second).Add(time.Second)}, nil
	}
	span, err := config.ParseDuration(text)
	return TTL{HasSpan: err == nil, Span: span}, err
}

// passed reports whether the ttl of a memory that was created then has passed at a time.
func (t TTL) passed(created, at time.Time) bool {
	if t.HasSpan {
		return !created.IsZero() && created.Before(t.Span.Before(at))
	}
	return !t.Until.IsZero() && !at.Before(t.Until)
}

// moment is that at which the ttl of a memory that was created then passes.
func (t TTL) moment(created time.Time) moment {
	if t.HasSpan {
		return moment{span: t.Span, from: created, more: true}
	}
	return moment{at: t.Until}
}

// end is when the ttl of a memory that was created then has passed; of one that never does, or of which that isn't known, the latest time.
func (t TTL) end(created time.Time) time.Time {
	switch {
	case t.HasSpan && !created.IsZero():
		return t.Span.After(created)
	case !t.HasSpan && !t.Until.IsZero():
		return t.Until
	}
	return time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC)
}
