// Package edit makes the actions that change memories in place: their fields, their tags, their pins. Every edit passes the same guards,
// whoever asks for it: the record can be edited, is the one that was shown, stays a valid memory, and gains no secret.
package edit

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/memoryd/memoryd/internal/document"
	"github.com/memoryd/memoryd/internal/fail"
	"github.com/memoryd/memoryd/internal/op/find"
	"github.com/memoryd/memoryd/internal/op/record"
	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/secrets"
	"github.com/memoryd/memoryd/pkg/timestamp"
)

// Store is what an edit needs of a workspace besides a snapshot.
type Store interface {
	record.Store
	record.Schemas
}

// Options say how a memory is edited. The zero value allows no secret.
type Options struct {
	Version string // the beginning of the digest of the record that was shown: another one is refused; "" for any
	Detail  string // how it was edited, for the log
	Secrets record.Secrets
	// KeepTime leaves updated_at as it is: what the memory says does not change.
	KeepTime bool
	// Supersedes are ids of live memories that point to the edited one as what replaces them, in the same action. The change says so of the edited one.
	Supersedes []string
}

// Edited is what became of a record.
type Edited struct {
	Memory   *memory.Memory  // as it was; nil where it wasn't found
	Record   []byte          // as it is to be; nil where nothing could be made of it
	Actions  []memory.Action // one; none where nothing changes
	Notes    []string        // what is doubtful about the record
	Redacted []secrets.Finding
}

// Change makes the new record of a memory.
type Change func(m *memory.Memory) ([]byte, error)

// One makes the action that edits the memory with an id. updated_at is set along with a change, unless the change sets it. The errors have
// a kind of package fail.
func One(store Store, settings config.Settings, snap *memory.Snapshot, id string, change Change, o Options) (e Edited, err error) {
	if e.Memory, err = editable(snap, id, o.Version); err != nil {
		return e, err
	}
	if e.Record, err = change(e.Memory); err != nil {
		return e, err
	}
	if err := e.finish(store, settings, snap, o); err != nil || len(e.Actions) == 0 {
		return e, err
	}
	for _, id := range o.Supersedes {
		op, err := memory.Superseding(snap, id, e.Memory.ID)
		if err != nil {
			return e, err
		}
		e.Actions[0].Ops = append(e.Actions[0].Ops, op)
	}
	return e, nil
}

// Shown is the memory with an id, of the version that was shown to who decides about it: the beginning of the digest of its record; "" for any.
func Shown(snap *memory.Snapshot, id, version string) (*memory.Memory, error) {
	m, err := find.One(snap, id)
	if err != nil {
		return nil, err
	}
	if is := string(m.Digest()); !strings.HasPrefix(is, version) {
		return nil, fail.New(fail.ErrStale, "%s has been changed since version %s: it is at %s", m.ID, short(version), short(is))
	}
	return m, nil
}

// editable is such a memory, if its record can be edited.
func editable(snap *memory.Snapshot, id, version string) (*memory.Memory, error) {
	m, err := Shown(snap, id, version)
	if err != nil {
		return nil, err
	}
	if m.Locked != "" {
		return nil, fail.New(fail.ErrUneditable, "%s: %s: %s", m.ID, m.Ref, m.Locked)
	}
	return m, nil
}

func short(version string) string { return version[:min(len(version), 12)] }

// finish checks the record that a change has made, and turns it into an action.
func (e *Edited) finish(store Store, settings config.Settings, snap *memory.Snapshot, o Options) error {
	m := e.Memory
	clean, redacted, err := record.Clean(store, settings, m.Raw(), e.Record, o.Secrets)
	e.Redacted = redacted
	if err != nil {
		return err
	}
	if e.Record = clean; bytes.Equal(clean, m.Raw()) {
		return nil
	}
	raw := clean
	if !o.KeepTime {
		if raw, err = stamped(snap, m, clean); err != nil {
			return err
		}
	}
	action, err := memory.Replace(m, raw, o.Detail)
	if err != nil {
		return broken(m.ID, err)
	}
	if e.Notes, err = record.Check(store, m.Raw(), raw); err != nil {
		return fail.New(fail.ErrInvalid, "%s: %w", m.ID, err)
	}
	if is := memory.ParseRecord(raw, m.Ref).Scope; is != m.Scope && is.Kind != memory.Global.Kind && is.ID == "" {
		return fail.New(fail.ErrInvalid, "%s: scope is %q without a name: set scope_id to the name of the %s too", m.ID, is.Kind, is.Kind)
	}
	if strings.TrimSpace(memory.ParseRecord(raw, m.Ref).Text()) == "" && strings.TrimSpace(m.Text()) != "" {
		return fail.New(fail.ErrInvalid, "%s: its text would be empty: archive it instead", m.ID)
	}
	e.Record, e.Actions = raw, []memory.Action{action}
	return nil
}

