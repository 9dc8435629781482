// Package model shows which language models may be asked, and tries them.
package model

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/memoryd/memoryd/internal/app"
	"github.com/memoryd/memoryd/internal/document"
	"github.com/memoryd/memoryd/internal/fail"
	"github.com/memoryd/memoryd/internal/term"
	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/provider"
	"github.com/memoryd/memoryd/pkg/workspace"
)

// Status says which models may be asked, and what today has used.
type Status struct {
	Enabled     bool           `json:"enabled"`
	AllowRemote bool           `json:"allow_remote"`
	Servers     []Server       `json:"servers"`
	Today       document.Spent `json:"today"`
	DayTokens   int            `json:"day_tokens"`
	DayCost     float64        `json:"day_cost"`
}

// Server is one of the chain.
type Server struct {
	Name    string `json:"name"`
	Kind    string `json:"kind"`
	Model   string `json:"model"`
	BaseURL string `json:"base_url"`
	Local   bool   `json:"local"`
	Ready   bool   `json:"ready"`
	Missing string `json:"missing,omitempty"`
}

// StatusOf shows the servers and what today has used. It asks none.
func StatusOf(store *workspace.FileStore, settings config.Model, getenv func(string) string, now time.Time) (*Status, error) {
	servers, err := app.ModelServers(settings, getenv)
	if err != nil {
		return nil, err
	}
	receipts, err := store.Ops().ModelReceipts()
	if err != nil {
		return nil, err
	}
	doc := &Status{
		Enabled: settings.Enabled, AllowRemote: settings.AllowRemote, Servers: []Server{},
		Today: app.SpentOn(now, provider.ReadReceipts(receipts)), DayTokens: settings.DayTokens, DayCost: settings.DayCost,
	}
	for _, s := range servers {
		doc.Servers = append(doc.Servers, Server{s.Name, string(s.Kind), s.Model, s.BaseURL, s.Local, s.Missing == "", s.Missing})
	}
	return doc, nil
}

// Tried is what a test found of one server.
type Tried struct {
	Server    string           `json:"server"`
	Model     string           `json:"model"`
	Outcome   provider.Outcome `json:"outcome"`
	MS        int64            `json:"ms"`
	TokensIn  int              `json:"tokens_in"`
	TokensOut int              `json:"tokens_out"`
	Detail    string           `json:"detail,omitempty"`
}

// testQuestion holds no memory. It is another one each time, so that no answer is an earlier one.
func testQuestion(now time.Time) provider.Request {
	return provider.Request{
		Task: "test", Version: now.UTC().Format(time.RFC3339Nano), System: "You answer with JSON.", User: "Is 7 greater than 3?", Reach: provider.Remote, MaxOutput: 500,
		Schema: json.RawMessage(`{"type":"object","properties":{"yes":{"type":"boolean"}},"required":["yes"],"additionalProperties":false}`),
	}
}

// Test asks each server, or those named, a short question without any memory.
func Test(ctx context.Context, store *workspace.FileStore, settings config.Settings, getenv func(string) string, clock func() time.Time, names []string) ([]Tried, error) {
	if !settings.Model.Enabled {
		return nil, fail.WithHint(errors.New("models are off"), "set model.enabled = true in memory.toml")
	}
	chain, err := app.OpenModel(store, settings, getenv, "")
	if err != nil {
		return nil, err
	}
	if chain == nil {
		return nil, fail.WithHint(errors.New("no server is ready"), `"memory model status" says what each lacks`)
	}
	servers, err := app.ModelServers(settings.Model, getenv)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		if !slices.ContainsFunc(servers, func(s app.ModelServer) bool { return s.Name == name }) {
			return nil, fail.Errorf(fail.ExitNotFound, "model.chain has no server %q", name)
		}
	}
	chain.Cache = nil
	var all []Tried
	for _, s := range servers {
		if len(names) > 0 && !slices.Contains(names, s.Name) {
			continue
		}
		r := Tried{Server: s.Name, Model: s.Model, Detail: s.Missing}
		if s.Missing == "" {
			try(ctx, chain.Only(s.Name), clock, &r)
		}
		all = append(all, r)
	}
	return all, nil
}

// try asks one server the test question.
func try(ctx context.Context, chain *provider.Chain, clock func() time.Time, r *Tried) {
	begun := clock()
	a, err := chain.Ask(ctx, testQuestion(begun))
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
