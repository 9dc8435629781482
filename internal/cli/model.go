package cli

import (
	"slices"

	urfave "github.com/urfave/cli/v2"

	"github.com/memoryd/memoryd/internal/document"
	"github.com/memoryd/memoryd/internal/fail"
	"github.com/memoryd/memoryd/internal/op/model"
	"github.com/memoryd/memoryd/internal/printer"
	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/provider"
)

func modelCommand() *command {
	return &command{
		args:    "status|test|preview|receipts [SERVER…] [options]",
		purpose: "show which language models may be asked, try them, and see what was sent",
		detail: `Models are off until model.enabled is true in memory.toml; without one every
command works. "status" shows the servers and what today has used; it asks none.
"test" sends a short question without any memory to each server, or those named.
"preview" prints the first request that "consolidate --deep" would send, byte for
byte, to whom, and how many tokens that is; "preview enrich" that of "enrich",
"preview answer QUESTION" that of "recall --answer". "receipts" lists the
requests: what for, to whom, about which memories, how many tokens. Texts are kept
nowhere.`,
		page:    "models.md",
		example: "memory model status",
		least:   1, most: -1,
		flags: []urfave.Flag{limitFlag("show the last `N` receipts")},
		run:   runModel, words: firstWord("status", "test", "preview", "receipts"),
	}
}

func runModel(c *call) error {
	what, names := c.args[0], c.args[1:]
	run := map[string]func(*call, *config.Config, []string) error{"status": modelStatus, "test": modelTest, "preview": modelPreview, "receipts": modelReceipts}[what]
	if run == nil {
		return unknownVerb(what, "status", "test", "preview", "receipts")
	}
	conf, err := c.settings()
	if err != nil {
		return err
	}
	return run(c, conf, names)
}

func modelStatus(c *call, conf *config.Config, names []string) error {
	if len(names) > 0 {
		return fail.Usagef("status: it takes no names")
	}
	doc, err := model.StatusOf(c.store, conf.Model, c.env, clock())
	if err != nil {
		return err
	}
	if c.JSON {
		return c.PrintJSON(doc)
	}
	printer.ModelStatus(&c.Printer, doc)
	return nil
}

func modelTest(c *call, conf *config.Config, names []string) error {
	all, err := model.Test(c.ctx, c.store, conf.Settings, c.env, clock, names)
	if err != nil {
		return err
	}
	if err := printer.ModelTests(&c.Printer, all); err != nil {
		return err
	}
	if !slices.ContainsFunc(all, func(t document.ModelTest) bool { return t.Outcome == provider.OK }) {
		return fail.Outcome(fail.ExitError)
	}
	return nil
}

func modelReceipts(c *call, _ *config.Config, names []string) error {
	limit, err := c.limit()
	if err != nil {
		return err
	}
	raw, err := c.store.Ops().ModelReceipts()
	if err != nil {
		return err
	}
	all := []provider.Receipt{}
	for _, r := range provider.ReadReceipts(raw) {
		if len(names) == 0 || slices.Contains(names, r.Provider) {
			all = append(all, r)
		}
	}
	if limit > 0 {
		all = all[max(len(all)-limit, 0):]
	}
	if c.JSON {
		return c.PrintJSON(document.ModelReceipts{Receipts: all, Page: document.Page{Total: len(all)}})
	}
	printer.ModelReceipts(&c.Printer, all)
	return nil
}
