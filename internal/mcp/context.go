package mcp

import (
	"cmp"
	"context"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/memoryd/memoryd/internal/document"
	"github.com/memoryd/memoryd/pkg/briefing"
	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/memory"
)

// Asker is who asks for a block of memories, and what for.
type Asker struct{ Agent, Project, Session, Query string }

// Brief writes a block of what somebody should know.
type Brief func(snap *memory.Snapshot, settings config.Settings, who Asker, request briefing.Request) (briefing.Block, error)

type contextArgs struct {
	Agent   string `json:"agent,omitempty" jsonschema:"for this agent: what is everybody's, its team's and its own; MEMORY_AGENT when it isn't given"`
	Project string `json:"project,omitempty" jsonschema:"for this project, a name or a directory; this one when it isn't given"`
	Session string `json:"session,omitempty" jsonschema:"for this session: its own notes too"`
	Query   string `json:"query,omitempty" jsonschema:"what the work is about: what is relevant to it comes first among what matters less"`
	Budget  int    `json:"budget,omitempty" jsonschema:"tokens that the block may take"`
	Format  string `json:"format,omitempty"`
}

func addContext(s *sdk.Server, r *room) {
	add(s, tool{
		name: "context", title: "What to know", reads: true,
		purpose: "One block of the memories that matter most now, as given at the start of a session: within a budget of tokens, grouped, with ids and dates. For a question, search is better.",
		arguments: func(a map[string]*jsonschema.Schema) {
			chars(a["query"], 0, maxQuery)
			between(a["budget"], 1, maxBudget, 0)
			for _, f := range briefing.Formats() {
				oneOf(a["format"], string(f))
			}
		},
	}, r.context)
}

// maxBudget keeps a block within what hosts take of a tool.
const maxBudget = 8000

func (r *room) context(ctx context.Context, args contextArgs) (document.Context, string, error) {
	result := document.Context{Given: []briefing.Given{}}
	settings, err := r.config()
	if err != nil {
		return result, "", err
	}
	snap, err := r.view(ctx)
	if err != nil {
		return result, "", err
	}
	request := briefing.Request{Format: briefing.Formats()[0], Tokens: min(settings.Context.TokenBudget, maxBudget), Chars: maxChars}
	if args.Format != "" {
		request.Format = briefing.Format(args.Format)
	}
	if args.Budget > 0 {
		request.Tokens = args.Budget
	}
	who := Asker{Agent: cmp.Or(args.Agent, r.agent), Project: args.Project, Session: args.Session, Query: args.Query}
	if who.Project == "" {
		who.Project = r.project
	}
	if who.Session == "" && r.session != nil {
		if who.Session, err = r.session(false); err != nil {
			return result, "", err
		}
	}
	if who.Agent == "" && who.Session != "" {
		who.Agent = r.store.Ops().AgentOf(who.Session)
	}
	block, err := r.brief(snap, settings, who, request)
	if err != nil {
		return result, "", err
	}
	result = document.NewContext(block)
	use := r.used("context")
	use.Session = cmp.Or(args.Session, use.Session)
	if err := r.store.Ops().NoteGiven(use, block.IDs()...); err != nil {
		r.log.Debug("what is given is not noted", "error", err)
	}
	text := block.Text
	if text == "" {
		text = "No memory matters enough to be given unasked, or fits into the budget. search finds others.\n"
	}
	return result, text, nil
}
