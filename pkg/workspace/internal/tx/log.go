package tx

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
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

// SavesLimit is the size from which a save moves the lines of saves into the log, as any other run does.
const SavesLimit = 128 << 10

// logEntry logs the run's entry, once, and reads where the log then ends. What can't be logged doesn't happen: a log
// that can't be written leaves the run pending.
//
// The entry of a save is a line that is appended to ops/saves.jsonl. Any other run moves these lines into the log, in
// front of its own entry; they leave ops/saves.jsonl once they stand there durably.
func logEntry(r *run) error {
	if r.j.Entry != nil || r.j.Saves {
		if lined, err := logLine(r); err != nil || lined {
			return err
		}
		if err := r.patchOurs(logPatch(r)); err != nil {
			return err
		}
		if err := r.updateIndexes(); err != nil {
			return err
		}
		if err := dropLines(r); err != nil {
			return err
		}
	}
	tail, err := endOfLog(r.root)
	if errors.Is(err, oplog.ErrBroken) {
		return nil // an unlogged run has nothing to do with it
	}
	r.head = journal.Head{Count: tail.Count, Hash: tail.Hash}
	return err
}

// endOfLog reads where the log ends, with the lines that have not been moved into it.
func endOfLog(root durable.FS) (oplog.Tail, error) {
	lines, _, err := readLines(root)
	if err != nil || lines.Len() > 0 {
		return lines.Tail(), err
	}
	doc, _, err := root.Read(memory.LogFile, maxSize)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return oplog.Tail{}, err
	}
	return oplog.TailOf(doc)
}

// readLines reads ops/saves.jsonl; without it there are no lines. What else has the name holds none.
func readLines(root durable.FS) (*oplog.Lines, []byte, error) {
	doc, _, err := root.Read(memory.SavesFile, maxSize)
	if errors.Is(err, fs.ErrNotExist) || odd(err) {
		err = nil
	}
	return oplog.ParseLines(doc), doc, err
}

// logLine appends the entry of a save to ops/saves.jsonl. It reports whether the entry stands there.
//
//	write at the end; later, next to done.tmp: fsync
func logLine(r *run) (bool, error) {
	if !r.j.Save {
		return false, nil
	}
	lines, doc, err := readLines(r.root)
	if err != nil {
		return false, err
	}
	entry, stands := lines.Find(r.j.Entry.RunID)
	if !stands {
		if len(doc) >= SavesLimit || len(lines.Bad) > 0 {
			return false, nil
		}
		after, err := endOfLog(r.root)
		if errors.Is(err, oplog.ErrBroken) || odd(err) {
			return false, nil // the log is begun again
		}
		if err != nil {
			return false, err
		}
		if r.again { // it may have been moved into the log
			if doc, _, err := r.read(memory.LogFile); err != nil || bytes.Contains(doc, []byte(`"`+r.j.Entry.RunID+`"`)) {
				return false, err
			}
		}
		entry = finalEntry(r)
		line, err := lines.Line(entry, after)
		if err != nil {
			return false, err
		}
		if lines.Torn {
			err = mendLines(r, line)
		} else {
			err = r.root.Append(memory.SavesFile, line)
		}
		if odd(err) {
			if err = r.aside(memory.SavesFile, memory.SavesFile); err == nil {
				err = r.root.Append(memory.SavesFile, line)
			}
		}
		if err != nil {
			return false, fmt.Errorf("%s: %w", memory.SavesFile, err)
		}
	}
	if r.entry = entry; len(doc) == 0 || r.again {
		r.touched[path.Dir(memory.SavesFile)] = true
	}
	lines, _, err = readLines(r.root)
	tail := lines.Tail()
	r.head, r.appendedTo = journal.Head{Count: tail.Count, Hash: tail.Hash}, memory.SavesFile
	return true, err
}

// mendLines appends a line in the place of a part of one. That is what an attempt to append the same line has left, or
// else the text of somebody else, which goes to ops/conflicts.
func mendLines(r *run, line []byte) error {
	return r.patchOurs(&patch{label: journal.LabelSaves, name: memory.SavesFile, of: func(doc []byte) ([]byte, error) {
		lines := oplog.ParseLines(doc)
		if !lines.Torn {
			return doc, nil // an earlier attempt has fixed it
		}
		whole := lines.Whole(doc)
		if part := bytes.TrimRight(doc[len(whole):], "\x00"); !bytes.HasPrefix(line, part) {
			if err := keepBroken(r, memory.SavesFile, doc); err != nil {
				return nil, err
			}
		}
		return append(whole, line...), nil
	}})
}

