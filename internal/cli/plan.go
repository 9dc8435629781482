package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"

	urfave "github.com/urfave/cli/v2"

	"github.com/memoryd/memoryd/internal/app"
	"github.com/memoryd/memoryd/internal/document"
	"github.com/memoryd/memoryd/internal/fail"
	"github.com/memoryd/memoryd/internal/printer"
	"github.com/memoryd/memoryd/pkg/refine"
	"github.com/memoryd/memoryd/pkg/rules"
)

func planCommand() *command {
	return &command{
		args:    "[options]",
		purpose: "show what consolidation would do, and change nothing",
		detail: `Each action is shown with its reason, then what was left alone and why. If there
are many questions to a person, only the first are shown; --verbose shows all.
What was read is cached in ops/cache, which may be deleted at any time.
--markdown prints it for a comment on a pull request.
--out writes the plan to a file. "memory consolidate --plan FILE" then does what
the file lists, and nothing else.`,
		example: "memory plan --scope agent:DEV-001 --out plan.json",
		flags: []urfave.Flag{
			triggerFlag(), scopesFlag(),
			typeFlag(), sinceFlag(), untilFlag(), consentFlag(), maxFlag(),
			&urfave.StringFlag{Name: "out", Usage: "also write the plan to `FILE`"},
			&urfave.BoolFlag{Name: "force", Usage: "let --out overwrite a file"},
			&urfave.BoolFlag{Name: "markdown", Usage: "print the plan for a comment on a pull request"},
		},
		run: runPlan,
	}
}

func runPlan(c *call) error {
	for _, flag := range []string{"type", "since", "until"} {
		if c.flags.IsSet("out") && c.flags.IsSet(flag) {
			return fail.Usagef("--out and --%s: a plan in a file is of a scope; \"memory consolidate --%s\" does without a file", flag, flag)
		}
	}
	r, err := planRequest(c)
	if err != nil {
		return err
	}
	progress := c.Progress("planning")
	defer progress.End()
	store, snap, err := c.load()
	if err != nil {
		return err
	}
	if err := unknownChosen(c, snap); err != nil {
		return err
	}
	r.LogHead = store.Log().Head()
	deep := c.has("deep") && c.flags.Bool("deep")
	if deep {
		if r.Reserved, err = app.RoomForDeferred(store)(snap); err != nil {
			return err
		}
	}
	plan, err := app.MakePlan(store, snap, r)
	progress.End()
	if err == nil && deep {
		var verdicts refine.Report
		if plan, verdicts, err = deepen(c, r, snap, plan); err == nil {
			printer.Judged(&c.Printer, &verdicts, app.Quantity(verdicts.Planned, "change")+" to make")
		}
	}
	if err != nil {
		return err
	}
	if name := c.flags.String("out"); name != "" || c.JSON {
		doc := document.NewPlan(plan, nil)
		doc.Limit = r.Settings.Run.Limit
		if name != "" {
			if err := savePlan(c, c.path(name), *doc); err != nil {
				return err
			}
		}
		if c.JSON {
			return c.PrintJSON(doc)
		}
	}
	if c.flags.Bool("markdown") {
		printer.PlanMarkdown(&c.Printer, snap, plan, "consolidate")
		return nil
	}
	printer.Plan(&c.Printer, snap, plan, "consolidate")
	return nil
}

// planRequest is what the flags ask to plan.
func planRequest(c *call) (rules.Request, error) {
	r := rules.Request{Trigger: cmp.Or(c.flags.String("trigger"), rules.Manual), Progress: c.comparing}
	var err error
	if r.Scope, err = c.scopes(); err != nil {
		return r, err
	}
	r.Type = c.flags.String("type")
	conf, err := c.settings()
	if err != nil {
		return r, err
	}
	r.Settings = conf.Settings
	if r.Since, r.Until, err = periodOf(c, r.Settings); err != nil {
		return r, err
	}
	r.Secrets, err = app.SecretRules(c.store, r.Settings)
	return r, err
}

// savePlan writes the document of --json to a file.
func savePlan(c *call, name string, doc document.Run) error {
	doc.LogHead = c.store.Log().Head()
	text, err := document.MarshalIndent(doc)
	if err != nil {
		return err
	}
	text = append(text, '\n')
	flags := os.O_WRONLY | os.O_CREATE | os.O_EXCL
	if c.flags.Bool("force") {
		flags = os.O_WRONLY | os.O_CREATE | os.O_TRUNC
	}
	f, err := os.OpenFile(name, flags, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return fail.WithHint(fmt.Errorf("--out: %s exists already", name), "choose another name, or overwrite it with --force")
	}
	if err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	_, err = f.Write(text)
	return errors.Join(err, f.Close())
}
