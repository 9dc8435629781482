package tx

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"path"
	"strings"
	"time"

	"github.com/memoryd/memoryd/pkg/internal/durable"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/workspace/internal/journal"
)

// LogArchive holds the older parts of the log.
const LogArchive = "ops/archive"

// LogLimit is the size from which the log is continued in a new file; a new month
// does the same.
const LogLimit = 1 << 20

// log appends the run's entry, once. What can't be logged doesn't happen: a log
// that can't be written leaves the run pending.
func (r *run) log() *patch {
	if r.j.Entry == nil {
		return nil
	}
	entry := r.finalEntry()
	return &patch{label: journal.LabelLog, name: memory.LogFile, of: func(doc []byte) ([]byte, error) {
		if bytes.Contains(doc, []byte(`"`+entry.RunID+`"`)) {
			if log, err := oplog.Read(doc); err == nil {
				if have, ok := log.Find(entry.RunID); ok && have.RunID == entry.RunID {
					r.entry = have
					return doc, nil
				}
			}
		}
		doc, err := r.rotated(doc)
		if err != nil {
			return nil, err
		}
		e := *entry
		next, err := oplog.Append(doc, &e)
		if errors.Is(err, oplog.ErrBroken) && len(doc) > 0 {
			if err := r.keepBroken(memory.LogFile, doc); err != nil {
				return nil, err
			}
			next, err = oplog.Append(nil, &e)
		}
		if err != nil {
			return nil, err
		}
		r.entry = &e
		return next, nil
	}}
}

// endOfLog reads the end of the log's chain.
func (r *run) endOfLog() error {
	doc, _, err := r.read(memory.LogFile)
	if err != nil {
		return err
	}
	tail, err := oplog.TailOf(doc)
	if errors.Is(err, oplog.ErrBroken) {
		return nil // an unlogged run has nothing to do with it
	}
	r.head = journal.Head{Count: tail.Count, Hash: tail.Hash}
	return err
}

// finalEntry is the entry with dead actions told as skipped.
func (r *run) finalEntry() *oplog.Entry {
	e := *r.j.Entry
	e.Actions = append([]oplog.Action{}, e.Actions...)
	var late []oplog.Action
	gone := map[int]bool{}
	for i := range r.j.Actions {
		a := &r.j.Actions[i]
		why, dead := r.dead[a.Group]
		if !dead || a.Log < 0 {
			continue
		}
		gone[a.Log] = true
		for _, id := range (&memory.Action{Action: a.Action}).Members() {
			late = append(late, oplog.Action{Type: oplog.Skip, Rule: a.Action.Rule, MemoryID: id, Reason: ReasonChanged, Detail: why})
		}
	}
	if len(gone) == 0 {
		return &e
	}
	kept := e.Actions[:0:0]
	for i, a := range e.Actions {
		if !gone[i] {
			kept = append(kept, a)
		}
	}
	left := e.Stats.MemoriesSkipped - oplog.Count(e.Actions, 0).MemoriesSkipped // by the plan
	e.Actions = append(kept, late...)
	e.Stats = oplog.Count(e.Actions, e.Stats.MemoriesDeferred)
	e.Stats.MemoriesSkipped += left
	return &e
}

// rotated gives the document to append to: doc itself, or a new one that follows
// it when doc is too large or of an earlier month. doc is then kept, durably, in
// ops/archive/ before anything else happens.
func (r *run) rotated(doc []byte) ([]byte, error) {
	if len(doc) == 0 {
		return doc, nil
	}
	tail, err := oplog.TailOf(doc)
	if err != nil || tail.Empty {
		return doc, nil //nolint:nilerr // a broken log is dealt with by the caller
	}
	month := tail.Last.UTC()
	if len(doc) < LogLimit && !earlierMonth(month, r.j.At) {
		return doc, nil
	}
	for n := 1; ; n++ {
		name := fmt.Sprintf("%s/%s.json", LogArchive, cmp.Or(r.machine, "consolidation-log")+"-"+month.Format("2006-01"))
		if n > 1 {
			name = fmt.Sprintf("%s-%d.json", strings.TrimSuffix(name, ".json"), n)
		}
		have, _, err := r.read(name)
		if err != nil {
			return nil, err
		}
		if have == nil {
			if err := r.keepLog(name, doc); errors.Is(err, durable.ErrConflict) {
				continue
			} else if err != nil {
				return nil, err
			}
		} else if !bytes.Equal(have, doc) { // equal: kept by an earlier attempt
			continue
		}
		return oplog.Follow(doc, name)
	}
}

func (r *run) keepLog(name string, doc []byte) error {
	made, err := durable.MkdirAll(r.root, path.Dir(name))
	if err != nil {
		return err
	}
	_, attr, err := r.read(memory.LogFile)
	if err != nil {
		return err
	}
	sum := durable.Sum(doc)
	slot := r.slot(journal.LabelRotate, durable.Absent, sum)
	if err := r.stagePatch(slot, doc, sum, attr); err != nil {
		return err
	}
	if err := durable.Publish(r.root, slot, name); err != nil {
		return err
	}
	return durable.SyncDirs(r.root, r.parallel, made...)
}

func earlierMonth(a, b time.Time) bool {
	b = b.UTC()
	return a.Year() < b.Year() || a.Year() == b.Year() && a.Month() < b.Month()
}
