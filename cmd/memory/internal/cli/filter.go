package cli

import (
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

// unknownValue is the error about a value of --type, --scope, --agent or --tag that no memory has, with the nearest that one has.
func (c *call) unknownValue(snap *memory.Snapshot) error {
	asked := []app.Asked{app.AskedType("--type", c.flags.String("type")), app.AskedScope("--scope", c.flags.String("scope"))}
	if c.has("agent") {
		asked = append(asked, app.AskedAgent("--agent", c.flags.String("agent")))
	}
	for _, tag := range c.flags.StringSlice("tag") {
		asked = append(asked, app.AskedTag("--tag", tag))
	}
	return noneHas(snap, asked...)
}

// unknownType is the error about a --type that is neither the type nor the subtype of a memory.
func (c *call) unknownType(snap *memory.Snapshot) error {
	return noneHas(snap, app.Asked{Name: "--type", Value: c.flags.String("type"), Of: func(m *memory.Memory) []string { return []string{m.Type, m.Subtype} }})
}

func noneHas(snap *memory.Snapshot, asked ...app.Asked) error {
	if unknown := app.Unknown(snap, asked...); unknown != nil {
		return withHint(failf(exitNotFound, "%w", unknown), unknown.Hint)
	}
	return nil
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
