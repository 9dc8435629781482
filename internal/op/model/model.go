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

// StatusOf shows the servers and what today has used. It asks none.
func StatusOf(store *workspace.FileStore, settings config.Model, getenv func(string) string, now time.Time) (*document.ModelStatus, error) {
	servers, err := app.ModelServers(settings, getenv)
	if err != nil {
		return nil, err
	}
	receipts, err := store.Ops().ModelReceipts()
	if err != nil {
		return nil, err
	}
	doc := &document.ModelStatus{
		Enabled: settings.Enabled, AllowRemote: settings.AllowRemote, Servers: []document.ModelServer{},
		Today: app.SpentOn(now, provider.ReadReceipts(receipts)), DayTokens: settings.DayTokens, DayCost: settings.DayCost,
	}
	for _, s := range servers {
		doc.Servers = append(doc.Servers, document.ModelServer{Name: s.Name, Kind: string(s.Kind), Model: s.Model, BaseURL: s.BaseURL, Local: s.Local, Ready: s.Missing == "", Missing: s.Missing})
	}
	return doc, nil
}

// testQuestion holds no memory. It is another one each time, so that no answer is an earlier one.
func testQuestion(now time.Time) provider.Request {
	return provider.Request{
		Task: "test", Version: now.UTC().Format(time.RFC3339Nano), System: "You answer with JSON.", User: "Is 7 greater than 3?", Reach: provider.Remote, MaxOutput: 500,
		Schema: json.RawMessage(`{"type":"object","properties":{"yes":{"type":"boolean"}},"required":["yes"],"additionalProperties":false}`),
	}
}

// Test asks each server, or those named, a short question without any memory.
func Test(ctx context.Context, store *workspace.FileStore, settings config.Settings, getenv func(string) string, clock func() time.Time, names []string) ([]document.ModelTest, error) {
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
	var all []document.ModelTest
	for _, s := range servers {
		if len(names) > 0 && !slices.Contains(names, s.Name) {
			continue
		}
		r := document.ModelTest{Server: s.Name, Model: s.Model, Detail: s.Missing}
		if s.Missing == "" {
			try(ctx, chain.Only(s.Name), clock, &r)
		}
		all = append(all, r)
	}
	return all, nil
}

// try asks one server the test question.
func try(ctx context.Context, chain *provider.Chain, clock func() time.Time, r *document.ModelTest) {
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
