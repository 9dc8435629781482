package importing

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/memoryd/memoryd/internal/document"
	"github.com/memoryd/memoryd/internal/op/saving"
	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/foreign"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/recall"
	"github.com/memoryd/memoryd/pkg/rules"
	"github.com/memoryd/memoryd/pkg/secrets"
	"github.com/memoryd/memoryd/pkg/workspace"
)

// What became of a record of a foreign store.
const (
	Imported  = "imported"
	Updated   = "updated"   // imported before, and edited there since
	Unchanged = "unchanged" // imported before
	Equal     = "equal"     // another memory of its kind says the same, or all of it and more
	Kept      = "kept"      // the memory here stays, though the record there differs
	Refused   = "refused"   // nothing of it was written
)

// PlanOptions says how the records of a foreign store become memories.
type PlanOptions struct {
	Settings    config.Settings
	Scope       memory.Scope // zero: the one that a record tells, else global
	By          string       // who gets them as the author; "": whom the record names, else the tool or agent of its format
	Redact      bool
	AllowSecret bool
	Secrets     *secrets.Rules // must be set
	// Progress is told how many of the records have come how far, "read", "compared"; an error of it ends the import. nil for none. It is called
	// for several at the same time.
	Progress func(how string, done int) error
	// Check may refuse the record that is to be written, in place of an old one; nil for none. It is called
	// for several at the same time.
	Check func(old, record []byte) error
}

// Plan plans to take records of a foreign store into a workspace, each for itself: it says what becomes of each, and gives the
// actions that make it true. Each new record is judged as [saving.Save] judges a draft, beside the memories that are there and beside the records
// before it: it is not written, takes the place of a text all of which it says, or is imported, and flagged where it is similar or says that
// it corrects another. A memory that was edited since it was imported is never overwritten by a newer version of its record, nor is an
// archived one brought back. The only errors are that of opening words, and those of Progress.
func Plan(snap *memory.Snapshot, records []foreign.Record, o PlanOptions) ([]memory.Action, []document.ImportItem, error) {
	x := importer{
		PlanOptions: o, snap: snap, files: snap.NewFiles(), says: map[string]string{}, taken: map[string]bool{},
		index: saving.NewIndex(o.Settings), pending: map[string]int{}, complete: map[string]bool{},
	}
	x.index.Reader = &rules.Reader{}
	for _, m := range snap.Memories() {
		x.says[saying(m)] = m.ID
	}
	drafts, err := x.drafts(records)
	if err != nil {
		return nil, nil, err
	}
	items, done := make([]document.ImportItem, len(records)), 0
	// What was imported before comes first: a new record may be merged into it. Then come records of a workspace, which are judged beside what
	// is here already, and not beside each other: they stood beside each other there.
	const again, own, others = 0, 1, 2
	for turn := again; turn <= others; turn++ {
		for i := range records {
			r, item := &records[i], &items[i]
			which := others
			if len(x.snap.Find(r.ID)) > 0 {
				which = again
			} else if r.Complete() {
				which = own
			}
			if which != turn {
				continue
			}
			if err := x.progress("compared", done); err != nil {
				return nil, nil, err
			}
			done++
			x.own = turn == own
			*item = document.ImportItem{Place: r.Place(), ID: r.ID}
			if err := x.take(r, &drafts[i], item); err != nil {
				item.Status, item.Reason = Refused, strings.TrimPrefix(err.Error(), "refused, nothing was written: ")
			}
		}
		x.settle()
	}
	return x.actions, items, x.flag()
}

func (x *importer) progress(how string, done int) error {
	if x.Progress == nil {
		return nil
	}
	return x.Progress(how, done)
}

// saying tells memories of another text, other tags or another kind apart.
func saying(m *memory.Memory) string {
	tags := slices.Clone(m.Tags)
	slices.Sort(tags)
	return strings.Join([]string{rules.Kind(m), strings.Join(tags, "\x00"), m.Text()}, "\x00\x00")
}

