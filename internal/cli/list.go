package cli

import (
	"cmp"
	"slices"
	"strings"
	"time"

	urfave "github.com/urfave/cli/v2"

	"github.com/memoryd/memoryd/internal/app"
	"github.com/memoryd/memoryd/internal/document"
	"github.com/memoryd/memoryd/internal/fail"
	"github.com/memoryd/memoryd/internal/printer"
	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/retention"
	"github.com/memoryd/memoryd/pkg/rules"
	"github.com/memoryd/memoryd/pkg/temporal"
)

func listCommand() *command {
	return &command{
		args:    "[options]",
		purpose: "list memories",
		detail:  `With --quiet only the ids are printed, one per line.`,
		example: "memory list --type procedural --scope team:development --sort reads",
		flags: []urfave.Flag{
			typeFlag(),
			scopesFlag(),
			tagFlag(), tierFlag(), sinceFlag(), untilFlag(),
			&urfave.BoolFlag{Name: "archived", Usage: "archived memories instead of live ones"},
			&urfave.BoolFlag{Name: "all", Usage: "live and archived memories"},
			limitFlag("list at most `N`"),
			&urfave.StringFlag{Name: "sort", Usage: "order by `WHAT`: updated, created or read (latest first), reads (most first), score (highest first), id or type", Value: "updated"},
		},
		run: runList,
	}
}

// orders are the values of --sort.
var orders = map[string]func(a, b *memory.Memory) int{
	"updated": func(a, b *memory.Memory) int { return b.Newest().Compare(a.Newest()) },
	"created": func(a, b *memory.Memory) int { return b.Born().Compare(a.Born()) },
	"read":    func(a, b *memory.Memory) int { return b.LastAccessed.Compare(a.LastAccessed) },
	"reads":   func(a, b *memory.Memory) int { return cmp.Compare(b.AccessCount, a.AccessCount) },
	"type":    func(a, b *memory.Memory) int { return cmp.Compare(a.Type, b.Type) },
	"id":      func(a, b *memory.Memory) int { return 0 },
}

func orderNames() []string {
	return []string{"updated", "created", "read", "reads", "score", "id", "type"}
}

func runList(c *call) error {
	fits, err := chosenBy(c)
	if err != nil {
		return err
	}
	tier, err := tierFlagOf(c)
	if err != nil {
		return err
	}
	order, ok := orders[c.flags.String("sort")]
	if !ok && c.flags.String("sort") == "score" {
		order, ok = func(a, b *memory.Memory) int { return cmp.Compare(c.score(b).Score, c.score(a).Score) }, true
	}
	if !ok {
		return fail.Usagef("--sort: there is no %q: write one of %s", c.flags.String("sort"), strings.Join(orderNames(), ", "))
	}
	limit, err := c.limit()
	if err != nil {
		return err
	}
	in, err := inPeriod(c)
	if err != nil {
		return err
	}
	_, snap, err := c.load()
	if err != nil {
		return err
	}
	ms := []*memory.Memory{}
	if !c.flags.Bool("archived") {
		ms = append(ms, snap.Memories()...)
	}
	if c.flags.Bool("archived") || c.flags.Bool("all") {
		ms = append(ms, snap.Archived()...)
	}
	ms = slices.DeleteFunc(ms, func(m *memory.Memory) bool {
		return !fits(m) || !in(m.Newest()) || tier != nil && c.score(m).Tier != *tier
	})
	slices.SortStableFunc(ms, func(a, b *memory.Memory) int { return cmp.Or(order(a, b), cmp.Compare(a.ID, b.ID)) })
	found := len(ms)
	if found == 0 {
		if err := unknownValue(c, snap); err != nil {
			return err
		}
	}
	if limit > 0 {
		ms = ms[:min(limit, found)]
	}
	if c.JSON {
		doc := document.NewMemories(ms, c.at, *c.scored())
		doc.Total = found
		return c.PrintJSON(doc)
	}
	printer.List(&c.Printer, *c.scored(), c.at, ms, found)
	return nil
}

// chosenBy reads the flags that choose memories.
func chosenBy(c *call) (func(*memory.Memory) bool, error) {
	scope, err := c.scopes()
	if err != nil {
		return nil, err
	}
	return func(m *memory.Memory) bool {
		return (c.flags.String("type") == "" || memory.OfType(m, c.flags.String("type"))) &&
			(scope == nil || scope.Covers(m.Scope)) &&
			!slices.ContainsFunc(c.flags.StringSlice("tag"), func(t string) bool { return !m.HasTag(strings.TrimSpace(t)) })
	}, nil
}

