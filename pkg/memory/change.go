package memory

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"

	"github.com/memoryd/memoryd/pkg/indexfile"
	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/text"
	"github.com/memoryd/memoryd/pkg/timestamp"
)

// Draft is a memory to be written for the first time.
type Draft struct {
	ID        string // "" = a new one
	Type      string
	Subtype   string
	Scope     Scope
	Tags      []string
	Priority  string // "" = medium
	CreatedBy string
	Content   []byte // one JSON value: an object or a string

	Aliases    []string // words by which somebody would search for it; see [Aliases]
	TTL        string   // how long it is of use; "": no end
	ReviewOn   string   // a day, such as 2027-03-01, on which somebody wants to look at it again
	Supersedes []string // ids of live memories that it replaces, which point back to it then
	Origin     []byte   // the member origin; nil: nobody says
}

// New builds the action that writes a draft as a file of its own, in our form.
func New(s *Snapshot, d Draft) (Action, error) {
	if err := jsonedit.Check(d.Content); err != nil {
		return Action{}, fmt.Errorf("content: %w", err)
	}
	content := gjson.ParseBytes(bytes.TrimSpace(d.Content))
	if !content.IsObject() && content.Type != gjson.String {
		return Action{}, errors.New("content must be a JSON object or a string")
	}
	actor := d.CreatedBy
	if s.Folder != nil {
		var err error
		if d, err = s.Folder.draft(d); err != nil {
			return Action{}, err
		}
	}
	d.ID = text.Composed(d.ID)
	if d.ID == "" {
		d.ID = NewID(s, "new", timestamp.Format(s.At), d.Type, d.Scope.String(), content.Raw)
	} else if len(s.Find(d.ID)) > 0 {
		return Action{}, fmt.Errorf("id %s is taken by %s: choose another, or change that one with \"memory edit\"", d.ID, s.Find(d.ID)[0].Ref)
	}
	if d.Priority == "" {
		d.Priority = "medium"
	}
	quote := func(text string) []byte {
		if text == "" {
			return []byte("null")
		}
		return jsonedit.Quote(text)
	}
	aliases, _ := WithAliases(nil, d.Aliases)
	raw := []byte("{}")
	for _, f := range []struct {
		key string
		raw []byte
	}{
		{"id", quote(d.ID)}, {"type", quote(d.Type)}, {"subtype", quote(d.Subtype)},
		{"created_by", quote(d.CreatedBy)},
		{"created_at", quote(timestamp.Format(s.At))}, {"updated_at", quote(timestamp.Format(s.At))}, {"last_accessed", []byte("null")},
		{"scope", quote(d.Scope.Kind)}, {"scope_id", quote(d.Scope.ID)},
		{"tags", jsonedit.Strings(d.Tags)}, {"priority", quote(d.Priority)},
		{"ttl", quote(d.TTL)}, {ReviewOnKey, quote(d.ReviewOn)}, {AliasesKey, jsonedit.Strings(aliases)}, {"supersedes", jsonedit.Strings(d.Supersedes)}, {"origin", d.Origin},
		{"content", []byte(content.Raw)}, {"access_count", []byte("0")},
	} {
		if optional := f.key == "subtype" || f.key == "ttl" || f.key == ReviewOnKey || f.key == AliasesKey || f.key == "supersedes" || f.key == "origin"; optional && (string(f.raw) == "null" || string(f.raw) == "[]" || len(f.raw) == 0) {
			continue
		}
		var err error
		if raw, err = sjson.SetRawBytes(raw, f.key, f.raw); err != nil {
			return Action{}, fmt.Errorf("%s: %w", f.key, err)
		}
	}
	raw = jsonedit.Indent(raw, "", "  ")
	if err := jsonedit.Check(raw); err != nil {
		return Action{}, err
	}
	to := Ref{File: s.NewFiles().Name(s.Dir(d.Scope), d.ID)}
	a := Action{
		Action: oplog.Action{Type: oplog.Add, Rule: RuleManual, Actor: actor, MemoryID: d.ID, To: to.File},
		Ops:    []Op{{Kind: Create, ID: d.ID, To: to, Raw: raw}},
	}
	if len(d.Supersedes) > 0 {
		a.Detail = "supersedes " + strings.Join(d.Supersedes, ", ")
	}
	for _, id := range d.Supersedes {
		op, err := Superseding(s, id, d.ID)
		if err != nil {
			return Action{}, err
		}
		a.Ops = append(a.Ops, op)
	}
	return a, nil
}

