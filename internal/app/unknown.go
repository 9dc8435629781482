package app

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/temporal"
	"github.com/memoryd/memoryd/pkg/text"
	"github.com/memoryd/memoryd/pkg/timestamp"
)

// Asked is an option that memories are chosen by, its value, and the values of a memory.
type Asked struct {
	Name, Value string
	Of          func(*memory.Memory) []string
}

// AskedType is a type or a subtype of memories; see [memory.OfType].
func AskedType(name, value string) Asked {
	return Asked{name, value, func(m *memory.Memory) []string { return []string{m.Type, m.Subtype} }}
}

// AskedScope is a scope, or a kind of scopes, which no memory needs to have.
func AskedScope(name, value string) Asked {
	if !strings.Contains(value, ":") {
		value = ""
	}
	return Asked{name, value, func(m *memory.Memory) []string { return []string{m.Scope.String()} }}
}

// AskedAgent is who wrote a memory, or whose it is.
func AskedAgent(name, value string) Asked {
	return Asked{name, value, func(m *memory.Memory) []string {
		if m.Scope.Kind == "agent" {
			return []string{m.Scope.ID, m.CreatedBy}
		}
		return []string{m.CreatedBy}
	}}
}

// AskedTag is a tag.
func AskedTag(name, value string) Asked {
	return Asked{name, strings.TrimSpace(value), func(m *memory.Memory) []string { return m.Tags }}
}

// UnknownError is about a value of an option that no memory has.
type UnknownError struct {
	Name, Value string
	Hint        string // the nearest that one has, or what there is
}

func (e *UnknownError) Error() string { return fmt.Sprintf("%s: no memory has %q", e.Name, e.Value) }

// Unknown is about the first value of an option that no memory has, live or archived; nil where there is none, or no memories. Where nothing is found, it tells a slip from an empty answer.
func Unknown(snap *memory.Snapshot, options ...Asked) *UnknownError {
	for _, o := range options {
		if o.Value == "" {
			continue
		}
		values := o.values(snap)
		if len(snap.Memories())+len(snap.Archived()) == 0 || slices.ContainsFunc(values, func(v string) bool { return text.SameName(v, o.Value) }) {
			continue
		}
		hint := "memories have " + strings.Join(values[:min(len(values), 10)], ", ")
		switch {
		case len(values) == 0:
			hint = "no memory has a value for it"
		case len(values) > 10:
			hint += ", …"
		}
		if near := Closest(o.Value, values); near != "" {
			hint = "did you mean " + o.Name + " " + near + "?"
		}
		return &UnknownError{o.Name, o.Value, hint}
	}
	return nil
}

// values are those that memories have, and for types those that the program knows.
func (o Asked) values(snap *memory.Snapshot) []string {
	known := map[string]bool{}
	if strings.TrimLeft(o.Name, "-") == "type" {
		for _, t := range memory.Types() {
			known[t] = true
		}
	}
	for _, ms := range [][]*memory.Memory{snap.Memories(), snap.Archived()} {
		for _, m := range ms {
			for _, v := range o.Of(m) {
				known[v] = true
			}
		}
	}
	delete(known, "")
	return slices.Sorted(maps.Keys(known))
}

// UnknownScope is about a scope that no memory has, that has no directory, and that is no team of the settings; nil for any
// other, and for none.
func UnknownScope(snap *memory.Snapshot, settings config.Settings, name string, scope *memory.Scope) *UnknownError {
	if scope == nil || scope.ID == "" {
		return nil
	}
	for _, dir := range snap.In(scopeDirs[scope.Kind]) {
		if memory.ScopeOf(snap.Dir(memory.Scope{Kind: scope.Kind, ID: dir}) + "/x").Is(*scope) {
			return nil
		}
	}
	for _, team := range settings.Teams {
		if scope.Is(memory.Scope{Kind: "team", ID: team}) {
			return nil
		}
	}
	return Unknown(snap, AskedScope(name, scope.String()))
}

// scopeDirs are the directories of each kind of scope.
var scopeDirs = map[string]string{"team": "teams", "agent": "agents", "project": "projects", "session": "sessions"}

