package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"github.com/memoryd/memoryd/internal/app"
	"github.com/memoryd/memoryd/internal/document"
	"github.com/memoryd/memoryd/internal/fail"
	"github.com/memoryd/memoryd/internal/printer"
	"github.com/memoryd/memoryd/internal/term"
	"github.com/memoryd/memoryd/pkg/enrich"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/workspace"
)

func enrichCommand() *command {
	return &command{
		args:    "[options]",
		purpose: "summarise related memories, and ask about what is out of date",
		detail: `Memories of one scope that are about one subject form a cluster. Each cluster gets
a summary: a memory of its own, made of their sentences. No other memory is
changed. A summary is rewritten when its memories change, unless you have edited
it. Questions go to "memory review". Everything is one run, which "memory undo"
undoes. Without a model, rules do all of this. If [model] is set up, a model
chooses the sentences and names the memories that don't belong to a cluster. It
isn't asked twice about the same texts.`,
		page:    "enrich.md",
		example: "memory enrich --scope project:web --dry-run",
		flags: []urfave.Flag{
			scopesFlag(),
			typeFlag(), sinceFlag(), untilFlag(),
			&urfave.StringSliceFlag{Name: "stage", Usage: "only the `STAGE` " + strings.Join(enrich.Stages()[:5], ", ") + "; may be repeated"},
			&urfave.StringFlag{Name: "model", Usage: "who chooses: auto, none or the `NAME` of a server", Value: app.ModelAuto},
			&urfave.IntFlag{Name: "max-tokens", Usage: "let models take at most `N` tokens"},
			&urfave.BoolFlag{Name: "require-model", Usage: "fail if no model could be asked"},
		},
		writes: true, run: runEnrich,
	}
}

func runEnrich(c *call) error {
	r, err := enrichRequest(c)
	if err != nil {
		return err
	}
	store, err := c.open()
	if err != nil {
		return err
	}
	line := c.Progress("reading")
	defer line.End()
	_, snap, err := c.load()
	if err != nil {
		return err
	}
	if err := unknownChosen(c, snap); err != nil {
		return err
	}
	missing, err := app.Choose(store, c.env, snap, &r, c.flags.String("model"), c.flags.Int("max-tokens"))
	if errors.Is(err, app.ErrNoSuchModel) {
		return fail.Usagef("--model: %w", err)
	} else if err != nil {
		return err
	}
	if c.flags.String("model") != app.ModelNone {
		why, err := app.NearInMeaning(c.ctx, store, c.env, snap, &r)
		if err != nil {
			return err
		}
		if why != "" {
			c.Note("by words alone: %s", why)
		}
	}
	r.Event = func(e enrich.Event) {
		if e.Event == enrich.Started {
			line.Now(e.Stage)
		}
		startStage(c, e)
	}
	if !c.fixed {
		began := clock()
		r.Now = func() int64 { return clock().Sub(began).Milliseconds() }
	}
	dry := c.flags.Bool("dry-run")
	planned, err := app.PlanEnrichment(c.ctx, store, snap, r)
	if err == nil && c.flags.Bool("require-model") {
		err = needModel(&c.Printer, missing, planned.Plan.Model)
	}
	var result *workspace.Result
	if err == nil && !dry {
		result, err = app.CommitEnrichment(c.ctx, store, r, planned, c.started())
	}
	line.End()
	if err != nil {
		return err
	}
	printer.ModelUse(&c.Printer, planned.Plan.Model)
	doc := document.NewEnrichment(planned, result)
	if result != nil {
		printer.Warnings(&c.Printer, result)
	}
	if c.JSON {
		return c.PrintJSON(doc)
	}
	printer.Enriched(&c.Printer, doc, dry)
	return nil
}

// needModel is the error of a run that needs a model and has none, or none that answers.
func needModel(p *printer.Printer, missing string, use *oplog.ModelUse) error {
	if use != nil && len(use.Degraded) > 0 && len(use.By) == 0 {
		missing = strings.Join(use.Degraded, "; ")
	}
	if missing == "" {
		return nil
	}
	return fail.WithHint(errors.New("no model could be asked: "+missing), "without --require-model the rules choose")
}

// startStage passes an event on: as a line of JSON with --json, in words with --verbose.
func startStage(c *call, e enrich.Event) {
	switch {
	case c.Quiet:
	case c.JSON:
		line, err := json.Marshal(e)
		if err == nil {
			fmt.Fprintf(term.Tolerant{Writer: c.Stderr}, "%s\n", line)
		}
	case c.Verbose && e.Event == enrich.Finished:
		c.Note("%s: %d seen, %d made, %d left alone", e.Stage, e.Seen, e.Made, e.Skipped)
	}
}

// enrichRequest is what the flags ask for.
func enrichRequest(c *call) (r enrich.Request, err error) {
	r.Type, r.Stages = c.flags.String("type"), c.flags.StringSlice("stage")
	if r.Scope, err = c.scopes(); err != nil {
		return r, err
	}
	conf, err := c.settings()
	if err != nil {
		return r, err
	}
	r.Settings = conf.Settings
	if r.Since, r.Until, err = periodOf(c, r.Settings); err != nil {
		return r, err
	}
	if n := c.flags.Int("max-tokens"); n < 0 || n == 0 && c.flags.IsSet("max-tokens") {
		return r, fail.Usagef("--max-tokens: write a number above 0")
	}
	return r, nil
}
