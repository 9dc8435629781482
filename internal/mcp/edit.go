package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/tidwall/gjson"

	"github.com/memoryd/memoryd/internal/document"
	"github.com/memoryd/memoryd/pkg/archive"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/timestamp"
	"github.com/memoryd/memoryd/schemas"
)

type updateArgs struct {
	ID         string                     `json:"id" jsonschema:"id of the memory"`
	Version    string                     `json:"version,omitempty" jsonschema:"the version that get told: refused if somebody has changed the memory since"`
	Content    json.RawMessage            `json:"content,omitempty"`
	Fields     map[string]json.RawMessage `json:"fields,omitempty"`
	AddTags    []string                   `json:"add_tags,omitempty"`
	RemoveTags []string                   `json:"remove_tags,omitempty"`
}

type updateResult struct {
	ID      string   `json:"id"`
	Changed bool     `json:"changed" jsonschema:"false: it was like that already"`
	Version string   `json:"version"`
	RunID   string   `json:"run_id,omitempty" jsonschema:"for undo"`
	Notes   []string `json:"notes,omitempty"`
}

type forgetArgs struct {
	IDs    []string `json:"ids" jsonschema:"ids of memories"`
	Reason string   `json:"reason,omitempty" jsonschema:"why, for the log"`
}

type forgetResult struct {
	Archived []string `json:"archived" jsonschema:"moved to the archive now"`
	Already  []string `json:"already,omitempty" jsonschema:"stood there before"`
	RunID    string   `json:"run_id,omitempty" jsonschema:"for undo"`
}

// What an agent may write in one call: each field is an edit of the record's bytes.
const (
	maxRecord = 1 << 20 // bytes
	maxFields = 200
)

func size(fields map[string]json.RawMessage) (n int) {
	for name, value := range fields {
		n += len(name) + len(value)
	}
	return n
}

func addEdit(s *sdk.Server, r *room) {
	add(s, tool{
		name: "update", title: "Change a memory", again: true,
		purpose: "Change a memory in place: its content, other fields, its tags. What isn't named stays as it is, byte for byte; undo takes it back. For a fact that has changed, save a new memory that names the old one instead, so that the old one stays known.",
		arguments: func(a map[string]*jsonschema.Schema) {
			a["content"] = &jsonschema.Schema{Types: []string{"string", "object"}, Description: "the new content in place of all of the old: a text, or an object such as {\"summary\": …, \"details\": …}"}
			a["fields"] = &jsonschema.Schema{Type: "object", Description: "values of fields, such as {\"priority\": \"high\", \"content\": {\"summary\": …}}; an object is merged into the one that is there"}
		},
	}, r.update)
	add(s, tool{
		name: "forget", title: "Archive memories", again: true,
		purpose: "Move memories to the archive, where search finds them only when little else fits, or when asked to. Nothing is deleted: get still reads them, undo with the run_id brings them back.",
		arguments: func(a map[string]*jsonschema.Schema) {
			items(a["ids"], 1, 50)
			chars(a["reason"], 0, 500)
		},
	}, r.forget)
}

func (r *room) update(ctx context.Context, args updateArgs) (result updateResult, text string, err error) {
	result.ID = args.ID
	settings, err := r.config()
	if err != nil {
		return result, "", err
	}
	done, err := r.commit(ctx, r.view, func(snap *memory.Snapshot) ([]memory.Action, error) {
		m, err := find(snap, args.ID)
		if err != nil {
			return nil, err
		}
		if err := readable(snap, m.ID); err != nil {
			return nil, err
		}
		result.Version = version(m)
		switch {
		case args.Version != "" && args.Version != result.Version:
			return nil, refuse("Get it again and decide anew.", "%s has been changed since version %s: it is at %s", m.ID, args.Version, result.Version)
		case m.Locked != "":
			return nil, refuse("A person has to mend the file by hand.", "%s can't be edited safely: %s", m.Ref, m.Locked)
		}
		raw, err := args.apply(m, snap)
		if err != nil || bytes.Equal(raw, m.Raw()) {
			return nil, err
		}
		if err := r.newSecrets(settings, m.Raw(), raw); err != nil {
			return nil, err
		}
		action, err := memory.Replace(m, raw, "updated by an agent")
		if err != nil {
			return nil, refuse("Call update with other values.", "%s stays as it is: %v", m.ID, err)
		}
		if result.Notes, err = r.checked(m.Raw(), raw); err != nil {
			return nil, err
		}
		result.Changed, result.Version = true, string(memory.DigestOf(raw))[:versionLength]
		return []memory.Action{action}, nil
	})
	switch {
	case err != nil:
		return result, "", err
	case done == nil:
		return result, oneLine("%s is like that already: nothing was changed.", args.ID), nil
	}
	result.RunID, result.Notes = done.RunID, append(result.Notes, done.Warnings...)
	return result, oneLine("Changed %s, now version %s. undo %s takes it back.", args.ID, result.Version, done.RunID) + notes(result.Notes), nil
}