// KnownScope is the scope of a workspace that is meant by one, and a note where that may surprise. A scope that differs from one
// that is there in case, spaces, dashes and the like only is that one: the rules compare names so, and some file systems have one directory for both.
func KnownScope(snap *memory.Snapshot, asked memory.Scope) (meant memory.Scope, note string) {
	n := map[memory.Scope]int{}
	for _, name := range snap.In(scopeDirs[asked.Kind]) {
		n[memory.ScopeOf(snap.Dir(memory.Scope{Kind: asked.Kind, ID: name})+"/x")] += 0
	}
	for _, m := range snap.Memories() {
		if m.Scope.Kind == asked.Kind {
			n[m.Scope]++
		}
	}
	if _, there := n[asked]; there || asked.ID == "" {
		return asked, ""
	}
	most := func(fits func(memory.Scope) bool) (memory.Scope, bool) {
		all := slices.DeleteFunc(slices.Collect(maps.Keys(n)), func(s memory.Scope) bool { return !fits(s) })
		slices.SortFunc(all, func(a, b memory.Scope) int { return cmp.Or(cmp.Compare(n[b], n[a]), cmp.Compare(a.ID, b.ID)) })
		if len(all) == 0 {
			return memory.Scope{}, false
		}
		return all[0], true
	}
	if one, ok := most(asked.Is); ok {
		return one, fmt.Sprintf("%s: did you mean %s? In names upper and lower case are one, so it is taken for that", asked, one)
	}
	if near, ok := most(func(s memory.Scope) bool { return lettersOf(s.ID) == lettersOf(asked.ID) }); ok {
		return near, fmt.Sprintf("%s: %s was taken, which differs in the separators of its words only and has %s", asked, near, Quantity(n[near], "memory"))
	}
	return asked, ""
}

// FilterScope is the scope or kind of scopes that a filter names, as memories write it, and a note where it was written in another way.
func FilterScope(snap *memory.Snapshot, name string) (scope, note string) {
	if !strings.Contains(name, ":") {
		return name, ""
	}
	named, err := memory.ParseScope(name)
	if err != nil {
		return name, ""
	}
	meant, note := KnownScope(snap, named)
	return meant.String(), note
}

// sameScope reports whether two names of scopes are one, whatever stands between their words.
func sameScope(a, b string) bool { return text.SameName(a, b) || lettersOf(a) == lettersOf(b) }

// lettersOf returns a name without the separators of its words.
func lettersOf(name string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune("-_. ", r) {
			return -1
		}
		return r
	}, text.FoldName(name))
}

// ErrNoTime: an argument can't be read as a time.
var ErrNoTime = errors.New(`not a time: write one such as 2026-03-01, 30d or "last week"`)

// InZone is a moment in the time zone of triggers.timezone, in which days begin and end.
func InZone(at time.Time, settings config.Settings) (time.Time, error) {
	zone, err := settings.Triggers.Zone(time.Local)
	return at.In(zone), err
}

// Minute is the layout of a time for people, with the zone that it is in.
const Minute = "2006-01-02 15:04 MST"

// ParseSpan reads an argument that is a time, as a moment, as how long ago it was ("30d") or as people say it; at is the present, in the time zone in which days are
// counted. Memories are of the past: a day without its year, or of its week, is the last one. A date that can be two days is an error
// that names both.
func ParseSpan(s string, at time.Time) (temporal.Span, error) {
	s = strings.TrimSpace(s)
	if moment, err := time.Parse(time.RFC3339, s); err == nil {
		return temporal.Span{From: moment, To: moment}, nil
	}
	if ago, err := config.ParseDuration(s); err == nil {
		moment := ago.Before(at)
		return temporal.Span{From: moment, To: moment}, nil
	}
	if spans := temporal.Resolve(s, at); len(spans) == 1 && onlyFunctionWords(s[:spans[0].Start]+s[spans[0].End:]) {
		span := lastOne(spans[0], at)
		if span.Confidence != temporal.Guess || span.Relative {
			return span, nil
		}
		if both := spans[0].Readings(); len(both) > 1 {
			return span, fmt.Errorf("%q can be %s or %s: write the one that is meant so", s, both[0].Absolute(), both[1].Absolute())
		}
		return span, fmt.Errorf("%q can be two times: write one such as %s", s, span.From.Format(time.DateOnly))
	}
	// A short number is a year or a day to people, and a moment of 1970 to programs.
	if moment := timestamp.Parse(s); !moment.IsZero() && len(s) >= len("1700000000") {
		return temporal.Span{From: moment, To: moment}, nil
	}
	return temporal.Span{}, fmt.Errorf("%q is %w", s, ErrNoTime)
}

// lastOne is the span a year earlier, or a week, if it is likely that of the future and could be that of the past.
func lastOne(span temporal.Span, at time.Time) temporal.Span {
	if span.Confidence != temporal.Likely || !span.From.After(at) {
		return span
	}
	years, days := -1, 0
	if span.Relative {
		years, days = 0, -7
	}
	span.From, span.To = span.From.AddDate(years, 0, days), span.To.AddDate(years, 0, days)
	return span
}

// onlyFunctionWords reports whether the words around a time are only function words, such as "on" or "le".
func onlyFunctionWords(rest string) bool {
	for t := range text.Tokens(rest) {
		word, known := text.Fold(rest[t.Start:t.End]), false
		for _, l := range text.Languages() {
			known = known || l.IsStopWord(word)
		}
		if !known {
			return false
		}
	}
	return true
}
