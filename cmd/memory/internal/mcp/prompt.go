package mcp

import (
	"context"
	"fmt"
	"maps"
	"slices"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/memoryd/memoryd/pkg/memory"
)

const consolidatePrompt = `Consolidate the memories of this project.

1. Call the tool consolidate%s. It writes nothing. Show me its plan: each action with its reason, then what was left alone and why. If there is nothing to do, say so and stop.
2. Ask me whether to do it.
3. If I agree, call consolidate again%s with apply set to the plan_id. If it is refused because the plan is another by now, begin again.
4. Tell me what was done, and the run_id: undo takes it back. Pairs that were flagged are for me to decide: offer the prompt review.`

const reviewPrompt = `Go with me through the memories that wait for my decision.

1. Call the tool review for the list. If nothing waits, say so and stop.
2. For each pair call review with its id and show me both texts and what differs. Ask me what holds; take no decision yourself.
3. Record my decision: review with pair and decision keep_both (both hold), merge (they say the same), supersede (the newer holds from now on), or keep with the id of the one that stays.
4. At the end tell me what was decided, with the run_ids: undo takes each back.`

func addPrompts(s *sdk.Server) {
	scope := &sdk.PromptArgument{Name: "scope", Title: "Scope", Description: "only memories of this scope, such as agent:DEV-001"}
	s.AddPrompt(&sdk.Prompt{
		Name: "consolidate", Title: "Consolidate the memories", Description: "Plan the consolidation, show it, and apply it when you agree.",
		Arguments: []*sdk.PromptArgument{scope},
	}, func(_ context.Context, req *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
		with, and := "", ""
		if name := req.Params.Arguments["scope"]; name != "" {
			s, err := memory.ParseScope(name)
			if err != nil {
				return nil, coded(badScope(err))
			}
			with, and = " with scope "+s.String(), " with the same scope and"
		}
		return prompt(fmt.Sprintf(consolidatePrompt, with, and)), nil
	})
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
