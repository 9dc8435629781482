package cli

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	urfave "github.com/urfave/cli/v2"

	"github.com/memoryd/memoryd/internal/app"
	"github.com/memoryd/memoryd/internal/document"
	"github.com/memoryd/memoryd/internal/op/find"
	"github.com/memoryd/memoryd/internal/term"
	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/forecast"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
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
	line := c.progress("looking ahead")
	defer line.end()
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
	line.end()
	if err != nil {
		return err
	}
	for _, id := range c.args {
		if found := snap.Find(id); len(found) > 0 && found[0].Archived {
			c.note("%s is in the archive: no rule looks at it", id)
		}
	}
	doc := document.NewForecast(snap, all, c.at, until, limit)
	if c.json {
		return c.printJSON(doc)
	}
	var ids []string
	for _, f := range doc.Listed {
		if f.Action != "" {
			ids = append(ids, f.Memory.ID)
		}
	}
	if c.ids(ids...) {
		return nil
	}
	printForecast(c, doc.Listed, doc.Totals, len(asked) > 0)
	return nil
}

// actionWords name what happens to a memory for people.
var actionWords = map[string]string{
	oplog.Merge: "merge", oplog.Promote: "promote", oplog.Summarize: "summarise", oplog.Archive: "archive",
}

// printForecast prints what happens, the soonest first; what never does only where it
// was asked for.
func printForecast(c *call, told []forecast.Forecast, totals map[string]int, named bool) {
	t := &term.Table{Head: []string{"WHEN", "IN", "ACTION", "ID", "WHY"}, Right: map[int]bool{1: true}, Cut: true, Spare: []int{1}}
	for _, f := range told {
		switch {
		case f.Action != "":
			why := f.Detail
			if f.Result != "" && f.Result != f.Memory.ID {
				why = strings.TrimPrefix(fmt.Sprintf("%s; into %s", why, f.Result), "; ")
			}
			t.Row(soon(c, f.At), ahead(f.At.Sub(c.at)), actionWords[f.Action], f.Memory.ID, why)
		case named || c.verbose:
			why := "no rule has a reason to"
			if f.Never.Reason != "" {
				why = reasonWords(f.Never.Reason) + ": " + f.Never.Detail
			}
			t.Row("never", "", "", f.Memory.ID, why)
		}
	}
	if len(t.Rows) > 0 {
		c.printf("%s", t.Format("", c.style))
	}
	var parts []string
	for _, what := range []string{oplog.Merge, oplog.Promote, oplog.Summarize, oplog.Archive} {
		if n := totals[what]; n > 0 {
			parts = append(parts, thousands(n)+" to "+actionWords[what])
		}
	}
	if n := totals["never"]; n > 0 {
		parts = append(parts, thousands(n)+" never to change")
	}
	c.say("%s\n", c.style.Dim(cmp.Or(strings.Join(parts, ", "), "no memories")))
}

// soon writes the time of something that will happen.
func soon(c *call, at time.Time) string {
	if !at.After(c.at) {
		return "at the next run"
	}
	return c.written(at, "2006-01-02 15:04:05 MST")
}

// ahead writes how far away something is.
func ahead(d time.Duration) string {
	switch {
	case d <= 0:
		return ""
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h", int(d.Hours()))
	}
	return fmt.Sprintf("%d days", int(d.Hours()/24))
}
