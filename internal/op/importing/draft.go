package importing

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tidwall/gjson"

	"github.com/memoryd/memoryd/internal/app"
	"github.com/memoryd/memoryd/pkg/foreign"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/secrets"
	"github.com/memoryd/memoryd/pkg/timestamp"
)

// importDraft is what a record of a foreign store would become if no other one had a say.
type importDraft struct {
	record   []byte
	redacted []secrets.Finding
	fresh    *memory.Memory
	err      error // why it becomes nothing
}

// drafts makes them on all cores: to look for secrets takes most of the time.
func (x *importer) drafts(records []foreign.Record) ([]importDraft, error) {
	drafts, cores := make([]importDraft, len(records)), runtime.GOMAXPROCS(0)
	stopped := make([]error, cores)
	var done atomic.Int64
	var group sync.WaitGroup
	for core := range cores {
		group.Go(func() {
			for i := core; i < len(records) && stopped[core] == nil; i += cores {
				drafts[i] = x.draft(&records[i])
				stopped[core] = x.progress("read", int(done.Add(1)))
			}
		})
	}
	group.Wait()
	return drafts, errors.Join(stopped...)
}

// importDraft makes that of one whose id no memory has.
func (x *importer) draft(r *foreign.Record) (d importDraft) {
	if len(x.snap.Find(r.ID)) > 0 {
		return d
	}
	if d.record, d.err = x.record(r); d.err == nil && x.Redact {
		d.record, d.redacted, d.err = x.redacted(r, d.record)
	}
	if d.err == nil {
		d.err = x.allowed(nil, d.record)
	}
	if d.err == nil {
		d.fresh, d.err = memory.OneRecord(r.ID, d.record)
	}
	if d.err == nil && d.fresh.Locked != "" {
		d.err = errors.New(d.fresh.Locked)
	}
	return d
}

// recordText is the record of a memory that was not imported before.
func (x *importer) record(r *foreign.Record) ([]byte, error) {
	if r.Own != nil {
		return x.ownRecord(r)
	}
	scope := x.Scope
	if scope == (memory.Scope{}) {
		scope = r.Scope
	}
	if scope == (memory.Scope{}) {
		scope = memory.Global
	}
	action, err := memory.New(x.snap, memory.Draft{
		ID: r.ID, Type: r.Type, Subtype: r.Subtype, Scope: scope, Tags: r.Tags, Priority: r.Priority, CreatedBy: cmp.Or(x.By, r.Author, r.Source.Format.Author()), Content: r.Content,
	})
	if err != nil {
		return nil, err
	}
	created, updated := r.CreatedAt, r.UpdatedAt
	if created.IsZero() {
		created = updated
	}
	if updated.IsZero() {
		updated = created
	}
	raw := action.Ops[0].Raw
	if created.IsZero() && len(r.Undated) > 0 { // it is older than now, nobody knows by how much
		for _, key := range []string{"created_at", "updated_at"} {
			if raw, err = memory.DropField(raw, key); err != nil {
				return nil, err
			}
		}
	}
	set := fields(moment("created_at", created), moment("updated_at", updated))
	for _, f := range r.Fields {
		set = append(set, field{f.Key, f.Value})
	}
	return edited(raw, append(set, x.origin(), source(r)))
}

// origin says that the memory is imported, and arrives now.
func (x *importer) origin() field {
	return field{"origin", json.RawMessage(memory.OriginMember(memory.OriginImport, x.snap.At))}
}

// ownRecord is a record of a workspace, with what it lacks.
func (x *importer) ownRecord(r *foreign.Record) ([]byte, error) {
	var b bytes.Buffer
	if err := json.Indent(&b, r.Own, "", "  "); err != nil {
		return nil, err
	}
	raw, has := b.Bytes(), gjson.ParseBytes(r.Own)
	var set []field
	if !r.Complete() {
		set = append(set, field{"id", r.ID}, source(r))
		if !has.Get("created_at").Exists() && !has.Get("updated_at").Exists() {
			at := r.CreatedAt // of its file
			if at.IsZero() {
				at = x.snap.At
			}
			set = append(set, moment("created_at", at))
		}
	}
	if !has.Get("created_by").Exists() {
		set = append(set, field{"created_by", cmp.Or(x.By, r.Source.Format.Author(), foreign.AuthorUnknown)})
	}
	if has.Get("scope").Type != gjson.String {
		scope := x.Scope
		if scope == (memory.Scope{}) {
			scope = memory.Global
		}
		set = append(set, field{"scope", scope.Kind})
		if scope.ID != "" {
			set = append(set, field{"scope_id", scope.ID})
		}
	}
	return edited(raw, append(set, x.origin()))
}

// field is a member of a record to be set; with no value it stays as it is.
type field struct {
	key   string
	value any
}

func fields(all ...field) []field { return all }

func moment(key string, at time.Time) field {
	if at.IsZero() {
		return field{key, nil}
	}
	return field{key, timestamp.Format(at)}
}

func source(r *foreign.Record) field { return field{foreign.Key, r.Source} }

func edited(record []byte, all []field) ([]byte, error) {
	for _, f := range all {
		if f.value == nil {
			continue
		}
		var b bytes.Buffer
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(false)
		enc.SetIndent("  ", "  ")
		err := enc.Encode(f.value)
		if err == nil {
			record, err = memory.SetField(record, bytes.TrimSpace(b.Bytes()), f.key)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.key, err)
		}
	}
	return record, nil
}

