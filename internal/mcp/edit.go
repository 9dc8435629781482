package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/memoryd/memoryd/internal/app"
	"github.com/memoryd/memoryd/internal/document"
	"github.com/memoryd/memoryd/internal/op/archiving"
	"github.com/memoryd/memoryd/internal/op/edit"
	"github.com/memoryd/memoryd/internal/op/find"
	"github.com/memoryd/memoryd/pkg/memory"
)

type updateArgs struct {
	ID         string                     `json:"id" jsonschema:"id of the memory"`
	Version    string                     `json:"version,omitempty" jsonschema:"the version that get told: refused if somebody has changed the memory since"`
	Content    json.RawMessage            `json:"content,omitempty"`
	Fields     map[string]json.RawMessage `json:"fields,omitempty"`
	AddTags    []string                   `json:"add_tags,omitempty"`
	RemoveTags []string                   `json:"remove_tags,omitempty"`

	Aliases  []string `json:"add_aliases,omitempty" jsonschema:"further words by which somebody would search for it"`
	TTL      string   `json:"ttl,omitempty"`
	ReviewOn string   `json:"review_on,omitempty"`
	Replaces []string `json:"supersedes,omitempty"`
	Pin      bool     `json:"pin,omitempty"`

	DropVariants bool `json:"drop_variants,omitempty" jsonschema:"remove the other wordings that get shows as also"`
}

type forgetArgs struct {
	IDs    []string `json:"ids" jsonschema:"ids of memories"`
	Reason string   `json:"reason,omitempty" jsonschema:"why, for the log"`
}

func addEdit(s *sdk.Server, r *room) {
	add(s, tool{
		name: "update", title: "Change a memory", again: true,
		purpose: "Change a memory in place: its content, other fields, its tags. What isn't named stays as it is. Where a fact has changed, save a new memory instead, so that the old one stays known.",
		arguments: func(a map[string]*jsonschema.Schema) {
			a["content"] = &jsonschema.Schema{Types: []string{"string", "object"}, Description: "the new content in place of all of the old: a text, or an object such as {\"summary\": …, \"details\": …}"}
			a["fields"] = &jsonschema.Schema{Type: "object", Description: "values of fields, such as {\"priority\": \"high\", \"content\": {\"summary\": …}}; an object is merged into the one that is there"}
		},
	}, r.update)
	add(s, tool{
		name: "forget", title: "Archive memories", again: true,
		purpose: "Move memories to the archive, where search finds them only when little else fits. Nothing is deleted: get still reads them.",
		arguments: func(a map[string]*jsonschema.Schema) {
			items(a["ids"], 1, 50)
			chars(a["reason"], 0, 500)
		},
	}, r.forget)
}

func (r *room) update(ctx context.Context, args updateArgs) (result document.Edit, text string, err error) {
	result.ID = args.ID
	settings, err := r.config()
	if err != nil {
		return result, "", err
	}
	at, err := app.InZone(r.now(), settings)
	if err != nil {
		return result, "", err
	}
	done, err := r.commit(ctx, r.view, func(snap *memory.Snapshot) ([]memory.Action, error) {
		change := edit.Values{Content: args.Content, Fields: args.Fields, AddTags: args.AddTags, RemoveTags: args.RemoveTags}.Change(snap.At)
		if args.DropVariants {
			change = edit.DropVariants(change)
		}
		extras := edit.Extras{Aliases: args.Aliases, TTL: args.TTL, ReviewOn: args.ReviewOn, Supersedes: args.Replaces, Pin: args.Pin}
		e, err := edit.One(r.store, settings, snap, args.ID, edit.ByAgent(settings, extras.Change(change, snap, at)), edit.Options{Version: args.Version, Detail: "updated by an agent", Supersedes: args.Replaces})
		if err != nil {
			return nil, err
		}
		result.Changed, result.Version, result.Notes = len(e.Actions) > 0, document.VersionOf(memory.DigestOf(e.Record)), shortened(e.Notes)
		return e.Actions, nil
	})
	switch {
	case err != nil:
		return result, "", err
	case done == nil:
		return result, oneLine("%s is like that already: nothing was changed.", args.ID), nil
	}
	if snap, err := r.view(ctx); err == nil && snap.Folder != nil { // the version of a note is that of its file
		if m, err := find.One(snap, args.ID); err == nil {
			result.Version = document.VersionOf(m.Digest())
		}
	}
	result.RunID, result.Notes = done.RunID, append(result.Notes, done.Warnings...)
	return result, oneLine("Changed %s, now version %s. memory undo %s takes it back.", args.ID, result.Version, done.RunID) + notes(result.Notes), nil
}

// shortened are notes of some length at most.
func shortened(notes []string) (all []string) {
	for _, n := range notes {
		all = append(all, document.Short(n, 300))
	}
	return all
}

// notes writes what should be known besides.
func notes(all []string) string {
	text := ""
	for _, n := range all {
		text += oneLine("Note: %s", n)
	}
	return text
}

func (r *room) forget(ctx context.Context, args forgetArgs) (result document.Edit, text string, err error) {
	done, err := r.commit(ctx, r.view, func(snap *memory.Snapshot) ([]memory.Action, error) {
		for _, id := range args.IDs {
			m, err := find.One(snap, id)
			switch {
			case err != nil:
				return nil, err
			case m.Archived:
				result.Already = append(result.Already, id)
			case !slices.Contains(result.Archived, id):
				result.Archived = append(result.Archived, id)
			}
		}
		return archiving.Archive(snap, cmp.Or(strings.TrimSpace(args.Reason), "forgotten"), result.Archived...)
	})
	if err != nil {
		return result, "", err
	}
	if done != nil {
		result.Changed, result.RunID, result.Notes = true, done.RunID, done.Warnings
		text = oneLine("Archived %s. memory undo %s brings back what it moved.", strings.Join(result.Archived, ", "), done.RunID) + notes(done.Warnings)
		for _, s := range done.Skipped {
			result.Archived = slices.DeleteFunc(result.Archived, func(id string) bool { return id == s.MemoryID })
			text += oneLine("Not %s: %s", s.MemoryID, s.Detail)
		}
	}
	if len(result.Already) > 0 {
		text += oneLine("In the archive already: %s", strings.Join(result.Already, ", "))
	}
	return result, text, nil
}
