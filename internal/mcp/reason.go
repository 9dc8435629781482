package mcp

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/memoryd/memoryd/internal/app"
	"github.com/memoryd/memoryd/pkg/answer"
	"github.com/memoryd/memoryd/pkg/recall"
)

type reasonArgs struct {
	Question string `json:"question"`
	Scope    string `json:"scope,omitempty" jsonschema:"a scope such as project:shop, or a kind of scopes: project"`
	Type     string `json:"type,omitempty"`
}

type reasonResult struct {
	Answer     string       `json:"answer,omitempty" jsonschema:"absent when the memories don't say"`
	Confidence float64      `json:"confidence" jsonschema:"a rank from 0 to 1"`
	Reasoning  string       `json:"reasoning"`
	Concluded  bool         `json:"requires_inference" jsonschema:"it is concluded, and stands so in no memory"`
	Times      []resolution `json:"temporal_resolutions"`
	Sources    []source     `json:"sources"`
	Hint       string       `json:"hint,omitempty" jsonschema:"what was asked for and no memory has, and what may be meant"`
}

// resolution is an expression of time, and the days that it means.
type resolution struct {
	ID         string `json:"memory_id"`
	Expression string `json:"expression,omitempty" jsonschema:"as written; absent for the day of the memory itself"`
	Reference  string `json:"reference" jsonschema:"when the memory was written"`
	From       string `json:"from"`
	To         string `json:"to" jsonschema:"the first moment behind it"`
}

type source struct {
	ID    string `json:"memory_id"`
	Quote string `json:"quote"`
}

func addReason(s *sdk.Server, r *room) {
	add(s, tool{
		name: "reason", title: "Answer a question", reads: true,
		purpose: "Answer a question from the memories: when something was (last Friday is resolved to its date), how long ago, or what one sentence says. By rules, without a language model. It quotes its sources. For a subject rather than a question, search is better.",
		arguments: func(a map[string]*jsonschema.Schema) {
			chars(a["question"], 1, maxQuery)
		},
	}, r.reason)
}

func (r *room) reason(ctx context.Context, args reasonArgs) (reasonResult, string, error) {
	result := reasonResult{Times: []resolution{}, Sources: []source{}}
	settings, snap, at, err := r.asked(ctx)
	if err != nil {
		return result, "", err
	}
	query := recall.Query{Text: args.Question, At: at, Limit: answer.MaxHits, Filter: recall.Filter{Scope: args.Scope, Type: args.Type}}
	if err := r.compare(ctx, settings, snap, &query); err != nil {
		return result, "", err
	}
	found, err := r.words.Search(snap, settings, query, 0, nil)
	if err != nil {
		return result, "", err
	}
	doc := app.AnswerOf(&query, found.Hits)
	result.Confidence, result.Concluded, result.Reasoning = doc.Confidence, doc.RequiresInference, short(doc.Reasoning, 600)
	var read []string
	for _, s := range doc.Sources {
		result.Sources, read = append(result.Sources, source{s.MemoryID, short(s.Quote, 600)}), append(read, s.MemoryID)
	}
	for _, t := range doc.Times {
		result.Times = append(result.Times, resolution{t.MemoryID, short(t.Expression, 100), t.Reference.Format(time.RFC3339), t.From.Format(time.RFC3339), t.To.Format(time.RFC3339)})
	}
	r.read("reason", read...)
	if doc.Answer.Answer == nil {
		result.Hint = unknown(snap, app.AskedScope("scope", args.Scope), app.AskedType("type", args.Type))
		return result, fmt.Sprintf("No answer: %s. search shows what there is.\n", result.Reasoning) + hinted(result.Hint), nil
	}
	result.Answer = short(*doc.Answer.Answer, 600)
	var text strings.Builder
	fmt.Fprintf(&text, "%s\n%s", quoted(result.Answer), oneLine("confidence %.2f: %s", result.Confidence, result.Reasoning))
	for _, s := range result.Sources {
		fmt.Fprintf(&text, "%s says:\n%s\n", s.ID, quoted(s.Quote))
	}
	return result, text.String(), nil
}
