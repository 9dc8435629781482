package mcp

import (
	"context"
	"encoding/json"
	"reflect"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/memoryd/memoryd/internal/app"
	"github.com/memoryd/memoryd/internal/document"
	"github.com/memoryd/memoryd/internal/op/edit"
	"github.com/memoryd/memoryd/internal/op/saving"
	"github.com/memoryd/memoryd/pkg/memory"
)

type saveArgs struct {
	Content  json.RawMessage `json:"content"`
	Type     string          `json:"type" jsonschema:"factual (how something is), procedural (how something is done), episodic (what happened), semantic (what something means, decisions), working (for this session only)"`
	Subtype  string          `json:"subtype,omitempty" jsonschema:"free text, such as decision"`
	Scope    string          `json:"scope,omitempty" jsonschema:"for whom it is: global, team:NAME, agent:NAME, project:NAME or session:NAME; without it global, for working this session"`
	Tags     []string        `json:"tags,omitempty"`
	Priority string          `json:"priority,omitempty"`
	By       string          `json:"by,omitempty" jsonschema:"who writes it: the name of the agent, or USER where the person dictated it"`
	Redact   bool            `json:"redact,omitempty" jsonschema:"replace secrets by what kind they are, instead of refusing the memory"`
	Aliases  []string        `json:"aliases,omitempty" jsonschema:"5 to 8 words or short phrases by which somebody would search for this and which the text lacks: synonyms, the task it helps with, also in other languages the person uses"`
	TTL      string          `json:"ttl,omitempty" jsonschema:"how long it is of use: 30d, or a date"`
	ReviewOn string          `json:"review_on,omitempty" jsonschema:"date to look at it again"`
	Replaces []string        `json:"supersedes,omitempty" jsonschema:"ids of memories that this one replaces"`
	Pin      bool            `json:"pin,omitempty" jsonschema:"give it first, never archive it"`
	NoCheck  bool            `json:"no_check,omitempty" jsonschema:"save it beside what says the same already"`
}

func addSave(s *sdk.Server, r *room) {
	add(s, tool{
		name: "save", title: "Save a memory", adds: true,
		purpose: "Write down what later sessions should know, in words that are understood without this conversation: names, numbers, versions and dates in full. What is there already is not saved twice. What is nearly there, or says that it corrects a memory, is saved and flagged. Secrets are refused.",
		arguments: func(a map[string]*jsonschema.Schema) {
			a["content"] = &jsonschema.Schema{Types: []string{"string", "object"}, Description: "a text, or an object such as {\"summary\": …, \"details\": …}"}
			oneOf(a["type"], memory.Factual, memory.Procedural, memory.Episodic, memory.Semantic, memory.Working)
			oneOf(a["priority"], "high", "medium", "low")
			chars(a["by"], 0, 100)
			chars(a["subtype"], 0, 100)
			items(a["tags"], 0, 50)
			chars(a["tags"].Items, 1, 100)
			items(a["aliases"], 0, memory.MaxAliases)
		},
	}, r.save)
}

func (r *room) save(ctx context.Context, args saveArgs) (result document.Saved, text string, err error) {
	draft, err := args.draft(ctx)
	if err != nil {
		return result, "", err
	}
	if r.owned {
		draft.CreatedBy = r.agent
	}
	if draft.Type == memory.Working && args.Scope == "" {
		if draft.Scope, err = r.sessionScope(draft.Scope); err != nil {
			return result, "", err
		}
	}
	settings, err := r.config()
	if err != nil {
		return result, "", err
	}
	at, err := app.InZone(r.now(), settings)
	if err != nil {
		return result, "", err
	}
	extras := edit.Extras{Aliases: args.Aliases, TTL: args.TTL, ReviewOn: args.ReviewOn, Supersedes: args.Replaces, Pin: args.Pin}
	if draft, err = extras.Draft(draft, at); err != nil {
		return result, "", err
	}
	if err := r.live.Lock(ctx); err != nil {
		return result, "", err
	}
	defer r.live.Unlock()
	snap, err := r.view(ctx)
	if err != nil {
		return result, "", err
	}
	draft, asks, left, err := edit.AgentDraft(snap, settings, draft, writer(ctx), client(ctx))
	if err != nil {
		return result, "", err
	}
	if r.said == nil || !reflect.DeepEqual(r.saidBy, settings) {
		r.said, r.saidBy = saving.NewIndex(settings), settings
	}
	out, err := saving.Save(ctx, r.store, settings, draft, saving.Options{
		At: snap.At, Snapshot: snap, Index: r.said, Search: r.words.Find, Asks: asks, NoCheck: args.NoCheck, Redact: args.Redact, Started: r.started(), Session: r.used("save").Session,
	})
	if err != nil {
		return result, "", err
	}
	if r.crossed != nil {
		if err := r.crossed(settings, snap, draft, out); err != nil {
			r.log.Warn("the working memories are not consolidated", "error", err)
		}
	}
	out.Notes = shortened(append(left, out.Notes...))
	for i, d := range out.Differences {
		out.Differences[i] = document.Short(d, 200)
	}
	out.Differences = out.Differences[:min(len(out.Differences), 20)]
	return out, savedText(&out), nil
}

// sessionScope is the scope of the host's session, else the one given.
func (r *room) sessionScope(other memory.Scope) (memory.Scope, error) {
	if r.session == nil {
		return other, nil
	}
	id, err := r.session(true)
	if err != nil || id == "" {
		return other, err
	}
	return memory.Scope{Kind: "session", ID: id}, nil
}

// draft is the memory that the arguments describe.
func (a *saveArgs) draft(ctx context.Context) (memory.Draft, error) {
	d := memory.Draft{
		Type: a.Type, Subtype: a.Subtype, Scope: memory.Global, Tags: a.Tags, Priority: a.Priority, CreatedBy: strings.TrimSpace(a.By), Content: a.Content,
	}
	if err := edit.TooLong(a.Content, nil); err != nil {
		return d, err
	}
	if d.CreatedBy == "" {
		d.CreatedBy = writer(ctx)
	}
	if a.Scope != "" {
		var err error
		if d.Scope, err = memory.ParseScope(a.Scope); err != nil {
			return d, badScope(err)
		}
	}
	var said string
	if json.Unmarshal(a.Content, &said) == nil {
		content, err := app.TextContent(said)
		if err != nil {
			return d, refuse("Say what is to be remembered.", "%v", err)
		}
		d.Content = content
	}
	return d, nil
}

// savedText says what became of a memory.
func savedText(out *document.Saved) string {
	var b strings.Builder
	switch {
	case out.Status == saving.Merged:
		b.WriteString(oneLine("%s.", saving.Merging(out)))
		if out.RunID != "" {
			b.WriteString(oneLine("memory undo %s takes it back.", out.RunID))
		}
		b.WriteString(oneLine("no_check saves it all the same."))
	case out.Status == saving.Flagged:
		b.WriteString(oneLine("Saved as %s, and flagged: %s. The person decides: memory review %s.", out.ID, saving.Flagging(out), out.PairID))
		for _, d := range out.Differences {
			b.WriteString(oneLine("%s: %s", app.DifferenceVerb(out.Reason), d))
		}
	default:
		b.WriteString(oneLine("Saved as %s.", out.ID))
	}
	if len(out.Supersedes) > 0 {
		b.WriteString(oneLine("It supersedes %s.", strings.Join(out.Supersedes, ", ")))
	}
	for _, f := range out.Redacted {
		b.WriteString(oneLine("Redacted: %s", f.String()))
	}
	return b.String() + notes(out.Notes)
}