type importer struct {
	PlanOptions
	snap  *memory.Snapshot
	files *memory.NewFiles
	taken map[string]bool   // ids of memories to be
	says  map[string]string // what is said -> id

	index    *saving.Index
	actions  []memory.Action
	pending  map[string]int // ids of memories that an action writes -> which
	created  []imported
	own      bool             // records of a workspace are taken now
	complete map[string]bool  // ids of those
	beside   []*memory.Memory // those of them that no other one of them is judged beside
}

// settle lets what comes be judged beside the records of a workspace, too.
func (x *importer) settle() {
	for _, m := range x.beside {
		x.says[saying(m)] = m.ID
		x.index.Saved(x.snap, m)
	}
	x.beside = nil
}

// imported is a record that becomes a memory.
type imported struct {
	action  int
	item    *document.ImportItem
	fresh   *memory.Memory
	near    *memory.Memory // the one that it is like; nil for none
	verdict saving.Verdict
	own     bool // it is a record of a workspace
}

// take decides about one record.
func (x *importer) take(r *foreign.Record, d *importDraft, item *document.ImportItem) error {
	if x.taken[r.ID] {
		return fmt.Errorf("the id %s stands twice", r.ID)
	}
	if have := x.snap.Find(r.ID); len(have) > 0 {
		action, err := x.again(have[0], len(have), r, item)
		if err != nil || action == nil {
			return err
		}
		return x.write(*action)
	}
	if item.Redacted = d.redacted; d.err != nil {
		return d.err
	}
	fresh := d.fresh
	if other, ok := x.says[saying(fresh)]; ok && !fresh.Blank() && !x.replaced(other) {
		return x.equal(other, r, fresh, item)
	}
	near, v := x.index.Check(x.snap, x.Settings, fresh)
	if near != nil && v.Reason == "" && len(x.index.Reader.Corrected(fresh, []*memory.Memory{near}, x.snap.At)) == 0 {
		return x.merge(near, r, fresh, v.Saying, item)
	}
	to := memory.Ref{File: x.files.Name(x.snap.Dir(fresh.Scope), r.ID)}
	if x.taken[r.ID] = true; !x.own {
		x.says[saying(fresh)] = r.ID
	}
	item.Status, item.Reason = Imported, r.Remark
	x.created = append(x.created, imported{len(x.actions), item, fresh, near, v, x.own})
	x.complete[r.ID] = x.own
	return x.write(memory.Action{
		Action: oplog.Action{Type: oplog.Add, Rule: memory.RuleManual, MemoryID: r.ID, To: to.File, Detail: "imported from " + r.Place()},
		Ops:    []memory.Op{{Kind: memory.Create, ID: r.ID, To: to, Raw: d.record}},
	})
}

// replaced reports whether the import gives a memory another text.
func (x *importer) replaced(id string) bool {
	i, ok := x.pending[id]
	return ok && len(x.actions[i].Originals) > 0
}

// equal lets a record go into a memory that says the same, tags and all: it gains what it lacks, unless it is one that nothing may change.
func (x *importer) equal(id string, r *foreign.Record, fresh *memory.Memory, item *document.ImportItem) error {
	other, err := x.latest(id)
	if err != nil {
		return err
	}
	v := x.index.Reader.Saving(x.snap, rules.Request{Settings: x.Settings}, other, fresh, 1, false)
	if v.Reason == "" {
		return x.merge(other, r, fresh, rules.SaysSame, item)
	}
	item.Status, item.Says, item.With, item.ID = Equal, rules.SaysSame, id, ""
	action, err := rules.MergeSaved(x.snap, x.Settings.Merge, other, fresh, rules.SaysSame)
	if err != nil {
		return err
	}
	would := other.Raw()
	if len(action.Ops) > 0 {
		would = action.Ops[0].Raw
		gains := rules.Gained(other.Raw(), would)
		if rules.Lifted(other.Raw(), would) {
			gains = append(gains, "the longer life")
		}
		if len(gains) > 0 {
			item.Reason = "left out " + strings.Join(gains, ", ") + ": " + v.Detail
		}
	}
	leftOut(item, other.Raw(), would, r, fresh)
	return nil
}

