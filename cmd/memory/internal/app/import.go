package app

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/memoryd/memoryd/pkg/foreign"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/rules"
	"github.com/memoryd/memoryd/pkg/secrets"
	"github.com/memoryd/memoryd/pkg/workspace"
)

// What became of a record of a foreign store.
const (
	Imported  = "imported"
	Updated   = "updated"   // imported before, and edited there since
	Unchanged = "unchanged" // imported before
	Equal     = "equal"     // another memory of its kind says the same
	Kept      = "kept"      // the memory here stays, though the record there differs
	Refused   = "refused"   // nothing of it was written
)

// ImportItem is what becomes of one record of a foreign store.
type ImportItem struct {
	Place    string            `json:"place"`
	Status   string            `json:"status"`
	ID       string            `json:"id,omitempty"`
	With     string            `json:"with,omitempty"` // equal: the memory that says so
	Reason   string            `json:"reason,omitempty"`
	Redacted []secrets.Finding `json:"redacted,omitempty"`
}

// ImportOptions says how the records of a foreign store become memories.
type ImportOptions struct {
	Scope       memory.Scope
	By          string // who gets them as the author
	Redact      bool
	AllowSecret bool
	Secrets     *secrets.Rules // must be set
	// Check may refuse the record that is to be written, in place of an old one; nil for none. It is called
	// for several at the same time.
	Check func(old, record []byte) error
}

// Import plans to take records of a foreign store into a workspace, each for itself: it says what becomes of each, and gives the
// actions that make it true. Memories of the same text, tags and kind are not doubled; ones that are merely alike are left to the next
// consolidation. A memory that was edited since it was imported is never overwritten, nor is an archived one brought back.
func Import(snap *memory.Snapshot, records []foreign.Record, o ImportOptions) (actions []memory.Action, items []ImportItem) {
	x := importer{ImportOptions: o, snap: snap, promised: map[string]bool{}, says: map[string]string{}, taken: map[string]bool{}}
	for _, m := range snap.Memories() {
		x.says[saying(m)] = m.ID
	}
	drafts := x.drafts(records)
	for i := range records {
		r := &records[i]
		item := ImportItem{Place: r.Place(), ID: r.ID}
		action, err := x.take(r, &drafts[i], &item)
		switch {
		case err != nil:
			item.Status, item.Reason = Refused, strings.TrimPrefix(err.Error(), "refused, nothing was written: ")
		case action != nil:
			actions = append(actions, *action)
		}
		items = append(items, item)
	}
	return actions, items
}

// saying tells memories of another text, other tags or another kind apart.
func saying(m *memory.Memory) string {
	tags := slices.Clone(m.Tags)
	slices.Sort(tags)
	return strings.Join([]string{rules.Kind(m), strings.Join(tags, "\x00"), m.Text()}, "\x00\x00")
}

type importer struct {
	ImportOptions
	snap            *memory.Snapshot
	promised, taken map[string]bool   // files, and ids, of memories to be
	says            map[string]string // what is said -> id
}

// take decides about one record; no action: nothing is written.
func (x *importer) take(r *foreign.Record, d *importDraft, item *ImportItem) (*memory.Action, error) {
	if x.taken[r.ID] {
		return nil, fmt.Errorf("the id %s stands twice", r.ID)
	}
	if have := x.snap.Find(r.ID); len(have) > 0 {
		return x.again(have[0], len(have), r, item)
	}
	if item.Redacted = d.redacted; d.err != nil {
		return nil, d.err
	}
	fresh := d.fresh
	if other, ok := x.says[saying(fresh)]; ok && !fresh.Blank() {
		item.Status, item.With, item.ID = Equal, other, ""
		return nil, nil
	}
	to := memory.Ref{File: x.snap.FreeFile(fresh.Scope.Dir(), r.ID, x.promised)}
	x.says[saying(fresh)], x.taken[r.ID] = r.ID, true
	item.Status = Imported
	return &memory.Action{
		Action: oplog.Action{Type: oplog.Edit, Rule: memory.RuleManual, MemoryID: r.ID, To: to.File, Detail: "imported from " + r.Place()},
		Ops:    []memory.Op{{Kind: memory.Create, ID: r.ID, To: to, Raw: d.record}},
	}, nil
}

// again decides about a record whose id some memory has.
func (x *importer) again(m *memory.Memory, n int, r *foreign.Record, item *ImportItem) (*memory.Action, error) {
	was := foreign.SourceOf(m)
	kept := func(why string) (*memory.Action, error) {
		item.Status, item.Reason = Kept, why
		return nil, nil
	}
	switch {
	case n > 1:
		return nil, fmt.Errorf("%s: %w", r.ID, workspace.ErrAmbiguous)
	case r.Own != nil && compactJSON(r.Own) == compactJSON(m.Raw()), r.Own == nil && was != nil && *was == r.Source:
		item.Status = Unchanged
		return nil, nil
	case m.Archived:
		return kept("it is archived here")
	case r.Own != nil || was == nil:
		return kept("the memory here differs")
	}
	set := []field{source(r)}
	if was.Digest != r.Source.Digest {
		if foreign.Edited(m, was) {
			return kept("it was edited here and there")
		}
		tags := r.Tags
		if tags == nil {
			tags = []string{}
		}
		set = append(set, field{"content", json.RawMessage(r.Content)}, field{"tags", tags}, moment("updated_at", x.snap.At))
	}
	raw, err := edited(m.Raw(), set)
	if err != nil {
		return nil, err
	}
	if x.Redact {
		if raw, item.Redacted, err = x.redacted(r, raw); err != nil {
			return nil, err
		}
	}
	if bytes.Equal(raw, m.Raw()) {
		item.Status = Unchanged
		return nil, nil
	}
	if err := x.allowed(m.Raw(), raw); err != nil {
		return nil, err
	}
	action, err := memory.Replace(m, raw, "imported again from "+r.Place())
	if err != nil {
		return nil, err
	}
	item.Status, x.taken[r.ID] = Updated, true
	return &action, nil
}

func compactJSON(text []byte) string {
	var b bytes.Buffer
	if json.Compact(&b, text) != nil {
		return string(text)
	}
	return b.String()
}