// logPatch appends the run's entry to the log, once, and before it what stands in ops/saves.jsonl. A run may have no entry
// and move only that.
func logPatch(r *run) *patch {
	var entry *oplog.Entry
	if r.j.Entry != nil {
		entry = finalEntry(r)
	}
	return &patch{label: journal.LabelLog, name: memory.LogFile, of: func(doc []byte) ([]byte, error) {
		if entry != nil && bytes.Contains(doc, []byte(`"`+entry.RunID+`"`)) {
			if log, err := oplog.Read(doc); err == nil {
				if have, ok := log.Find(entry.RunID); ok && have.RunID == entry.RunID {
					r.entry = have
					return doc, nil
				}
			}
		}
		lines, _, err := readLines(r.root)
		if err != nil {
			return nil, err
		}
		if doc, err = rotated(r, doc); err != nil {
			return nil, err
		}
		add := func(doc []byte) ([]byte, error) {
			next, err := oplog.Fold(doc, lines)
			if err == nil && entry != nil {
				e := *entry
				next, err = oplog.Append(next, &e)
				r.entry = &e
			}
			return next, err
		}
		next, err := add(doc)
		if errors.Is(err, oplog.ErrBroken) && len(doc) > 0 {
			if err := keepBroken(r, memory.LogFile, doc); err != nil {
				return nil, err
			}
			next, err = add(nil)
		}
		return next, err
	}}
}

// MoveSaves moves the lines of ops/saves.jsonl into the log, if there are any, for those who read the log's document
// alone: version control and other machines.
func (s *Store) MoveSaves(ctx context.Context, at time.Time) (err error) {
	if there, err := durable.Exists(s.Root, memory.SavesFile); err != nil || !there {
		return err
	}
	release, err := s.Lock(ctx, "log")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, release()) }()
	if err := s.UpdateIndexes(ctx); err != nil {
		return fmt.Errorf("move %s into the log: %w", memory.SavesFile, err)
	}
	lines, _, err := readLines(s.Root)
	if err != nil || lines.Len() == 0 {
		return err
	}
	plan := &memory.Plan{At: at, Trigger: "log"}
	plan.Seal(lines.Tail().Hash)
	c, err := s.newCommit(&Tx{Plan: plan})
	if err != nil {
		return fmt.Errorf("move %s into the log: %w", memory.SavesFile, err)
	}
	r := s.newRun(c.runID, &journal.Run{Version: 1, RunID: c.runID, At: at, Saves: true, Change: true})
	if err := s.execute(ctx, r); err != nil {
		return fmt.Errorf("move %s into the log: %w", memory.SavesFile, err)
	}
	s.noteAll(r.warnings)
	return nil
}

// dropLines takes out of ops/saves.jsonl what stands in the log now. Lines that are not entries are kept in
// ops/conflicts.
func dropLines(r *run) error {
	if there, err := durable.Exists(r.root, memory.SavesFile); err != nil || !there {
		return err
	}
	if err := r.syncTouched(); err != nil {
		return err
	}
	log, _, err := r.read(memory.LogFile)
	if err != nil {
		return err
	}
	return r.patchOurs(&patch{label: journal.LabelSaves, name: memory.SavesFile, of: func(doc []byte) ([]byte, error) {
		if doc == nil {
			return nil, nil
		}
		lines := oplog.ParseLines(doc)
		if len(lines.Bad) > 0 || lines.Torn {
			if err := keepBroken(r, memory.SavesFile, doc); err != nil {
				return nil, err
			}
		}
		for _, e := range lines.Entries() {
			if !bytes.Contains(log, []byte(`"`+e.RunID+`"`)) {
				return doc, nil // it was added meanwhile: the next run moves it
			}
		}
		return nil, nil
	}})
}

// finalEntry is the entry with dead actions told as skipped.
func finalEntry(r *run) *oplog.Entry {
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
func rotated(r *run, doc []byte) ([]byte, error) {
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
			if err := keepLog(r, name, doc); errors.Is(err, durable.ErrConflict) {
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

func keepLog(r *run, name string, doc []byte) error {
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
