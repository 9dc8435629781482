package saving

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"github.com/memoryd/memoryd/internal/app"
	"github.com/memoryd/memoryd/internal/document"
	"github.com/memoryd/memoryd/internal/fail"
	"github.com/memoryd/memoryd/internal/op/find"
	"github.com/memoryd/memoryd/internal/op/record"
	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/recall"
	"github.com/memoryd/memoryd/pkg/review"
	"github.com/memoryd/memoryd/pkg/rules"
	"github.com/memoryd/memoryd/pkg/secrets"
	"github.com/memoryd/memoryd/pkg/similarity"
	"github.com/memoryd/memoryd/pkg/workspace"
	"github.com/memoryd/memoryd/pkg/workspace/ops"
)

// Store is what remembering needs of a workspace.
type Store interface {
	Load(at time.Time) (*memory.Snapshot, error)
	Commit(ctx context.Context, tx *workspace.Tx) (*workspace.Result, error)
	Log() ops.Log
	Read(name string) ([]byte, error)
	Ops() *ops.Ops
	Cache() *workspace.Cache
	record.Schemas
}

// Options say how a memory is saved. The zero value checks everything against a workspace that is read for it.
type Options struct {
	At          time.Time // when it is saved; must be set
	NoCheck     bool      // save it as it is, whatever is there already
	DryRun      bool      // tell what would become of it, and write nothing
	Redact      bool      // replace secrets instead of refusing the memory
	AllowSecret bool      // save secrets as they are

	// Snapshot is what the workspace holds, nil: it is loaded. An older one costs a second attempt at worst.
	Snapshot *memory.Snapshot
	// Search finds memories that a new one may correct; nil: by the index of words that processes share.
	Search Search
	// Index holds what the memories say, nil: they are compared one by one. It is updated here.
	Index *Index
	// Secrets are the rules for what is one, nil: those that the settings name.
	Secrets *secrets.Rules
	// Session is the one that saves it, "" for none: for the read that is counted where it says the same.
	Session string
	// Asks are ids of live memories that the new one claims to replace, and about which a person decides: it is saved next to them.
	Asks []string
	// Started is when the work began, for the log.
	Started time.Time
}

// What became of a memory.
const (
	Saved   = "saved"   // it stands beside the others
	Merged  = "merged"  // another one says it, now or already
	Flagged = "flagged" // it stands, and waits for a decision together with another
)

// Merging says in a sentence what became of a text that another memory says.
func Merging(out *document.Saved) string {
	switch out.Says {
	case rules.SaysMore:
		if out.Reworded {
			return fmt.Sprintf("%s said it in other words, which it keeps: its text is the new one now", out.ID)
		}
		return fmt.Sprintf("%s said part of it: its text is the new one now", out.ID)
	case rules.SaysLess:
		if out.RunID != "" {
			return out.ID + " says all of it, and more: it gained what it lacked, and keeps its text"
		}
		return out.ID + " says all of it, and more: nothing was written"
	}
	if out.RunID == "" {
		return fmt.Sprintf("%s says the same: nothing was written", out.ID)
	}
	return fmt.Sprintf("%s says the same, and has gained what it lacked: no second copy was written", out.ID)
}

// Flagging says in a sentence why a memory was flagged.
func Flagging(out *document.Saved) string {
	switch out.Reason {
	case rules.ReasonRejected:
		return fmt.Sprintf("a person decided against it: %s holds until somebody decides otherwise", out.With)
	case rules.ReasonSupersede:
		return fmt.Sprintf("it says that it corrects %s", out.With)
	}
	return fmt.Sprintf("%.2f like %s, not merged (%s)", *out.ContentSimilarity, out.With, app.Reason(out.Reason))
}

// ErrChanged: the memory to merge into was changed while it happened, twice.
var ErrChanged = fail.ErrStale