// leftOut adds to the reason of an item what of its record the memory that it went into does not have.
func leftOut(item *document.ImportItem, before, after []byte, r *foreign.Record, fresh *memory.Memory) {
	if lost := rules.LeftOut(before, after, fresh.Raw(), r.States); len(lost) > 0 {
		because(item, "left out "+strings.Join(lost, ", "))
	}
}

func because(item *document.ImportItem, why string) {
	if item.Reason != "" {
		why = item.Reason + "; " + why
	}
	item.Reason = why
}

// latest is a memory as the import leaves it.
func (x *importer) latest(id string) (*memory.Memory, error) {
	if i, ok := x.pending[id]; ok {
		op := x.actions[i].Ops[0]
		if op.Kind == memory.Put {
			op.To = op.Ref
		}
		return memory.OneRecord(op.To.File, op.Raw)
	}
	return x.snap.Find(id)[0], nil
}

// merge lets a record go into a memory that says the same, or part of it.
func (x *importer) merge(near *memory.Memory, r *foreign.Record, fresh *memory.Memory, says rules.Saying, item *document.ImportItem) error {
	action, err := rules.MergeSaved(x.snap, x.Settings.Merge, near, fresh, says)
	if err != nil {
		return err
	}
	item.Status, item.Says, item.With, item.ID = Equal, says, near.ID, ""
	if says == rules.SaysMore {
		item.Status = saving.Merged
	}
	if len(action.Ops) == 0 {
		leftOut(item, near.Raw(), near.Raw(), r, fresh)
		return nil
	}
	after := action.Ops[0].Raw
	item.Gained = rules.Gained(near.Raw(), after)
	if rules.Lifted(near.Raw(), after) {
		because(item, "its ttl was lifted: the record has none")
	}
	leftOut(item, near.Raw(), after, r, fresh)
	action.Detail = "from " + item.Place + ": " + action.Detail
	return x.write(action)
}

// write adds an action that writes one memory, to the one that writes it already if there is one.
func (x *importer) write(action memory.Action) error {
	op := action.Ops[0]
	if i, ok := x.pending[op.ID]; ok {
		first := &x.actions[i]
		first.Ops[0].Raw = op.Raw
		first.Originals = append(first.Originals, action.Originals...)
		if first.Original == "" {
			first.Original, first.Digests = action.Original, action.Digests
		}
		op.Kind, op.Ref, op.To = first.Ops[0].Kind, first.Ops[0].Ref, first.Ops[0].To
	} else {
		x.pending[op.ID] = len(x.actions)
		x.actions = append(x.actions, action)
	}
	if op.Kind == memory.Put {
		op.To = op.Ref
	}
	m, err := memory.OneRecord(op.To.File, op.Raw)
	switch {
	case err != nil:
	case x.own && op.Kind == memory.Create:
		x.beside = append(x.beside, m)
	default:
		x.index.Saved(x.snap, m)
	}
	return err
}