// redacted takes the secrets out of a record: what would give the bytes of the source back is of no use then, and goes.
func (x *importer) redacted(r *foreign.Record, record []byte) ([]byte, []secrets.Finding, error) {
	if len(x.Secrets.FindRecord(record)) == 0 {
		return record, nil, nil
	}
	clean, found := x.Secrets.RedactRecord(record)
	found = said(found)
	if r.Complete() {
		return clean, found, nil
	}
	s := r.Source
	s.Raw = ""
	clean, err := edited(clean, fields(field{foreign.Key, s}))
	return clean, found, err
}

// said leaves out the findings in the bytes of the source, where some in what a memory says tell the same.
func said(found []secrets.Finding) []secrets.Finding {
	in := slices.DeleteFunc(slices.Clone(found), func(f secrets.Finding) bool { return strings.HasPrefix(f.Field, foreign.Key) })
	if len(in) == 0 {
		return found
	}
	return in
}

// allowed refuses secrets that the record that is there does not hold, and what the schema does not allow.
func (x *importer) allowed(old, record []byte) error {
	if !x.AllowSecret {
		if found := x.Secrets.Introduced(old, record); len(found) > 0 {
			return &app.SecretError{Findings: said(found)}
		}
	}
	if x.Check != nil {
		return x.Check(old, record)
	}
	return nil
}

// linkFields are the members of a memory that links of a record go into.
var linkFields = []string{"references", "supersedes", "superseded_by"}

// relinked are the members of an imported memory whose links are others now: a name that leads to a record by now becomes its id, and what
// the record links to since it has changed is added. Links that somebody made or removed here stay so.
func relinked(m *memory.Memory, r *foreign.Record, was *foreign.Source) (set []field) {
	if r.Complete() || was == nil {
		return nil
	}
	found := map[string]bool{} // keys of links that stand there by their names
	for _, ref := range gjson.GetBytes(m.Raw(), "references").Array() {
		for _, l := range r.Linked {
			if ref.Get("id").Str == l.Name && ref.Get("relationship").Str == l.How && l.Name != l.ID {
				found[linkKey(l.How, l.Name)], found[linkKey(l.How, l.ID)] = true, true
			}
		}
	}
	changed := *was != r.Source
	for _, key := range linkFields {
		var says []gjson.Result
		for _, f := range r.Fields {
			if f.Key == key {
				says = gjson.ParseBytes(f.Value).Array()
			}
		}
		here := gjson.GetBytes(m.Raw(), key)
		if here.Exists() && !here.IsArray() {
			continue // somebody's own
		}
		kept := slices.DeleteFunc(here.Array(), func(v gjson.Result) bool { return found[keyOf(key, v)] })
		for _, v := range says {
			there := slices.ContainsFunc(kept, func(o gjson.Result) bool { return keyOf(key, o) == keyOf(key, v) })
			if (changed || found[keyOf(key, v)]) && !there {
				kept = append(kept, v)
			}
		}
		if !slices.EqualFunc(kept, here.Array(), func(a, b gjson.Result) bool { return keyOf(key, a) == keyOf(key, b) }) {
			all := []json.RawMessage{}
			for _, v := range kept {
				all = append(all, json.RawMessage(v.Raw))
			}
			set = append(set, field{key, all})
		}
	}
	return set
}

// remembered gives a record of an imported memory the members that its source has otherwise since, or has no more, unless somebody changed
// them here: those are named.
func remembered(record []byte, m *memory.Memory, r *foreign.Record, was *foreign.Source) (out []byte, kept []string, err error) {
	old, ok := foreign.Before(m, was)
	if !ok || *was == r.Source {
		return record, nil, nil
	}
	before, now, here := old.Members(), r.Members(), gjson.ParseBytes(m.Raw())
	names := map[string]bool{}
	for _, all := range []map[string]string{before, now} {
		for name := range all {
			names[name] = !slices.Contains(linkFields, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		path := foreign.Path(name)
		at := here
		for _, key := range path {
			at = at.Get(gjson.Escape(key))
		}
		is := compactJSON([]byte(at.Raw))
		switch is {
		case `null`, `""`, `[]`, `{}`:
			is = ""
		}
		switch {
		case !names[name] || before[name] == now[name] || is == now[name]:
		case is != before[name]:
			kept = append(kept, name)
		case now[name] == "":
			record, err = memory.DropField(record, path...)
		case len(path) > 1 && !gjson.GetBytes(record, path[0]).IsObject():
			var whole []byte
			if whole, err = memory.SetField([]byte("{}"), []byte(now[name]), path[1]); err == nil {
				record, err = memory.SetField(record, whole, path[0])
			}
		default:
			record, err = memory.SetField(record, []byte(now[name]), path...)
		}
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	if v := gjson.GetBytes(record, foreign.Metadata); v.IsObject() && len(v.Map()) == 0 && here.Get(foreign.Metadata).Raw != v.Raw {
		if record, err = memory.DropField(record, foreign.Metadata); err != nil {
			return nil, nil, err
		}
	}
	var set []field
	if at := r.CreatedAt; r.Own == nil && !r.FileTime && !at.IsZero() && !at.Equal(old.CreatedAt) && m.CreatedAt.Equal(old.CreatedAt) {
		set = append(set, moment("created_at", at))
	}
	if r.Own == nil && r.Author != "" && old.Author != "" && r.Author != old.Author && here.Get("created_by").Str == old.Author {
		set = append(set, field{"created_by", r.Author})
	}
	record, err = edited(record, set)
	return record, kept, err
}

func linkKey(how, to string) string { return how + "\x00" + to }

// keyOf identifies a value of a member: two with the same key say the same.
func keyOf(member string, v gjson.Result) string {
	if v.IsObject() {
		return linkKey(v.Get("relationship").Str, v.Get("id").Str)
	}
	return linkKey(member, v.String())
}