// Save saves a draft. Its errors are a [*app.SecretError], [ErrChanged], those of the draft and those of the store.
func Save(ctx context.Context, store Store, settings config.Settings, draft memory.Draft, o Options) (document.Saved, error) {
	var err error
	if o.Secrets == nil {
		if o.Secrets, err = app.SecretRules(store, settings); err != nil {
			return document.Saved{}, err
		}
	}
	var redacted []secrets.Finding
	if o.Redact {
		draft, redacted = redact(o.Secrets, draft)
	}
	for try := 1; ; try++ {
		if o.Snapshot == nil {
			if o.Snapshot, err = store.Load(o.At); err != nil {
				return document.Saved{}, err
			}
		}
		out, changed, err := attempt(ctx, store, settings, draft, o)
		if err == nil && !changed {
			out.Redacted = redacted
			if out.Says == rules.SaysSame { // it is said again because somebody uses it
				if err := store.Ops().NoteRead(ops.Use{At: o.At, Session: o.Session, From: "save"}, out.ID); err != nil {
					out.Notes = append(out.Notes, err.Error())
				}
			}
			return out, nil
		}
		if err != nil || try == 2 {
			if changed {
				err = fmt.Errorf("%s: %w", out.ID, ErrChanged)
			}
			return document.Saved{Notes: out.Notes}, err
		}
		o.Snapshot = nil
	}
}

// attempt saves a draft into the workspace as a snapshot shows it. changed tells that it isn't like that any more.
func attempt(ctx context.Context, store Store, settings config.Settings, draft memory.Draft, o Options) (out document.Saved, changed bool, err error) {
	snap := *o.Snapshot
	snap.At = o.At
	var note string
	draft.Scope, note = app.KnownScope(&snap, draft.Scope)
	if note != "" {
		out.Notes = append(out.Notes, note)
	}
	if err := find.Replaceable(&snap, "", draft.Supersedes); err != nil {
		return out, false, err
	}
	action, err := memory.New(&snap, draft)
	if errors.Is(err, memory.ErrNoWorking) {
		err = &fail.Error{Err: err, Kind: fail.ErrInvalid, Code: fail.ExitError}
	}
	if err != nil {
		return out, false, err
	}
	raw := action.Ops[0].Raw
	if !o.AllowSecret {
		if found := o.Secrets.FindRecord(raw); len(found) > 0 {
			return out, false, &app.SecretError{Findings: found}
		}
	}
	notes, err := record.Check(store, nil, raw)
	out.Notes = append(out.Notes, notes...)
	if err != nil {
		return out, false, &fail.Error{Err: err, Kind: fail.ErrInvalid, Code: fail.ExitError}
	}
	fresh, err := memory.OneRecord(action.To, raw)
	if err != nil {
		return out, false, err
	}
	if fresh.Locked != "" { // nobody could edit it
		return out, false, errors.New(fresh.Locked)
	}
	out.Status, out.ID, out.File, out.Supersedes = Saved, action.MemoryID, action.To, draft.Supersedes
	if !o.NoCheck || len(o.Asks) > 0 {
		if action, err = checkDraft(store, &snap, settings, action, fresh, draft.ID != "", o, &out); err != nil {
			return out, false, err
		}
	}
	if len(action.Ops) == 0 || o.DryRun {
		return out, false, nil
	}
	action.Actor = draft.CreatedBy
	result, err := store.Commit(ctx, &workspace.Tx{Plan: memory.Command(&snap, store.Log().Head(), action), Save: true, Started: o.Started})
	if err != nil {
		return out, false, err
	}
	out.Notes = append(out.Notes, result.Warnings...)
	if len(result.Skipped) > 0 {
		return out, true, nil
	}
	out.RunID = result.RunID
	if snap.Folder != nil && result.Entry != nil && out.Status != Merged { // a note is named as its host names them
		for _, a := range result.Entry.Actions {
			out.File = cmp.Or(a.To, out.File)
		}
	}
	if o.Index != nil && out.Status != Merged {
		o.Index.Saved(o.Snapshot, fresh)
	}
	return out, false, nil
}