// flag flags the imported records with those that they are like, or correct.
func (x *importer) flag() error {
	latest := func(m *memory.Memory) *memory.Memory { // as the import leaves it
		if i, ok := x.pending[m.ID]; ok {
			op := x.actions[i].Ops[0]
			op.To = m.Ref
			if now, err := memory.OneRecord(op.To.File, op.Raw); err == nil {
				return now
			}
		}
		return m
	}
	var words *recall.Searcher
	for i, c := range x.created {
		if err := x.progress("compared again for what they correct", i); err != nil {
			return err
		}
		var corrected []rules.Correction
		if x.index.Reader.Corrects(c.fresh) {
			if words == nil {
				var err error
				if words, err = recall.Open(nil, x.all(), 0); err != nil {
					return fmt.Errorf("look for what the records correct: %w", err)
				}
			}
			var err error
			if corrected, err = saving.CorrectedBy(x.index.Reader, c.fresh, x.snap, func(_ *memory.Snapshot, request recall.Request) ([]recall.Found, error) {
				hits, _, err := words.Search(request)
				return hits, err
			}); err != nil {
				return err
			}
		}
		if c.own { // the two stood beside each other where they come from
			corrected = slices.DeleteFunc(corrected, func(o rules.Correction) bool { return x.complete[o.ID] })
		}
		if r, ok := rules.Rejected(x.snap, c.fresh); ok {
			c.near, corrected = nil, []rules.Correction{r.Correction()}
		}
		if c.near == nil && len(corrected) == 0 {
			continue
		}
		if c.near != nil {
			c.near = latest(c.near)
		}
		for i := range corrected {
			corrected[i].Memory = latest(corrected[i].Memory)
		}
		var out document.Saved
		x.actions[c.action] = saving.Flag(x.actions[c.action], latest(c.fresh), c.near, c.verdict, corrected, x.snap.At, &out)
		c.item.With, c.item.PairID, c.item.Reason = out.With, out.PairID, out.Reason
	}
	return nil
}

// all is the workspace with what is imported.
func (x *importer) all() *memory.Snapshot {
	var all []*memory.Memory
	for _, m := range x.snap.Memories() {
		if _, ok := x.pending[m.ID]; !ok {
			all = append(all, m)
		}
	}
	all = append(all, x.index.Pending()...)
	slices.SortFunc(all, func(a, b *memory.Memory) int { return strings.Compare(a.Ref.String(), b.Ref.String()) })
	return memory.NewSnapshot(x.snap.At, all, nil)
}

// again decides about a record whose id some memory has.
func (x *importer) again(m *memory.Memory, n int, r *foreign.Record, item *document.ImportItem) (*memory.Action, error) {
	was := foreign.SourceOf(m)
	kept := func(why string) (*memory.Action, error) {
		item.Status, item.Reason = Kept, why
		return nil, nil
	}
	links := relinked(m, r, was)
	switch {
	case n > 1:
		return nil, fmt.Errorf("%s: %w", r.ID, workspace.ErrAmbiguous)
	case r.Complete() && x.sameRecord(r, m), !r.Complete() && was != nil && *was == r.Source && len(links) == 0:
		item.Status = Unchanged
		return nil, nil
	case m.Archived:
		return kept("it is archived here")
	case r.Complete() || was == nil:
		return kept("the memory here differs")
	}
	set := append(links, source(r))
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
	raw, here, err := remembered(m.Raw(), m, r, was)
	if err == nil {
		raw, err = edited(raw, set)
	}
	if err != nil {
		return nil, err
	}
	if here != nil {
		item.Reason = "edited here and there, and kept as it is here: " + strings.Join(here, ", ")
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

// sameRecord reports whether a record is that of a memory, but for where the memory came from and what the record had lacked.
func (x *importer) sameRecord(r *foreign.Record, m *memory.Memory) bool {
	whole, err := x.ownRecord(r)
	if err != nil {
		whole = r.Own
	}
	is, was := compactJSON(withoutOrigin(foreign.Whole(m))), compactJSON(withoutOrigin(m.Raw()))
	for _, record := range [][]byte{r.Own, whole} {
		if text := compactJSON(withoutOrigin(record)); text == is || text == was {
			return true
		}
	}
	return false
}

func withoutOrigin(record []byte) []byte {
	if rest, err := memory.DropField(record, "origin"); err == nil {
		return rest
	}
	return record // not JSON: it is compared as it is
}

func compactJSON(text []byte) string {
	var b bytes.Buffer
	if json.Compact(&b, text) != nil {
		return string(text)
	}
	return b.String()
}
