package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"github.com/memoryd/memoryd/cmd/memory/internal/app"
	"github.com/memoryd/memoryd/pkg/rules"
)

func planCommand() *command {
	return &command{
		args:    "[options]",
		purpose: "show what consolidation would do, and change nothing",
		detail: `Each action is shown with its reason, then what was left alone and why. If there
are many questions to a person, only the first are shown; --verbose shows all.
What was read is cached in ops/cache, which may be deleted at any time.
--out writes the plan to a file. "memory consolidate --plan FILE" then does what
the file lists, and nothing else.`,
		example: "memory plan --scope agent:DEV-001 --out plan.json",
		flags: []urfave.Flag{
			triggerFlag(), scopeFlag("only memories of `SCOPE`, such as agent:DEV-001"),
			typeFlag(), sinceFlag(), untilFlag(), consentFlag(), limitFlag("change at most `N` memories in a run"),
			&urfave.StringFlag{Name: "out", Usage: "also write the plan to `FILE`"},
			&urfave.BoolFlag{Name: "force", Usage: "let --out overwrite a file"},
		},
		runLimit: true,
		run:      runPlan,
	}
}

func runPlan(c *call) error {
	for _, flag := range []string{"type", "since", "until"} {
		if c.flags.IsSet("out") && c.flags.IsSet(flag) {
			return usagef("--out and --%s: a plan in a file is of a scope; \"memory consolidate --%s\" does without a file", flag, flag)
		}
	}
	r, err := c.request()
	if err != nil {
		return err
	}
	progress := c.progress("planning")
	defer progress.end()
	store, snap, err := c.load()
	if err != nil {
		return err
	}
	if err := c.unknownType(snap); err != nil {
		return err
	}
	r.LogHead = store.Log().Head()
	plan, err := app.MakePlan(store, snap, r)
	progress.end()
	if err == nil && c.has("deep") && c.flags.Bool("deep") {
		plan, err = c.deepen(r, snap, plan)
	}
	if err != nil {
		return err
	}
	if name := c.flags.String("out"); name != "" || c.json {
		doc := app.NewPlanDocument(plan, nil)
		doc.Limit = r.Settings.Run.Limit
		if name != "" {
			if err := c.savePlan(c.path(name), *doc); err != nil {
				return err
			}
		}
		if c.json {
			return c.printJSON(doc)
		}
	}
	c.printPlan(snap, plan)
	return nil
}

// request is what the flags ask to plan.
func (c *call) request() (rules.Request, error) {
	r := rules.Request{Trigger: or(c.flags.String("trigger"), rules.Manual), Progress: c.comparing}
	if !slices.Contains(rules.TriggerNames(), r.Trigger) {
		err := usagef("--trigger: there is no %q", r.Trigger)
		return r, withHint(err, "the triggers are "+strings.Join(rules.TriggerNames(), ", "))
	}
	var err error
	if r.Scope, err = c.scope(); err != nil {
		return r, err
	}
	r.Type = c.flags.String("type")
	conf, err := c.settings()
	if err != nil {
		return r, err
	}
	r.Settings = conf.Settings
	if r.Since, r.Until, err = c.period(r.Settings); err != nil {
		return r, err
	}
	r.Secrets, err = app.SecretRules(c.store, r.Settings)
	return r, err
}

// savePlan writes the document of --json to a file.
func (c *call) savePlan(name string, doc app.PlanDocument) error {
	doc.LogHead = c.store.Log().Head()
	text, err := marshalIndent(doc)
	if err != nil {
		return err
	}
	flags := os.O_WRONLY | os.O_CREATE | os.O_EXCL
	if c.flags.Bool("force") {
		flags = os.O_WRONLY | os.O_CREATE | os.O_TRUNC
	}
	f, err := os.OpenFile(name, flags, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return withHint(fmt.Errorf("--out: %s exists already", name), "choose another name, or overwrite it with --force")
	}
	if err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	_, err = f.Write(text)
	return errors.Join(err, f.Close())
}
