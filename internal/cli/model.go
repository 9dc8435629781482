package cli

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"github.com/memoryd/memoryd/internal/document"
	"github.com/memoryd/memoryd/internal/fail"
	"github.com/memoryd/memoryd/internal/op/model"
	"github.com/memoryd/memoryd/internal/term"
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
	if c.json {
		return c.printJSON(doc)
	}
	printModelStatus(&c.printer, doc)
	return nil
}

func printModelStatus(p *printer, doc *document.ModelStatus) {
	facts := p.facts()
	if doc.Enabled {
		facts.Row("models", "on")
	} else {
		facts.Row("models", "off: set model.enabled = true in memory.toml to use them")
	}
	if doc.AllowRemote {
		facts.Row("remote", "allowed, for the scopes that [model.scopes] names remote")
	} else {
		facts.Row("remote", "not allowed: nothing leaves this machine")
	}
	today := fmt.Sprintf("%s, %s tokens", quantity(doc.Today.Requests, "request"), thousands(doc.Today.Tokens))
	if doc.DayTokens > 0 {
		today += " of " + thousands(doc.DayTokens)
	}
	if doc.Today.Cost > 0 || doc.DayCost > 0 {
		today += fmt.Sprintf(", cost %.4f", doc.Today.Cost)
	}
	facts.Row("today", today)
	p.printf("%s\n", facts.Format("", p.style))
	t := &term.Table{Head: []string{"SERVER", "MODEL", "ADDRESS", "WHERE", "STATE"}, Cut: true}
	for _, s := range doc.Servers {
		t.Row(s.Name, cmp.Or(s.Model, "-"), s.BaseURL, whereServer(s.Local), cmp.Or(s.Missing, "ready"))
	}
	p.printf("%s", t.Format("", p.style))
}

func whereServer(local bool) string {
	if local {
		return "local"
	}
	return "remote"
}

func modelTest(c *call, conf *config.Config, names []string) error {
	all, err := model.Test(c.ctx, c.store, conf.Settings, c.env, clock, names)
	if err != nil {
		return err
	}
	if err := printTried(&c.printer, all); err != nil {
		return err
	}
	if !slices.ContainsFunc(all, func(t document.ModelTest) bool { return t.Outcome == provider.OK }) {
		return fail.Outcome(fail.ExitError)
	}
	return nil
}

func printTried(p *printer, all []document.ModelTest) error {
	if p.json {
		return p.printJSON(document.ModelTests{Tests: all})
	}
	t := &term.Table{Head: []string{"SERVER", "MODEL", "OUTCOME", "MS", "TOKENS", "DETAIL"}, Right: map[int]bool{3: true, 4: true}, Cut: true}
	for _, r := range all {
		t.Row(r.Server, cmp.Or(r.Model, "-"), cmp.Or(string(r.Outcome), "not asked"), thousands(int(r.MS)), thousands(r.TokensIn+r.TokensOut), r.Detail)
	}
	p.printf("%s", t.Format("", p.style))
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
	if c.json {
		return c.printJSON(document.ModelReceipts{Receipts: all, Page: document.Page{Total: len(all)}})
	}
	if len(all) == 0 {
		c.printf("no receipts\n")
		return nil
	}
	t := &term.Table{
		Head:  []string{"WHEN", "TASK", "SERVER", "MODEL", "SCOPE", "OUTCOME", "IN", "OUT", "COST", "MS", "ABOUT"},
		Right: map[int]bool{6: true, 7: true, 8: true, 9: true}, Cut: true, Spare: []int{3, 9, 8},
	}
	for _, r := range all {
		said := string(r.Outcome)
		if r.Estimated {
			said += " (estimated)"
		}
		t.Row(c.when(r.At), r.Task, r.Provider, r.Model, cmp.Or(r.Scope, "-"), said, thousands(r.TokensIn), thousands(r.TokensOut),
			fmt.Sprintf("%.4f", r.Cost), thousands(int(r.MS)), strings.Join(r.IDs, ", "))
	}
	c.printf("%s", t.Format("", c.style))
	return nil
}