// apply makes the new record of a memory. updated_at is set along with a change
// unless the fields name it.
func (a *updateArgs) apply(m *memory.Memory, snap *memory.Snapshot) ([]byte, error) {
	raw := m.Raw()
	if n := len(a.Content) + size(a.Fields); n > maxRecord {
		return nil, refuse("Save it as several memories.", "%d bytes are too long for a memory: at most %d", n, maxRecord)
	}
	left := maxFields
	var err error
	if a.Content != nil {
		if raw, err = set(raw, a.Content, "content"); err != nil {
			return nil, err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(a.Fields)) {
		if raw, err = merge(raw, a.Fields[name], &left, name); err != nil {
			return nil, err
		}
	}
	if len(a.AddTags)+len(a.RemoveTags) > 0 {
		found, err := memory.ParseRecords(m.File, raw)
		if err != nil || len(found) != 1 {
			return nil, refuse("Call update with other values.", "%s would be no memory any more", m.ID)
		}
		if raw, _, err = memory.Retag(found[0], a.AddTags, a.RemoveTags, snap.At); err != nil {
			return nil, err
		}
	}
	if _, named := a.Fields["updated_at"]; !named && !bytes.Equal(raw, m.Raw()) {
		moment, err := document.Marshal(timestamp.Format(snap.At))
		if err != nil {
			return nil, err
		}
		return set(raw, moment, "updated_at")
	}
	return raw, nil
}

// merge sets the field at a path; the members of an object go into the object that is
// there, one by one, as long as some are left.
func merge(raw, value []byte, left *int, path ...string) ([]byte, error) {
	if *left--; *left < 0 {
		return nil, refuse("Set fewer at once.", "more than %d fields are to be set", maxFields)
	}
	v := gjson.ParseBytes(value)
	if !v.IsObject() || !field(raw, path...).IsObject() {
		return set(raw, value, path...)
	}
	var err error
	v.ForEach(func(name, member gjson.Result) bool {
		raw, err = merge(raw, []byte(member.Raw), left, append(path[:len(path):len(path)], name.String())...)
		return err == nil
	})
	return raw, err
}

// set sets a field unless it has the value.
func set(raw, value []byte, path ...string) ([]byte, error) {
	if there := field(raw, path...); there.Raw == string(value) {
		return raw, nil
	}
	edited, err := memory.SetField(raw, value, path...)
	if err != nil {
		return nil, refuse("Call update with other fields.", "the field %s can't be set: %v", strings.Join(path, "."), err)
	}
	return edited, nil
}

// field is the value at a path of member names.
func field(raw []byte, path ...string) gjson.Result {
	v := gjson.ParseBytes(raw)
	for _, name := range path {
		found := gjson.Result{}
		v.ForEach(func(key, value gjson.Result) bool {
			if key.String() == name {
				found = value
			}
			return found.Raw == ""
		})
		v = found
	}
	return v
}

// checked holds a record against the schemas; old is nil for a new one. What is only
// doubtful comes back as notes.
func (r *room) checked(old, raw []byte) (notes []string, err error) {
	extension, findings, err := r.store.Schemas()
	if err != nil {
		return nil, err
	}
	var wrong []error
	for _, f := range append(findings, extension.ValidateEdit(old, raw)...) {
		if f.Severity == schemas.Error && !slices.Contains(findings, f) {
			wrong = append(wrong, errors.New(f.Message))
			continue
		}
		notes = append(notes, short(f.Message, 300))
	}
	if len(wrong) > 0 {
		return nil, refuse("Nothing was written: mend that and call again.", "the memory would not be valid: %v", errors.Join(wrong...))
	}
	return notes, nil
}

// notes writes what should be known besides.
func notes(all []string) string {
	text := ""
	for _, n := range all {
		text += oneLine("Note: %s", n)
	}
	return text
}

func (r *room) forget(ctx context.Context, args forgetArgs) (result forgetResult, text string, err error) {
	result.Archived = []string{}
	done, err := r.commit(ctx, r.view, func(snap *memory.Snapshot) ([]memory.Action, error) {
		for _, id := range args.IDs {
			m, err := find(snap, id)
			switch {
			case err != nil:
				return nil, err
			case m.Archived:
				result.Already = append(result.Already, id)
			case !slices.Contains(result.Archived, id):
				result.Archived = append(result.Archived, id)
			}
		}
		reason := args.Reason
		if strings.TrimSpace(reason) == "" {
			reason = "forgotten"
		}
		return archive.Archive(snap, reason, result.Archived...)
	})
	if err != nil {
		return result, "", err
	}
	if done != nil {
		result.RunID = done.RunID
		text = oneLine("Archived %s. undo %s brings back what it moved.", strings.Join(result.Archived, ", "), done.RunID) + notes(done.Warnings)
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