// unknownValue is the error about a value of --type, --scope, --agent or --tag that no memory has, with the nearest that one has.
func unknownValue(c *call, snap *memory.Snapshot) error {
	asked := []app.Asked{app.AskedType("--type", c.flags.String("type")), app.AskedScope("--scope", c.flags.String("scope"))}
	if c.has("agent") {
		asked = append(asked, app.AskedAgent("--agent", c.flags.String("agent")))
	}
	for _, tag := range c.flags.StringSlice("tag") {
		asked = append(asked, app.AskedTag("--tag", tag))
	}
	return noneHas(snap, asked...)
}

// unknownChosen is the error about a --scope that isn't there, or a --type that is neither the type nor the subtype of a memory:
// nothing would come of it. The end of a session may be that of one without memories.
func unknownChosen(c *call, snap *memory.Snapshot) error {
	scope, err := c.scopes()
	if err != nil {
		return err
	}
	conf, err := c.settings()
	if err != nil {
		return err
	}
	if !c.has("trigger") || c.flags.String("trigger") != rules.SessionEnd {
		if unknown := app.UnknownScope(snap, conf.Settings, "--scope", scope); unknown != nil {
			return fail.WithHint(fail.Errorf(fail.ExitNotFound, "%w", unknown), unknown.Hint)
		}
	}
	return noneHas(snap, app.AskedType("--type", c.flags.String("type")))
}

func noneHas(snap *memory.Snapshot, asked ...app.Asked) error {
	if unknown := app.Unknown(snap, asked...); unknown != nil {
		return fail.WithHint(fail.Errorf(fail.ExitNotFound, "%w", unknown), unknown.Hint)
	}
	return nil
}

// periodOf is from the beginning of --since to the end of --until, whose days are those of triggers.timezone; zero times where they aren't given.
func periodOf(c *call, settings config.Settings) (from, to time.Time, err error) {
	at, err := app.InZone(c.at, settings)
	if err != nil {
		return from, to, err
	}
	return periodAt(c, at)
}

// periodAt is the period as of a moment, in its time zone.
func periodAt(c *call, at time.Time) (from, to time.Time, err error) {
	since, err := spanFlag(c, "since", at)
	if err != nil {
		return from, to, err
	}
	until, err := spanFlag(c, "until", at)
	return since.From, until.To, err
}

// inPeriod tells the times of --since and --until: all where neither is given; else a time that isn't known is none of them.
func inPeriod(c *call) (func(time.Time) bool, error) {
	from, to, err := periodOf(c, *c.scored())
	return func(t time.Time) bool {
		return from.IsZero() && to.IsZero() || !t.IsZero() && !t.Before(from) && (to.IsZero() || t.Before(to))
	}, err
}

// spanFlag reads a flag that holds a time, as a moment or as people say it; the zero span when it isn't given.
func spanFlag(c *call, flag string, at time.Time) (span temporal.Span, err error) {
	asked := strings.TrimSpace(c.flags.String(flag))
	if asked == "" {
		return span, nil
	}
	return spanOf(&c.Printer, "--"+flag, asked, at)
}

// spanOf reads a time of the command line or the environment; at is the present, in the time zone in which days are
// counted. Where the words have several meanings it says which was taken.
func spanOf(p *printer.Printer, origin, text string, at time.Time) (temporal.Span, error) {
	span, err := app.ParseSpan(text, at)
	if err != nil {
		return span, fail.Usagef("%s: %w", origin, err)
	}
	if span.Confidence != temporal.Sure {
		p.Note("%s: %q is read as %s", origin, strings.TrimSpace(text), span.From.Format(app.Minute))
	}
	return span, nil
}

// scored are the settings by which memories are scored: where they can't be read, the
// defaults, since a list is wanted all the more then.
func (c *call) scored() *config.Settings {
	if c.scoring == nil {
		settings := config.Default()
		if conf, err := c.settings(); err == nil {
			settings = conf.Settings
		}
		c.scoring = &settings
	}
	return c.scoring
}

// score tells how much a memory still matters at the command's time.
func (c *call) score(m *memory.Memory) retention.Score {
	return retention.Of(m, c.at, *c.scored())
}

// tierFlagOf reads the flag --tier; nil when it isn't given.
func tierFlagOf(c *call) (*retention.Tier, error) {
	name := c.flags.String("tier")
	if name == "" {
		return nil, nil
	}
	tier, err := retention.ParseTier(name)
	if err != nil {
		return nil, fail.Usagef("--tier: %w", err)
	}
	_, err = c.settings() // by which memories are chosen
	return &tier, err
}
