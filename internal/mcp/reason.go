package mcp

import (
	"context"
	"fmt"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/memoryd/memoryd/internal/app"
	"github.com/memoryd/memoryd/internal/document"
	"github.com/memoryd/memoryd/pkg/answer"
	"github.com/memoryd/memoryd/pkg/recall"
)

type reasonArgs struct {
	Question string `json:"question"`
	Scope    string `json:"scope,omitempty" jsonschema:"a scope such as project:shop, or a kind of scopes: project"`
	Type     string `json:"type,omitempty"`

	AllProjects bool `json:"all_projects,omitempty" jsonschema:"from memories of other projects too"`
}

func addReason(s *sdk.Server, r *room) {
	add(s, tool{
		name: "reason", title: "Answer a question", reads: true,
		purpose: "Answer a question from the memories: when something was (last Friday is resolved to its date), how long ago, or what one sentence says; null if the memories don't say. By rules, without a language model. It quotes its sources. For a subject rather than a question, search is better.",
		arguments: func(a map[string]*jsonschema.Schema) {
			chars(a["question"], 1, maxQuery)
		},
	}, r.reason)
}

func (r *room) reason(ctx context.Context, args reasonArgs) (document.Answer, string, error) {
	var result document.Answer
	settings, snap, at, err := r.asked(ctx)
	if err != nil {
		return result, "", err
	}
	query := recall.Query{Text: args.Question, At: at, Limit: answer.MaxHits, Filter: recall.Filter{Scope: args.Scope, Type: args.Type}}
	if err := r.compare(ctx, settings, snap, &query); err != nil {
		return result, "", err
	}
	found, err := r.words.Search(snap, settings, query, 0, nil, r.elsewhere(snap, args.Scope, args.AllProjects))
	if err != nil {
		return result, "", err
	}
	result = *app.AnswerOf(&query, found.Hits)
	result.Reasoning = document.Short(result.Reasoning, 600)
	var read []string
	for i := range result.Sources {
		s := &result.Sources[i]
		s.Quote, read = document.Short(s.Quote, 600), append(read, s.MemoryID)
	}
	for i := range result.Times {
		result.Times[i].Expression = document.Short(result.Times[i].Expression, 100)
	}
	r.read("reason", read...)
	if result.Answer == nil {
		result.Hint = unknown(snap, app.AskedScope("scope", args.Scope), app.AskedType("type", args.Type))
		near := ""
		for i := range result.Nearest {
			s := &result.Nearest[i]
			s.Quote = document.Short(s.Quote, 300)
			near += oneLine("nearest, %s: %s", s.MemoryID, s.Quote)
		}
		return result, fmt.Sprintf("No answer: %s. search shows what there is.\n", result.Reasoning) + near + hinted(result.Hint), nil
	}
	said := document.Short(*result.Answer, 600)
	result.Answer = &said
	var text strings.Builder
	fmt.Fprintf(&text, "%s\n%s", quoted(said), oneLine("confidence %.2f: %s", result.Confidence, result.Reasoning))
	for _, s := range result.Sources {
		fmt.Fprintf(&text, "%s says:\n%s\n", s.MemoryID, quoted(s.Quote))
	}
	return result, text.String(), nil
}
