package tx

import (
	"cmp"
	"errors"
	"io/fs"
	"slices"
	"strings"

	"github.com/memoryd/memoryd/pkg/indexfile"
	"github.com/memoryd/memoryd/pkg/internal/delta"
	"github.com/memoryd/memoryd/pkg/internal/durable"
	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/note"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/text"
	"github.com/memoryd/memoryd/pkg/workspace/internal/accesslog"
	"github.com/memoryd/memoryd/pkg/workspace/internal/index"
	"github.com/memoryd/memoryd/pkg/workspace/internal/journal"
)

// done writes the record that ends the run and moves the slots of patched files away.
//
//	write done.tmp; fsync, and what was touched since the last time; rename to done.json; fsync(run)
func (r *run) done(late []string) error {
	d := journal.Done{
		Version: 1, RunID: r.j.RunID, Started: r.j.Started, Finished: r.now().UTC(),
		Log: r.head, Dead: r.dead, Late: late, Change: r.j.Change,
	}
	dir := r.dir + "/" + SlotsDir
	entries, err := r.root.ReadDir(dir)
	if err != nil {
		return err
	}
	var patched []string
	byLabel := map[string][]journal.Slot{}
	for _, e := range entries {
		switch s, ok := r.j.ParseSlot(e.Name, patchedFiles); {
		case ok && s.Patched():
			patched = append(patched, e.Name)
			byLabel[s.Label] = append(byLabel[s.Label], s)
		case strings.HasPrefix(e.Name, journal.LabelRotate+"."):
			patched = append(patched, e.Name)
		}
	}
	type derived struct{ label, path, base string }
	var all []derived
	for k, x := range r.j.Indexes {
		all = append(all, derived{journal.IndexLabel(k), x.Path, x.Base})
	}
	for k, f := range r.j.EdgeFiles {
		all = append(all, derived{journal.EdgesLabel(k), f.Path, f.Base})
	}
	for k, t := range r.j.Texts {
		all = append(all, derived{journal.TextLabel(k), t.Path, t.Base})
	}
	if len(byLabel[journal.LabelOverlay]) > 0 {
		all = append(all, derived{journal.LabelOverlay, note.OverlayFile, r.j.OverlayBase})
	}
	all = append(all, derived{journal.LabelSeen, memory.SeenFile, r.j.SeenBase})
	if len(byLabel[journal.LabelAccess]) > 0 {
		all = append(all, derived{journal.LabelAccess, accesslog.File, r.j.AccessBase})
	}
	for _, p := range append(all, derived{journal.LabelReview, memory.ReviewFile, r.j.ReviewBase}) {
		if d.Derived, err = r.derive(d.Derived, p.label, p.path, p.base, byLabel[p.label]); err != nil {
			return err
		}
	}
	doc, err := journal.Seal(d)
	if err != nil {
		return err
	}
	if err := r.drop(r.dir + "/" + doneTemp); err != nil {
		return err
	}
	last := []func() error{
		func() error { return durable.Write(r.root, r.dir+"/"+doneTemp, doc, private.Mode) },
		r.syncTouched,
	}
	if r.appendedTo != "" {
		last = append(last, func() error { return durable.SyncFile(r.root, r.appendedTo) })
	}
	if err := durable.ForEachParallel(len(last), r.parallel, func(i int) error { return last[i]() }); err != nil {
		return err
	}
	if err := durable.Publish(r.root, r.dir+"/"+doneTemp, r.dir+"/"+journal.DoneFile); err != nil {
		return err
	}
	r.putBy(patched)
	return nil
}

// derive records a patched file, if its displaced contents, in the slots, lead from what
// the run left back to what it found.
func (r *run) derive(all []journal.Derived, label, name, base string, slots []journal.Slot) ([]journal.Derived, error) {
	now, _, err := r.read(name)
	if odd(err) {
		return all, nil
	}
	if err != nil {
		return all, err
	}
	d := journal.Derived{Path: name, Base: base, Next: sumOf(now)}
	if d.Base == d.Next { // an undo must not change it either
		if d.Base != durable.Absent {
			d.Delta = []delta.Hunk{{Copy: len(now)}}
		}
		return append(all, d), nil
	}
	first := ""
	for at, steps := d.Next, 0; at != base; steps++ {
		i := slices.IndexFunc(slots, func(s journal.Slot) bool { return s.Next == at })
		if i < 0 || steps > len(slots) {
			if base == durable.Absent && r.created[label] == at { // its slot became the file
				break
			}
			return all, nil
		}
		at, first = slots[i].Base, r.slot(label, slots[i].Base, slots[i].Next)
	}
	if base != durable.Absent {
		found, _, err := r.root.Read(first, durable.MaxSize)
		if errors.Is(err, fs.ErrNotExist) || err == nil && durable.Sum(found) != base {
			return all, nil
		}
		if err != nil {
			return all, err
		}
		d.Delta = delta.Of(now, found)
	}
	return append(all, d), nil
}

// noteArchived remembers what the archive's index will say of a moved record.
func (c *commit) noteArchived(a *memory.Action, op memory.Op, record []byte) {
	if c.extra == nil {
		c.extra, c.places = map[string][]indexfile.Field{}, map[*memory.Action]map[string]string{}
		c.archived = map[*memory.Action]map[string]string{}
	}
	from, id := op.Ref.String(), op.ID
	if v, ok := jsonedit.Get(op.Raw, "id"); ok { // a conflict copy gets an id of its own
		id = text.Composed(v.Str)
	}
	c.extra[id] = index.ArchivedFields(from, c.tx.Plan.At, &a.Action, c.runID)
	if c.places[a] == nil {
		c.places[a] = map[string]string{}
	}
	c.places[a][id] = from
	if c.machine != "" {
		if c.archived[a] == nil {
			c.archived[a] = map[string]string{}
		}
		c.archived[a][id] = string(memory.ParseRecord(record, op.To).EditDigest())
	}
}

// asLogged is the action as the log tells it: with the places that archived memories
// came from, so that the archive's index can be rebuilt.
func (c *commit) asLogged(a *memory.Action) oplog.Action {
	out := a.Action
	if out.Type != oplog.Summarize && out.Type != oplog.Judge {
		out.Digests = nil // a plan needs them; in the log only a kept original does, and a verdict
	}
	if out.Rule == memory.RuleManual && (out.Type == oplog.Add || out.Type == oplog.Edit) {
		out.Actor = cmp.Or(out.Actor, c.actor)
	}
	if out.Type == oplog.Archive {
		out.From = c.places[a][a.MemoryID]
	} else {
		out.Places = c.places[a]
	}
	out.Archived = c.archived[a]
	return out
}
