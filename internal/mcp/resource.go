package mcp

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/workspace"
)

// The address of a memory is scheme and its id, with what an address doesn't take
// written as %XX.
const scheme = "memory://"

func addResources(s *sdk.Server, r *room) {
	s.AddResourceTemplate(&sdk.ResourceTemplate{
		Name: "memory", Title: "A memory", URITemplate: scheme + "{id}", MIMEType: "text/plain",
		Description: "A memory by its id, as get tells it: what it is, then its text. A long one is cut.",
	}, r.resource)
}

func (r *room) resource(ctx context.Context, req *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
	id, err := url.PathUnescape(strings.TrimPrefix(req.Params.URI, scheme))
	if err != nil {
		return nil, sdk.ResourceNotFoundError(req.Params.URI)
	}
	_, text, err := r.get(ctx, getArgs{IDs: []string{id}})
	if errors.Is(err, workspace.ErrNotFound) {
		return nil, sdk.ResourceNotFoundError(req.Params.URI)
	}
	if err != nil {
		return nil, coded(err)
	}
	return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: req.Params.URI, MIMEType: "text/plain", Text: text}}}, nil
}

// complete completes the id in the address of a memory, and the scope of a prompt.
func (r *room) complete(ctx context.Context, req *sdk.CompleteRequest) (*sdk.CompleteResult, error) {
	result := &sdk.CompleteResult{Completion: sdk.CompletionResultDetails{Values: []string{}}}
	snap, err := r.view(ctx)
	if err != nil {
		return nil, coded(err)
	}
	var all []string
	switch arg := req.Params.Argument; arg.Name {
	case "id":
		all = snap.IDs()
	case "scope":
		all = scopes(snap)
	}
	const most = 100 // of the protocol
	for _, word := range all {
		if !strings.HasPrefix(word, req.Params.Argument.Value) {
			continue
		}
		if result.Completion.Total++; len(result.Completion.Values) < most {
			result.Completion.Values = append(result.Completion.Values, word)
		}
	}
	result.Completion.HasMore = result.Completion.Total > most
	return result, nil
}

const consolidatePrompt = `Consolidate the memories of this project.

1. Call the tool consolidate%s. It writes nothing. Show me its plan: each action with its reason, then what was left alone and why. If there is nothing to do, say so and stop.
2. Ask me whether to do it.
3. If I agree, call consolidate again%s with apply set to the plan_id. If it is refused because the plan is another by now, begin again.
4. Tell me what was done, and the run_id: "memory undo RUN" takes it back. Pairs that were flagged are for me to decide: "memory review" shows them.`

const reviewPrompt = `Go with me through the memories that wait for my decision.

1. Call the tool review for the list. If nothing waits, say so and stop.
2. For each pair call review with its id and show me both texts and what differs. Ask me what holds; take no decision yourself.
3. Record my decision: review with pair and decision keep_both (both hold), merge (they say the same), supersede (the newer holds from now on), or keep with the id of the one that stays.
4. At the end tell me what was decided, with the run_ids: undo takes each back.`

func addPrompts(s *sdk.Server, all bool) {
	scope := &sdk.PromptArgument{Name: "scope", Title: "Scope", Description: "only memories of this scope, such as agent:DEV-001"}
	s.AddPrompt(&sdk.Prompt{
		Name: "consolidate", Title: "Consolidate the memories", Description: "Plan the consolidation, show it, and apply it when you agree.",
		Arguments: []*sdk.PromptArgument{scope},
	}, func(_ context.Context, req *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
		with, and := "", ""
		if name := req.Params.Arguments["scope"]; name != "" {
			s, err := memory.ParseScopes(name)
			if err != nil {
				return nil, coded(badScope(err))
			}
			with, and = " with scope "+s.String(), " with the same scope and"
		}
		return prompt(fmt.Sprintf(consolidatePrompt, with, and)), nil
	})
	if !all { // review works by a tool that isn't listed
		return
	}
	s.AddPrompt(&sdk.Prompt{
		Name: "review", Title: "Review flagged memories", Description: "Go through the pairs of memories that wait for your decision.",
	}, func(context.Context, *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
		return prompt(reviewPrompt), nil
	})
}

// prompt is what the person is taken to say.
func prompt(text string) *sdk.GetPromptResult {
	return &sdk.GetPromptResult{Messages: []*sdk.PromptMessage{{Role: "user", Content: &sdk.TextContent{Text: text}}}}
}

// scopes lists the scopes that memories are of.
func scopes(snap *memory.Snapshot) []string {
	all := map[string]bool{}
	for _, m := range snap.Memories() {
		all[m.Scope.String()] = true
	}
	return slices.Sorted(maps.Keys(all))
}