// broken is the error of a change that would break a record, whatever the schemas say.
func broken(id string, err error) error {
	return &fail.Error{Err: fmt.Errorf("%s: %w", id, err), Kind: fail.ErrInvalid, Code: fail.ExitError}
}

// stamped sets updated_at in a record that changes, unless the change has set it. What is no JSON stays: [memory.Replace] refuses it.
func stamped(snap *memory.Snapshot, m *memory.Memory, raw []byte) ([]byte, error) {
	if !gjson.ValidBytes(raw) || gjson.GetBytes(m.Raw(), "updated_at").Raw != gjson.GetBytes(raw, "updated_at").Raw {
		return raw, nil
	}
	moment, err := document.Marshal(timestamp.Format(snap.At))
	if err != nil {
		return nil, err
	}
	if raw, err = memory.SetField(raw, moment, "updated_at"); err != nil {
		return nil, broken(m.ID, err)
	}
	return raw, nil
}

// each makes the actions of edits of several memories, each of which is named once.
func each(store Store, settings config.Settings, snap *memory.Snapshot, ids []string, change Change, o Options) (actions []memory.Action, err error) {
	var done []*memory.Memory
	for _, id := range ids {
		e, err := One(store, settings, snap, id, change, o)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(done, e.Memory) {
			done, actions = append(done, e.Memory), append(actions, e.Actions...)
		}
	}
	return actions, nil
}

// Tags adds and removes tags, which are compared without case. Memories that have them like that already get no action.
func Tags(store Store, settings config.Settings, snap *memory.Snapshot, ids, add, remove []string, o Options) ([]memory.Action, error) {
	if slices.ContainsFunc(slices.Concat(add, remove), func(t string) bool { return strings.TrimSpace(t) == "" }) {
		return nil, fail.New(fail.ErrInvalid, "a tag is empty")
	}
	if o.Detail == "" {
		o.Detail = tagged(add, remove)
	}
	return each(store, settings, snap, ids, func(m *memory.Memory) ([]byte, error) {
		raw, _, err := memory.Retag(m, add, remove, snap.At)
		return raw, err
	}, o)
}

// tagged says what was done to tags.
func tagged(add, remove []string) string {
	var parts []string
	if len(add) > 0 {
		parts = append(parts, "tagged "+strings.Join(add, ", "))
	}
	if len(remove) > 0 {
		parts = append(parts, "no longer tagged "+strings.Join(remove, ", "))
	}
	return strings.Join(parts, "; ")
}

// SplitTags are tags to add: commas separate them. A tag that has a comma can be listed and removed.
func SplitTags(given []string) (tags []string) {
	for _, text := range given {
		for tag := range strings.SplitSeq(text, ",") {
			tags = append(tags, strings.TrimSpace(tag))
		}
	}
	return tags
}

// Pin pins memories that are not pinned.
func Pin(store Store, settings config.Settings, snap *memory.Snapshot, ids []string) ([]memory.Action, error) {
	return each(store, settings, snap, ids, func(m *memory.Memory) ([]byte, error) {
		if m.Pinned() {
			return m.Raw(), nil
		}
		raw, _, err := memory.Retag(m, []string{memory.PinTag}, nil, snap.At)
		return raw, err
	}, Options{Detail: "pinned"})
}

// Unpin takes the pin off memories.
func Unpin(store Store, settings config.Settings, snap *memory.Snapshot, ids []string) ([]memory.Action, error) {
	return each(store, settings, snap, ids, func(m *memory.Memory) ([]byte, error) {
		raw, _, err := memory.Unpin(m, snap.At)
		return raw, err
	}, Options{Detail: "unpinned"})
}