// Superseding is the change of a live memory that points to the one that replaces it. Its time of change stays: its text is as old as before.
func Superseding(s *Snapshot, id, by string) (Op, error) {
	m := s.Live(id)
	switch {
	case m == nil:
		return Op{}, &NotLiveError{id}
	case m.ID == by:
		return Op{}, fmt.Errorf("%s can't supersede itself", by)
	case m.Locked != "":
		return Op{}, fmt.Errorf("%s: %s: edit the file by hand", m.Ref, m.Locked)
	}
	raw, err := Supersede(m, by)
	if err != nil {
		return Op{}, fmt.Errorf("%s: %w", id, err)
	}
	return Op{Kind: Put, ID: m.ID, Ref: m.Ref, Base: m.Digest(), Raw: raw}, nil
}

// NotLiveError is that of an id that no live memory has, or several have.
type NotLiveError struct{ ID string }

func (e *NotLiveError) Error() string { return e.ID + ": no live memory has this id, or several have" }

// Replace builds the action that gives a memory a new record. The id must stay,
// and the record must be one JSON object.
func Replace(m *Memory, raw []byte, detail string) (Action, error) {
	if m.Locked != "" {
		return Action{}, fmt.Errorf("%s: %s: mend the file by hand", m.Ref, m.Locked)
	}
	if err := jsonedit.Check(raw); err != nil {
		return Action{}, err
	}
	start, end := jsonedit.Span(raw)
	raw = raw[start:end]
	switch v := parse(raw); {
	case !IsRecord(v):
		return Action{}, errors.New("not a memory any more: it needs an id, and a type or a content")
	case text.Composed(v.Get("id").Str) != m.ID:
		return Action{}, fmt.Errorf("the id changed from %s to %s: other memories refer to it, so it stays", m.ID, v.Get("id").Str)
	}
	if dup := jsonedit.DuplicateKeys(raw); len(dup) > 0 {
		return Action{}, fmt.Errorf("key %s stands twice", strings.Join(dup, ", "))
	}
	return Action{
		Action: oplog.Action{Type: oplog.Edit, Rule: RuleManual, MemoryID: m.ID, From: m.Ref.String(), Detail: detail},
		Ops:    []Op{{Kind: Put, ID: m.ID, Ref: m.Ref, Base: m.Digest(), Raw: raw}},
	}, nil
}

// SetField returns the record with the value at path replaced, or added to its
// object; every other byte stays. What leads there must exist.
func SetField(record, value []byte, path ...string) ([]byte, error) {
	return jsonedit.Apply(record, jsonedit.Set(value, path...))
}

// DropField builds the record without a field; one that isn't there is fine.
func DropField(record []byte, path ...string) ([]byte, error) {
	if _, ok := jsonedit.Get(record, path...); !ok {
		return record, nil
	}
	return jsonedit.Apply(record, jsonedit.Delete(path...))
}

// Retag builds the record with tags added and removed (compared without case),
// updated_at set. ok is false when that changes nothing.
func Retag(m *Memory, add, remove []string, now time.Time) (raw []byte, ok bool, err error) {
	var tags []string
	for _, t := range m.Tags {
		if !containsTag(remove, t) {
			tags = append(tags, t)
		}
	}
	for _, t := range add {
		if t = strings.TrimSpace(t); t != "" && !containsTag(tags, t) {
			tags = append(tags, t)
		}
	}
	if len(tags) == len(m.Tags) && slices.Equal(indexfile.NormalTags(tags), indexfile.NormalTags(m.Tags)) {
		return m.Raw(), false, nil
	}
	value := jsonedit.Strings(tags)
	if have := parse(m.Raw()).Get("tags"); strings.Contains(have.Raw, "\n") {
		style := jsonedit.StyleOf(m.Raw())
		value = jsonedit.Indent(value, style.Indent, style.Indent)
	}
	raw, err = m.Edit(jsonedit.Set(value, "tags"), updated(now))
	return raw, true, err
}

func updated(now time.Time) jsonedit.Edit {
	return jsonedit.Set(jsonedit.Quote(timestamp.Format(now)), "updated_at")
}

func containsTag(tags []string, tag string) bool {
	for _, t := range tags {
		if text.SameName(strings.TrimSpace(t), strings.TrimSpace(tag)) {
			return true
		}
	}
	return false
}

// Command makes the plan of a single command out of its actions.
func Command(s *Snapshot, logHead string, actions ...Action) *Plan {
	p := &Plan{At: s.At, Trigger: "manual", Actions: actions}
	p.Seal(logHead)
	return p
}
