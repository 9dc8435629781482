package cli

import (
	"maps"
	"slices"
	"strings"
	"time"

	urfave "github.com/urfave/cli/v2"

	"github.com/memoryd/memoryd/cmd/memory/internal/app"
	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/temporal"
	"github.com/memoryd/memoryd/pkg/text"
)

func tagFlag() urfave.Flag {
	return &urfave.StringSliceFlag{Name: "tag", Usage: "only memories with `TAG`; repeat the option for several tags at once"}
}

var scopeKinds = []string{"global", "team", "agent", "project", "session"}

// filter reads the flags that choose memories.
func (c *call) filter() (func(*memory.Memory) bool, error) {
	kind, owner := c.flags.String("scope"), ""
	if strings.Contains(kind, ":") {
		scope, err := c.scope()
		if err != nil {
			return nil, err
		}
		kind, owner = scope.Kind, scope.ID
	} else if kind != "" && !slices.Contains(scopeKinds, kind) {
		_, err := c.scope() // says what may stand there
		return nil, err
	}
	return func(m *memory.Memory) bool {
		return (c.flags.String("type") == "" || strings.EqualFold(m.Type, c.flags.String("type"))) &&
			(kind == "" || m.Scope.Kind == kind) && (owner == "" || text.SameName(m.Scope.ID, owner)) &&
			!slices.ContainsFunc(c.flags.StringSlice("tag"), func(t string) bool { return !m.HasTag(strings.TrimSpace(t)) })
	}, nil
}

// unknownValue is the error about a value of --type, --scope, --agent or --tag that no memory has, live or archived, with the nearest that one has.
// Where nothing is found, it tells a slip from an empty answer.
func (c *call) unknownValue(snap *memory.Snapshot) error {
	type flag struct {
		name, value string
		of          func(*memory.Memory) []string
	}
	scope := c.flags.String("scope")
	if !strings.Contains(scope, ":") {
		scope = "" // a kind, which has been checked
	}
	asked := []flag{
		{"--type", c.flags.String("type"), func(m *memory.Memory) []string { return []string{m.Type} }},
		{"--scope", scope, func(m *memory.Memory) []string { return []string{m.Scope.String()} }},
	}
	if c.has("agent") {
		asked = append(asked, flag{"--agent", c.flags.String("agent"), func(m *memory.Memory) []string {
			if m.Scope.Kind == "agent" {
				return []string{m.Scope.ID, m.CreatedBy}
			}
			return []string{m.CreatedBy}
		}})
	}
	for _, tag := range c.flags.StringSlice("tag") {
		asked = append(asked, flag{"--tag", strings.TrimSpace(tag), func(m *memory.Memory) []string { return m.Tags }})
	}
	for _, f := range asked {
		if err := noneHas(snap, f.name, f.value, f.of); err != nil {
			return err
		}
	}
	return nil
}

// unknownType is the error about a --type that is neither the type nor the subtype of a memory, live or archived.
func (c *call) unknownType(snap *memory.Snapshot) error {
	return noneHas(snap, "--type", c.flags.String("type"), func(m *memory.Memory) []string { return []string{m.Type, m.Subtype} })
}

// noneHas is the error about a value of a flag that no memory has, with the nearest that one has; nil where one has it, or all have none.
func noneHas(snap *memory.Snapshot, flag, value string, of func(*memory.Memory) []string) error {
	if value == "" {
		return nil
	}
	known := map[string]bool{}
	if flag == "--type" {
		for _, t := range memory.Types() {
			known[t] = true
		}
	}
	for _, ms := range [][]*memory.Memory{snap.Memories(), snap.Archived()} {
		for _, m := range ms {
			for _, v := range of(m) {
				known[v] = true
			}
		}
	}
	delete(known, "")
	for v := range known {
		if text.SameName(v, value) {
			return nil
		}
	}
	values := slices.Sorted(maps.Keys(known))
	if len(values) == 0 {
		return nil
	}
	hint := "there are " + strings.Join(values[:min(len(values), 10)], ", ")
	if len(values) > 10 {
		hint += ", …"
	}
	if near := closest(value, values); near != "" {
		hint = "did you mean " + flag + " " + near + "?"
	}
	return withHint(failf(exitNotFound, "%s: no memory has %q", flag, value), hint)
}

// period is from the beginning of --since to the end of --until, whose days are those of triggers.timezone; zero times where they aren't given.
func (c *call) period(settings config.Settings) (from, to time.Time, err error) {
	at, err := app.InZone(c.at, settings)
	if err != nil {
		return from, to, err
	}
	return c.periodAt(at)
}

// periodAt is the period as of a moment, in its time zone.
func (c *call) periodAt(at time.Time) (from, to time.Time, err error) {
	since, err := c.span("since", at)
	if err != nil {
		return from, to, err
	}
	until, err := c.span("until", at)
	return since.From, until.To, err
}

// span reads a flag that holds a time, as a moment or as people say it; the zero span when it isn't given.
func (c *call) span(flag string, at time.Time) (span temporal.Span, err error) {
	asked := strings.TrimSpace(c.flags.String(flag))
	if asked == "" {
		return span, nil
	}
	if span, err = app.ParseSpan(asked, at); err != nil {
		return span, usagef("--%s: %w", flag, err)
	}
	return span, nil
}
