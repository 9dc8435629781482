package mcp

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/memoryd/memoryd/internal/app"
	"github.com/memoryd/memoryd/internal/document"
	"github.com/memoryd/memoryd/internal/op/find"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/workspace"
)

type historyArgs struct {
	ID     string `json:"id,omitempty" jsonschema:"a memory: what each run changed in it"`
	Run    string `json:"run,omitempty" jsonschema:"a run: its actions. Without id and run the runs are listed, the latest first"`
	Cursor string `json:"cursor,omitempty" jsonschema:"next_cursor of the page before"`
}

type undoArgs struct {
	Run    string `json:"run" jsonschema:"id of the run, as history and all changes tell it, or last: the newest change that is not undone"`
	Action int    `json:"action,omitempty" jsonschema:"only this action of it, counted from 1 as history tells them"`
	Memory string `json:"memory,omitempty" jsonschema:"only what it did to this memory"`
}

func addHistory(s *sdk.Server, r *room) {
	add(s, tool{
		name: "history", title: "What was changed", reads: true,
		purpose: "List the runs that changed memories, the latest first; with run, what one did; with id, each change of a memory as a diff, edits by hand between two runs too. Runs are remembered as long as they can be undone.",
	}, r.history)
	add(s, tool{
		name: "undo", title: "Take a run back",
		purpose: "Put back what a run changed, byte for byte: all of it, one action, or what it did to one memory. What was changed since stays as it is. An undo is a run, too.",
		arguments: func(a map[string]*jsonschema.Schema) {
			chars(a["run"], 1, 200)
			a["action"].Minimum = new(1.0)
		},
	}, r.undo)
}

func (r *room) history(ctx context.Context, args historyArgs) (any, string, error) {
	switch {
	case args.ID != "" && args.Run != "":
		return nil, "", refuse("Ask about one of them.", "a run and a memory were given")
	case args.ID != "":
		return r.changesOf(ctx, args)
	}
	log, err := r.store.Log().Read()
	if err != nil {
		return nil, "", err
	}
	if args.Run != "" {
		return actionsOf(log, args)
	}
	var all []*document.Run
	for i := range slices.Backward(log.Entries) {
		e := &log.Entries[i]
		run := document.NewRun(e)
		run.What, run.Actor = document.Short(app.WhatWasDone(e), 200), document.Short(app.Who(e), 80)
		run.Actions, run.Deferred, run.Reasons = nil, nil, nil
		all = append(all, &run)
	}
	head := ""
	if last := log.Last(); last != nil {
		head = last.Hash
	}
	p, err := paged(all, hash("runs", head), args.Cursor, 50, func(e *document.Run) int { return len(e.RunID) + len(e.What) + 100 })
	if err != nil {
		return nil, "", err
	}
	result := document.Runs{Runs: append([]*document.Run{}, p.items...), Page: document.Page{Total: p.total, NextCursor: p.next}}
	var text strings.Builder
	for _, e := range p.items {
		text.WriteString(oneLine("%s  %s  %s", e.RunID, e.At, e.What))
	}
	if p.total == 0 {
		text.WriteString("No run has changed anything yet.\n")
	}
	return result, text.String() + p.more("runs"), nil
}

// actionsOf lists what one run did.
func actionsOf(log *oplog.Log, args historyArgs) (any, string, error) {
	entry, err := findRun(log, args.Run)
	if err != nil {
		return nil, "", err
	}
	doc := document.NewRun(entry)
	steps, err := steps(&doc, entry.RunID, args.Cursor)
	return doc, oneLine("%s  %s  %s", entry.RunID, doc.At, app.Totals(entry.Stats)) + "\n" + steps, err
}

// findRun finds the run that an id, or the beginning of one, names.
func findRun(log *oplog.Log, id string) (*oplog.Entry, error) {
	if entry, _ := app.FindRun(log, id); entry != nil {
		return entry, nil
	}
	return nil, refuse("history lists the runs.", "there is no run %q, or several begin so", document.Short(id, 80))
}

