package cli

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	urfave "github.com/urfave/cli/v2"

	"github.com/memoryd/memoryd/internal/app"
	"github.com/memoryd/memoryd/internal/document"
	"github.com/memoryd/memoryd/internal/fail"
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

// modelStatusDocument is what "model status" prints with --json.
type modelStatusDocument struct {
	Enabled     bool             `json:"enabled"`
	AllowRemote bool             `json:"allow_remote"`
	Servers     []modelServerRow `json:"servers"`
	Today       document.Spent   `json:"today"`
	DayTokens   int              `json:"day_tokens"`
	DayCost     float64          `json:"day_cost"`
}

type modelServerRow struct {
	Name    string `json:"name"`
	Kind    string `json:"kind"`
	Model   string `json:"model"`
	BaseURL string `json:"base_url"`
	Local   bool   `json:"local"`
	Ready   bool   `json:"ready"`
	Missing string `json:"missing,omitempty"`
}

func modelStatus(c *call, conf *config.Config, names []string) error {
	if len(names) > 0 {
		return fail.Usagef("status: it takes no names")
	}
	servers, err := app.ModelServers(conf.Model, c.env)
	if err != nil {
		return err
	}
	receipts, err := c.store.Ops().ModelReceipts()
	if err != nil {
		return err
	}
	doc := modelStatusDocument{
		Enabled: conf.Model.Enabled, AllowRemote: conf.Model.AllowRemote, Servers: []modelServerRow{},
		Today: app.SpentOn(clock(), provider.ReadReceipts(receipts)), DayTokens: conf.Model.DayTokens, DayCost: conf.Model.DayCost,
	}
	for _, s := range servers {
		doc.Servers = append(doc.Servers, modelServerRow{s.Name, string(s.Kind), s.Model, s.BaseURL, s.Local, s.Missing == "", s.Missing})
	}
	if c.json {
		return c.printJSON(doc)
	}
	c.printModelStatus(&doc)
	return nil
}

func (c *call) printModelStatus(doc *modelStatusDocument) {
	facts := c.facts()
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
	c.printf("%s\n", facts.Format("", c.style))
	t := &term.Table{Head: []string{"SERVER", "MODEL", "ADDRESS", "WHERE", "STATE"}, Cut: true}
	for _, s := range doc.Servers {
		t.Row(s.Name, cmp.Or(s.Model, "-"), s.BaseURL, whereServer(s.Local), cmp.Or(s.Missing, "ready"))
	}
	c.printf("%s", t.Format("", c.style))
}

func whereServer(local bool) string {
	if local {
		return "local"
	}
	return "remote"
}

// tried is what "model test" found of one server.
type tried struct {
	Server    string           `json:"server"`
	Model     string           `json:"model"`
	Outcome   provider.Outcome `json:"outcome"`
	MS        int64            `json:"ms"`
	TokensIn  int              `json:"tokens_in"`
	TokensOut int              `json:"tokens_out"`
	Detail    string           `json:"detail,omitempty"`
}

// testQuestion holds no memory.
func testQuestion() provider.Request {
	return provider.Request{
		Task: "test", Version: rand8(), System: "You answer with JSON.", User: "Is 7 greater than 3?", Reach: provider.Remote, MaxOutput: 500,
		Schema: json.RawMessage(`{"type":"object","properties":{"yes":{"type":"boolean"}},"required":["yes"],"additionalProperties":false}`),
	}
}

// rand8 makes a question one that was not asked before.
func rand8() string { return clock().UTC().Format(time.RFC3339Nano) }

func modelTest(c *call, conf *config.Config, names []string) error {
	if !conf.Model.Enabled {
		return fail.WithHint(errors.New("models are off"), "set model.enabled = true in memory.toml")
	}
	chain, err := app.OpenModel(c.store, conf.Settings, c.env, "")
	if err != nil {
		return err
	}
	if chain == nil {
		return fail.WithHint(errors.New("no server is ready"), `"memory model status" says what each lacks`)
	}
	servers, err := app.ModelServers(conf.Model, c.env)
	if err != nil {
		return err
	}
	for _, name := range names {
		if !slices.ContainsFunc(servers, func(s app.ModelServer) bool { return s.Name == name }) {
			return fail.Errorf(fail.ExitNotFound, "model.chain has no server %q", name)
		}
	}
	chain.Cache = nil
	var all []tried
	answered := false
	for _, s := range servers {
		if len(names) > 0 && !slices.Contains(names, s.Name) {
			continue
		}
		r := tried{Server: s.Name, Model: s.Model, Detail: s.Missing}
		if s.Missing == "" {
			c.tryModel(chain.Only(s.Name), &r)
			answered = answered || r.Outcome == provider.OK
		}
		all = append(all, r)
	}
	if err := c.printTried(all); err != nil {
		return err
	}
	if !answered {
		return fail.Outcome(fail.ExitError)
	}
	return nil
}

// tryModel asks one server the test question.
func (c *call) tryModel(chain *provider.Chain, r *tried) {
	begun := clock()
	a, err := chain.Ask(c.ctx, testQuestion())
	r.MS = clock().Sub(begun).Milliseconds()
	if err != nil {
		r.Outcome, r.Detail = provider.OutcomeOf(err), err.Error()
		var e *provider.Error
		if errors.As(err, &e) && len(e.Tried) > 0 {
			r.Detail = e.Tried[len(e.Tried)-1].Detail
		}
		return
	}
	r.Outcome, r.TokensIn, r.TokensOut = provider.OK, a.Receipt.TokensIn, a.Receipt.TokensOut
	if string(a.Object) != `{"yes":true}` {
		r.Detail = "it answers, but not as asked: " + term.Printable(string(a.Object))
	}
}

func (c *call) printTried(all []tried) error {
	if c.json {
		return c.printJSON(all)
	}
	t := &term.Table{Head: []string{"SERVER", "MODEL", "OUTCOME", "MS", "TOKENS", "DETAIL"}, Right: map[int]bool{3: true, 4: true}, Cut: true}
	for _, r := range all {
		t.Row(r.Server, cmp.Or(r.Model, "-"), cmp.Or(string(r.Outcome), "not asked"), thousands(int(r.MS)), thousands(r.TokensIn+r.TokensOut), r.Detail)
	}
	c.printf("%s", t.Format("", c.style))
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
		return c.printJSON(all)
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
