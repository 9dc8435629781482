package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"time"

	"github.com/memoryd/memoryd/pkg/internal/delta"
	"github.com/memoryd/memoryd/pkg/internal/durable"
)

// doneRecord is ops/runs/<run>/done.json: what became of the run. With the journal
// beside it, it is what undo and history work from.
type doneRecord struct {
	Version  int            `json:"version"`
	RunID    string         `json:"run_id"`
	Started  time.Time      `json:"started"`
	Finished time.Time      `json:"finished"`
	Log      logHead        `json:"log"` // the end of the chain after this run
	Dead     map[int]string `json:"dead,omitempty"`
	Late     []string       `json:"late,omitempty"` // files whose displaced text went to ops/conflicts
	Derived  []derived      `json:"derived,omitempty"`
}

// derived is a patched file as the run found it and as it left it. The bytes that
// it found are told by what they share with those it left.
type derived struct {
	Path  string       `json:"path"`
	Base  string       `json:"base,omitempty"`
	Next  string       `json:"next,omitempty"`
	Delta []delta.Hunk `json:"delta,omitempty"`
}

// done writes the record that ends the run and puts the slots of patched files by.
//
//	write done.tmp; fsync, and what was touched since the last time; rename to done.json; fsync(run)
func (r *run) done(late []string) error {
	d := doneRecord{
		Version: 1, RunID: r.j.RunID, Started: r.j.Started, Finished: r.now().UTC(),
		Log: r.head, Dead: r.dead, Late: late,
	}
	dir := r.dir + "/" + slotsDir
	entries, err := r.root.ReadDir(dir)
	if err != nil {
		return err
	}
	var patched []string
	byLabel := map[string][]slotName{}
	for _, e := range entries {
		switch s, ok := r.parseSlot(e.Name); {
		case ok && s.patched():
			patched = append(patched, e.Name)
			byLabel[s.label] = append(byLabel[s.label], s)
		case strings.HasPrefix(e.Name, labelRotate+"."):
			patched = append(patched, e.Name)
		}
	}
	for k := range r.j.Indexes {
		label := indexLabel(k)
		if d.Derived, err = r.derive(d.Derived, label, r.j.Indexes[k].Path, r.j.Indexes[k].Base, byLabel[label]); err != nil {
			return err
		}
	}
	if d.Derived, err = r.derive(d.Derived, labelSeen, SeenFile, r.j.SeenBase, byLabel[labelSeen]); err != nil {
		return err
	}
	if len(byLabel[labelAccess]) > 0 {
		if d.Derived, err = r.derive(d.Derived, labelAccess, AccessFile, r.j.AccessBase, byLabel[labelAccess]); err != nil {
			return err
		}
	}
	if d.Derived, err = r.derive(d.Derived, labelReview, ReviewFile, r.j.ReviewBase, byLabel[labelReview]); err != nil {
		return err
	}
	doc, err := sealed(d)
	if err != nil {
		return err
	}
	if err := r.drop(r.dir + "/" + doneTemp); err != nil {
		return err
	}
	last := []func() error{
		func() error { return durable.Write(r.root, r.dir+"/"+doneTemp, doc, private.Mode) },
		r.syncTouched(),
	}
	if err := durable.Each(len(last), r.parallel, func(i int) error { return last[i]() }); err != nil {
		return err
	}
	if err := durable.Publish(r.root, r.dir+"/"+doneTemp, r.dir+"/"+doneFile); err != nil {
		return err
	}
	r.putBy(patched)
	return nil
}

// putBy moves the slots of patched files out of the record, to be looked through
// once more when no editor can still be writing into them. Those that stay behind
// go with the record.
func (r *run) putBy(slots []string) {
	if _, err := durable.MkdirAll(r.root, displacedDir); err != nil {
		r.warn("%v", err)
		return
	}
	for _, name := range slots {
		to := fmt.Sprintf("%s/%d~%s~%s", displacedDir, r.now().Unix(), path.Base(r.dir), name)
		if err := r.root.Rename(r.dir+"/"+slotsDir+"/"+name, to); err != nil && !errors.Is(err, fs.ErrNotExist) {
			r.warn("%v", err)
		}
	}
}

// derive records a patched file, if it can be said for certain what the run found
// and left: its displaced contents, in the slots, lead from one to the other.
func (r *run) derive(all []derived, label, name, base string, slots []slotName) ([]derived, error) {
	left, _, err := r.read(name)
	if odd(err) {
		return all, nil
	}
	if err != nil {
		return all, err
	}
	now := r.stands(name, left)
	d := derived{Path: name, Base: base, Next: now.sum}
	if d.Base == d.Next { // an undo must not change it either
		if d.Base != durable.Absent {
			d.Delta = []delta.Hunk{{Copy: len(left)}}
		}
		return append(all, d), nil
	}
	if before, ok := r.found(label, d.Base, d.Next); ok {
		d.Delta = before
		return append(all, d), nil
	}
	first := ""
	for at, steps := d.Next, 0; at != base; steps++ {
		i := 0
		for i < len(slots) && slots[i].next != at {
			i++
		}
		if i == len(slots) || steps > len(slots) {
			// Creating it has used up the slot of the first step.
			if _, ok := r.found(label, base, at); base == durable.Absent && ok {
				break
			}
			return all, nil
		}
		at, first = slots[i].base, r.slot(label, slots[i].base, slots[i].next)
	}
	if base != durable.Absent {
		found, _, err := r.root.Read(first, durable.MaxSize)
		if errors.Is(err, fs.ErrNotExist) || err == nil && durable.Sum(found) != base {
			return all, nil
		}
		if err != nil {
			return all, err
		}
		d.Delta = delta.Of(left, found)
	}
	return append(all, d), nil
}