// changesOf lists what was changed in a memory.
func (r *room) changesOf(ctx context.Context, args historyArgs) (any, string, error) {
	result := document.History{ID: args.ID, Changes: []document.Change{}}
	snap, err := r.viewOf(ctx, args.ID)
	if err != nil {
		return result, "", err
	}
	versions, err := r.store.History(args.ID)
	if err != nil {
		return result, "", err
	}
	now := snap.Find(args.ID)
	if len(versions) == 0 && len(now) == 0 {
		return result, "", find.Missing(snap, args.ID)
	}
	all := document.Changes(versions, now)
	slices.Reverse(all)
	for i := range all {
		part, _, next := document.Cut(all[i].Diff, 0, maxChars/4)
		if all[i].Diff = part; next > 0 {
			all[i].Diff += "\n(the diff goes on)\n"
		}
	}
	p, err := paged(all, hash("changes", args.ID, len(all)), args.Cursor, 20, func(c document.Change) int { return len(c.Diff) + 200 })
	if err != nil {
		return result, "", err
	}
	result.Changes, result.Total, result.NextCursor = p.items, p.total, p.next
	var text strings.Builder
	for _, c := range p.items {
		if c.RunID == "" {
			text.WriteString("edited by hand\n")
		} else {
			text.WriteString(oneLine("%s  %s  %s by rule %s", c.RunID, c.At, c.Type, c.Rule))
		}
		fmt.Fprintf(&text, "%s\n", quoted(c.Diff))
	}
	if p.total == 0 {
		text.WriteString(oneLine("No run has changed %s, as far as runs are remembered.", args.ID))
	}
	return result, text.String() + p.more("changes"), nil
}

func (r *room) undo(ctx context.Context, args undoArgs) (document.Run, string, error) {
	var result document.Run
	if args.Action > 0 && args.Memory != "" {
		return result, "", refuse("Give one of them.", "an action and a memory were given")
	}
	if err := r.live.Lock(ctx); err != nil {
		return result, "", err
	}
	defer r.live.Unlock()
	log, err := r.store.Log().Read()
	if err != nil {
		return result, "", err
	}
	entry := app.LastChange(log, r.store.Machine())
	if args.Run != "last" {
		if entry, err = findRun(log, args.Run); err != nil {
			return result, "", err
		}
	}
	if entry == nil {
		return result, "", refuse("history lists the runs; an undo is redone by its run id.", "there is no change to undo")
	}
	only, err := args.only(entry)
	if err != nil {
		return result, "", err
	}
	done, err := app.Undo(ctx, r.store, writer(ctx), log, entry, only, r.now(), false)
	if undone := (*app.UndoneError)(nil); errors.As(err, &undone) {
		return result, "", refuse("Nothing was changed. To redo it, undo "+undone.By[len(undone.By)-1]+".", "%s", err)
	}
	if blocked := (*app.BlockedError)(nil); errors.As(err, &blocked) {
		return result, "", refuse(blocked.Todo(), "%s", document.Short(err.Error(), 600))
	}
	if errors.Is(err, workspace.ErrNoRun) {
		return result, "", refuse("Only the last runs can be undone: the setting history.keep says how many.", "the record of %s is gone", entry.RunID)
	}
	if err != nil {
		return result, "", err
	}
	result = document.NewUndo(done)
	result.UndoOf = entry.RunID
	var text strings.Builder
	for _, a := range result.Actions {
		text.WriteString(oneLine("%s: %s", app.UndoneWord(&a), document.Short(a.Detail, 300)))
	}
	if result.RunID != "" {
		text.WriteString(oneLine("%s of %s taken back, as run %s.", app.Quantity(done.Applied, "action"), entry.RunID, result.RunID))
	}
	for _, s := range done.Skipped {
		text.WriteString(oneLine("%s stays: %s", s.MemoryID, document.Short(s.Detail, 300)))
	}
	if text.Len() == 0 {
		text.WriteString(oneLine("There was nothing to undo: %s has changed no memory.", entry.RunID))
	}
	return result, text.String() + notes(done.Warnings), nil
}

// only tells which actions of a run are meant; nil for all.
func (args undoArgs) only(entry *oplog.Entry) (func(int, oplog.Action) bool, error) {
	switch {
	case args.Action > len(entry.Actions):
		return nil, refuse("history with this run tells them.", "%s has no action %d: it has %d", entry.RunID, args.Action, len(entry.Actions))
	case args.Action > 0:
		return func(i int, _ oplog.Action) bool { return i == args.Action-1 }, nil
	case args.Memory != "":
		only := app.ActionsOn(entry, args.Memory)
		if only == nil {
			return nil, refuse("history with this run tells what it did.", "%s did nothing to %q", entry.RunID, document.Short(args.Memory, 80))
		}
		return only, nil
	}
	return nil, nil
}
