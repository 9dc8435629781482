package cli

import (
	"slices"
	"time"

	urfave "github.com/urfave/cli/v2"

	"github.com/memoryd/memoryd/internal/app"
	"github.com/memoryd/memoryd/internal/document"
	"github.com/memoryd/memoryd/internal/op/find"
	"github.com/memoryd/memoryd/internal/printer"
	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/rules"
)

func forecastCommand() *command {
	return &command{
		args:    "[ID…] [options]",
		purpose: "say when memories will be merged, promoted, summarised or archived",
		detail: `For each memory: the first second at which a run would change it, if nobody
reads or writes anything until then. If that run is full, the next one does it.
Questions for "memory review" count as asked.`,
		example: "memory forecast --within 30d --type episodic",
		flags: []urfave.Flag{
			&urfave.StringFlag{Name: "within", Usage: "only changes within `DURATION`, such as 30d"},
			typeFlag(),
			scopesFlag(),
			tagFlag(), limitFlag("list at most `N`"),
		},
		least: 0, most: -1, run: runForecast, words: liveIDs,
	}
}

func runForecast(c *call) error {
	fits, err := chosenBy(c)
	if err != nil {
		return err
	}
	limit, err := c.limit()
	if err != nil {
		return err
	}
	var until time.Time
	if c.flags.IsSet("within") {
		d, err := c.duration("within", config.Days)
		if err != nil {
			return err
		}
		until = c.at.Add(d)
	}
	conf, err := c.settings()
	if err != nil {
		return err
	}
	line := c.Progress("looking ahead")
	defer line.End()
	store, snap, err := c.load()
	if err != nil {
		return err
	}
	if err := find.Known(snap, c.args...); err != nil {
		return err
	}
	if !slices.ContainsFunc(snap.Memories(), fits) {
		if err := unknownValue(c, snap); err != nil {
			return err
		}
	}
	asked := map[string]bool{}
	for _, id := range c.args {
		asked[id] = true
	}
	wanted := func(m *memory.Memory) bool { return fits(m) && (len(asked) == 0 || asked[m.ID]) }
	if len(asked) == 0 && !c.flags.IsSet("type") && !c.flags.IsSet("scope") && !c.flags.IsSet("tag") {
		wanted = nil // all of them
	}
	all, err := app.Forecast(store.Cache(), snap, rules.Request{Settings: conf.Settings, Progress: c.comparing}, wanted)
	line.End()
	if err != nil {
		return err
	}
	for _, id := range c.args {
		if found := snap.Find(id); len(found) > 0 && found[0].Archived {
			c.Note("%s is in the archive: no rule looks at it", id)
		}
	}
	doc := document.NewForecast(snap, all, c.at, until, limit)
	if c.JSON {
		return c.PrintJSON(doc)
	}
	var ids []string
	for _, f := range doc.Listed {
		if f.Action != "" {
			ids = append(ids, f.Memory.ID)
		}
	}
	if c.IDs(ids...) {
		return nil
	}
	printer.Forecast(&c.Printer, c.at, doc.Listed, doc.Totals, len(asked) > 0)
	return nil
}