// checkDraft looks for what says the same already, and for what the draft corrects, and turns the action that saves a memory into one
// that merges or flags it. One that was given a name is never merged into another: a name that was given must find it. Nor is one that says
// what it replaces: about these two somebody has decided.
func checkDraft(store Store, snap *memory.Snapshot, settings config.Settings, action memory.Action, fresh *memory.Memory, named bool, o Options, out *document.Saved) (memory.Action, error) {
	var near *memory.Memory
	var v Verdict
	if near = rules.NoteSaying(snap, fresh); near != nil {
		v = Verdict{TagOverlap: similarity.Tags(fresh.Tags, near.Tags), Content: 1, SaveVerdict: rules.SaveVerdict{Saying: rules.SaysSame}}
	} else if o.Index != nil {
		near, v = o.Index.Check(o.Snapshot, settings, fresh)
	} else {
		near, v = decide(snap, settings, fresh, nil)
	}
	replaces := func(m *memory.Memory) bool { return slices.Contains(fresh.Supersedes, m.ID) }
	if near != nil && replaces(near) {
		near = nil
	}
	named = named || len(fresh.Supersedes)+len(o.Asks) > 0
	mergeable := near != nil && v.Reason == "" && !named
	if near != nil && named && v.Reason == "" {
		v.Reason, v.Detail = review.Similar, "it was saved under an id of its own, or as what replaces another"
	}
	var corrected []rules.Correction
	var reader rules.Reader
	if !(mergeable && v.Saying != rules.SaysMore) && reader.Corrects(fresh) {
		if o.Search == nil {
			o.Search = func(snap *memory.Snapshot, request recall.Request) ([]recall.Found, error) {
				words, err := recall.Open(store.Cache(), snap, 0)
				if err != nil {
					return nil, err
				}
				hits, _, err := words.Search(request)
				return hits, err
			}
		}
		var err error
		if corrected, err = CorrectedBy(&reader, fresh, snap, o.Search); err != nil {
			return action, err
		}
		corrected = slices.DeleteFunc(corrected, func(c rules.Correction) bool { return replaces(c.Memory) })
	}
	if !(mergeable && v.Saying != rules.SaysMore) {
		if r, ok := rules.Rejected(snap, fresh); ok && !replaces(r.Holds) {
			near, corrected = nil, []rules.Correction{r.Correction()}
		}
	}
	for _, id := range o.Asks {
		if m := snap.Live(id); m != nil && !slices.ContainsFunc(corrected, func(c rules.Correction) bool { return c.Memory == m }) {
			corrected = append(corrected, rules.Correction{Memory: m, Evidence: "stated: " + fresh.ID + " is to replace what a person wrote"})
		}
	}
	if near == nil && len(corrected) == 0 {
		return action, nil
	}
	if mergeable && len(corrected) == 0 {
		merged, err := rules.MergeSaved(snap, settings.Merge, near, fresh, v.Saying)
		if err == nil {
			out.Status, out.Says, out.ID, out.File = Merged, v.Saying, near.ID, near.Ref.String()
			out.TagOverlap, out.ContentSimilarity = oplog.Score(v.TagOverlap), oplog.Score(v.Content)
			out.Reworded = v.Saying == rules.SaysMore && len(merged.Ops) > 0 && slices.Contains(rules.Gained(near.Raw(), merged.Ops[0].Raw), memory.VariantsKey)
			return merged, nil
		}
		v.Reason, v.Detail = rules.ReasonBroken, err.Error() // saved beside it, nothing is lost
	}
	return Flag(action, fresh, near, v, corrected, snap.At, out), nil
}

// Search finds memories of a snapshot by their words.
type Search func(snap *memory.Snapshot, request recall.Request) ([]recall.Found, error)

// CorrectedBy finds the memories that a new one says it corrects: among those of its scope which the index of words finds for its text.
func CorrectedBy(reader *rules.Reader, fresh *memory.Memory, snap *memory.Snapshot, search Search) ([]rules.Correction, error) {
	text := fresh.Text()
	hits, err := search(snap, recall.Request{
		Query: recall.Query{Text: strings.ToValidUTF8(text[:min(len(text), app.MaxQuery)], ""), Limit: judged, Mode: recall.Exhaustive},
		Allow: func(m *memory.Memory) bool { return rules.Correctable(m, fresh) },
	})
	if err != nil {
		return nil, fmt.Errorf("look for what it corrects: %w", err)
	}
	candidates := make([]*memory.Memory, len(hits))
	for i, h := range hits {
		candidates[i] = h.Memory
	}
	return reader.Corrected(fresh, candidates, snap.At), nil
}

