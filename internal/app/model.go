package app

import (
	"fmt"
	"slices"
	"time"

	"github.com/memoryd/memoryd/internal/document"
	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/provider"
	"github.com/memoryd/memoryd/pkg/secrets"
	"github.com/memoryd/memoryd/pkg/workspace"
	"github.com/memoryd/memoryd/pkg/workspace/ops"
)

// ModelServer is a server of the chain, and whether it can be asked.
type ModelServer struct {
	provider.Endpoint
	Missing string // what it lacks; "" if it is ready

	keyEnv string // the environment variable with its key
}

// ModelServers lists the servers of the chain as the settings and the environment have them. A name that no server has is an error.
func ModelServers(set config.Model, env func(string) string) ([]ModelServer, error) {
	var all []ModelServer
	for _, name := range set.Chain {
		s, ok := set.Server(name)
		if !ok {
			return nil, fmt.Errorf("model.chain names %q, which is no server: add [model.%s] with its base_url and model", name, name)
		}
		e := provider.Endpoint{
			Name: name, Kind: provider.Kind(s.Kind), BaseURL: s.BaseURL, Model: s.Model, Context: s.Context, MaxOutput: set.MaxOutput,
			Timeout: set.Timeout.Clock(), LoadTimeout: set.LoadTimeout.Clock(), Local: provider.IsLoopback(s.BaseURL),
		}
		if s.KeyEnv != "" {
			e.Key = env(s.KeyEnv)
		}
		if s.Local != "" {
			e.Local = s.Local == "true"
		}
		if p, ok := set.Prices[s.Model]; ok {
			e.Price = &provider.Price{In: p.In, Cached: p.Cached, Out: p.Out}
		}
		all = append(all, ModelServer{e, missing(set, s, &e), s.KeyEnv})
	}
	return all, nil
}

// missing says what a server lacks to be asked.
func missing(set config.Model, s config.ModelServer, e *provider.Endpoint) string {
	needsKey := e.Kind == provider.OpenAI || e.Kind == provider.Anthropic
	switch {
	case s.Model == "":
		return fmt.Sprintf("no model: set model in [model.%s]", e.Name)
	case needsKey && e.Key == "":
		return "no key: set the environment variable " + s.KeyEnv
	case !e.Local && !set.AllowRemote:
		return "it is remote: set model.allow_remote = true"
	}
	return ""
}

// OpenModel returns the models that may be asked on behalf of a run; nil if the settings allow none, or none is set up.
func OpenModel(store *workspace.FileStore, set config.Settings, env func(string) string, run string) (*provider.Chain, error) {
	if !set.Model.Enabled {
		return nil, nil
	}
	servers, err := ModelServers(set.Model, env)
	if err != nil {
		return nil, err
	}
	var ready []provider.Endpoint
	for _, s := range servers {
		if s.Missing == "" {
			ready = append(ready, s.Endpoint)
		}
	}
	if len(ready) == 0 {
		return nil, nil
	}
	rules, err := SecretRules(store, set)
	if err != nil {
		return nil, err
	}
	return provider.New(provider.Options{
		Endpoints: ready, Ledger: ModelLedger(store, set.Model, run), Cache: store.Cache(), Redact: redactWith(rules),
	})
}

// ModelLedger counts tokens in a workspace. Requests are dated by the machine's clock, whatever time a run works as of.
func ModelLedger(store *workspace.FileStore, set config.Model, run string) *provider.Ledger {
	return &provider.Ledger{
		Journal: ops.ModelJournal{Ops: store.Ops()}, RunID: run,
		Limits: provider.Limits{RunTokens: set.RunTokens, DayTokens: set.DayTokens, RunCost: set.RunCost, DayCost: set.DayCost},
	}
}

// redactWith takes secrets out of a text.
func redactWith(rules *secrets.Rules) func(string) string {
	return func(text string) string {
		clean, _ := rules.Redact(text)
		return clean
	}
}

// ModelReach says how far a memory may travel. What it says of itself is the member "model" of its record.
func ModelReach(set config.Model, m *memory.Memory) provider.Reach {
	p := provider.Privacy{AllowRemote: set.AllowRemote, Scopes: set.Scopes, ExcludeTags: set.ExcludeTags}
	return p.Reach(m.Scope.String(), m.Tags, m.Model())
}

// SpentOn adds up the receipts of a day of UTC.
func SpentOn(day time.Time, receipts []provider.Receipt) (s document.Spent) {
	for i := range receipts {
		r := &receipts[i]
		if r.At.UTC().Format(time.DateOnly) == day.UTC().Format(time.DateOnly) && r.Outcome != provider.Cached {
			s.Requests, s.Tokens, s.Cost = s.Requests+1, s.Tokens+r.Tokens(), s.Cost+r.Cost
		}
	}
	return s
}

// ModelUse adds up what a run has asked, by its ledger.
func ModelUse(ledger *provider.Ledger) (use oplog.ModelUse) {
	for _, r := range ledger.Own() {
		if by := r.Provider + "/" + r.Model; (r.Outcome == provider.OK || r.Outcome == provider.Cached) && !slices.Contains(use.By, by) {
			use.By = append(use.By, by)
		}
		switch {
		case r.Outcome == provider.Cached:
			use.Cached++
			continue
		case r.Outcome == provider.Unreachable && r.Tokens() == 0: // it never left
			continue
		}
		use.Requests, use.TokensIn, use.TokensOut, use.Cost = use.Requests+1, use.TokensIn+r.TokensIn, use.TokensOut+r.TokensOut, use.Cost+r.Cost
	}
	return use
}