// Flag lets the action that saves a memory flag it with those that it corrects, and with the one that it is like.
func Flag(action memory.Action, fresh, near *memory.Memory, v Verdict, corrected []rules.Correction, at time.Time, out *document.Saved) memory.Action {
	a := oplog.Action{Type: oplog.Add, Rule: memory.RuleManual, MemoryID: fresh.ID, To: action.To}
	pair := func(m *memory.Memory, reason, why, detail string, differences []string, tags, content *float64) {
		older, newer := m, fresh
		if m.Newest().After(fresh.Newest()) && reason != rules.ReasonSupersede { // as an imported one may be
			older, newer = fresh, m
		}
		action.Pairs = append(action.Pairs, memory.NewPair(older, newer, reason, differences, *tags, *content))
		a.MemoryIDs, a.Differences = append(a.MemoryIDs, m.ID), append(a.Differences, differences...)
		if a.Reason == "" {
			a.Reason, a.Detail, a.TagOverlap, a.ContentSimilarity = reason, detail, tags, content
			out.Reason, out.Detail = why, detail
		}
	}
	for _, c := range corrected {
		tags, content := oplog.Score(similarity.Tags(c.Tags, fresh.Tags)), oplog.Score(similarity.Content(similarity.Later(c), similarity.Later(fresh)))
		if c.Rejected {
			action.Pairs = append(action.Pairs, memory.NewPair(fresh, c.Memory, rules.ReasonSupersede, []string{c.Evidence}, *tags, *content))
			a.MemoryIDs, a.Differences = append(a.MemoryIDs, c.ID), append(a.Differences, c.Evidence)
			a.Reason, a.Detail, a.TagOverlap, a.ContentSimilarity = rules.ReasonSupersede, fresh.ID+" says what a person decided against", tags, content
			out.Reason, out.Detail = rules.ReasonRejected, a.Detail
			continue
		}
		pair(c.Memory, rules.ReasonSupersede, rules.ReasonSupersede, fresh.ID+" says that it corrects "+c.ID, []string{c.Evidence}, tags, content)
	}
	if near != nil && !slices.Contains(a.MemoryIDs, near.ID) {
		detail := fresh.ID + " was saved beside " + near.ID + ": " + v.Detail
		if evidence, ok := rules.ValueChanged(near, fresh, at); ok {
			pair(near, rules.ReasonSupersede, v.Reason, detail+"; it seems to update it", []string{evidence}, oplog.Score(v.TagOverlap), oplog.Score(v.Content))
		} else {
			pair(near, review.Similar, v.Reason, detail, v.Differences, oplog.Score(v.TagOverlap), oplog.Score(v.Content))
		}
	}
	if action.Detail != "" {
		a.Detail = action.Detail + "; " + a.Detail
	}
	out.Status, out.With, out.PairID, out.Differences = Flagged, a.MemoryIDs[0], action.Pairs[0].ID(), a.Differences
	out.TagOverlap, out.ContentSimilarity = a.TagOverlap, a.ContentSimilarity
	if len(action.Pairs) > 1 {
		for _, p := range action.Pairs {
			out.PairIDs = append(out.PairIDs, p.ID())
		}
	}
	a.MemoryIDs = append(a.MemoryIDs, fresh.ID)
	action.Action = a
	return action
}

// derived reports whether a content is that of a text ([app.TextContent]) that is longer than its summary.
func derived(content []byte) bool {
	details := gjson.GetBytes(content, "details")
	if details.Type != gjson.String {
		return false
	}
	made, err := app.TextContent(details.Str)
	return err == nil && bytes.Equal(made, content)
}

// redact replaces the secrets in what a draft says. What is derived of its text is derived of what is left of that. One in its id stays, and is refused.
func redact(r *secrets.Rules, d memory.Draft) (memory.Draft, []secrets.Finding) {
	var found []secrets.Finding
	d.Tags = slices.Clone(d.Tags)
	content, all := r.RedactRecord(d.Content)
	for i := range all {
		all[i].Field = strings.TrimSuffix("content."+all[i].Field, ".")
	}
	if len(all) > 0 {
		if whole := gjson.GetBytes(content, "details"); derived(d.Content) {
			if again, err := app.TextContent(whole.Str); err == nil {
				content = again
			}
		}
	}
	d.Content, found = content, all
	replace := func(text *string, field string) {
		clean, all := r.Redact(*text)
		for i := range all {
			all[i].Field = field
		}
		*text, found = clean, append(found, all...)
	}
	for i := range d.Tags {
		replace(&d.Tags[i], fmt.Sprintf("tags[%d]", i))
	}
	replace(&d.Subtype, "subtype")
	d.Aliases = slices.Clone(d.Aliases)
	for i := range d.Aliases {
		replace(&d.Aliases[i], fmt.Sprintf("aliases[%d]", i))
	}
	return d, found
}
