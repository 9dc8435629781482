package workspace

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/memoryd/memoryd/pkg/internal/durable"
	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/review"
	"github.com/memoryd/memoryd/pkg/workspace/internal/journal"
)

// readLog reads what the log tells, into a snapshot that has nothing else.
func (s *FileStore) readLog() *Snapshot {
	snap := &Snapshot{}
	snap.remember(s.root, nil)
	return snap
}

// remember takes from the log what the rules ask of it: which ids the last run
// put off, when it and the latest one were, and when memories were restored. It reads the newest two parts of the
// log, so that a long history costs nothing; one that can't be read tells nothing,
// and check reports it. What an earlier snapshot knows of the same log is taken over, and
// only the entries since are read.
func (s *Snapshot) remember(root durable.FS, from *Snapshot) {
	if from != nil && from.logHead != "" && s.continues(root, from) {
		return
	}
	parts, err := logParts(root, 2)
	if err != nil {
		s.newest = endOfTime
		return
	}
	if len(parts) > 0 && parts[0].Document != nil {
		s.logHead = parts[0].Document.Tail().Hash
	}
	s.Restored, s.parted = map[string]time.Time{}, map[[2]string]time.Time{}
	var last *oplog.Gist
	for _, p := range slices.Backward(parts) {
		if p.Document != nil {
			last = cmp.Or(s.heed(p.Gists(heeded...)), last)
		} else {
			s.newest = endOfTime
		}
	}
	s.Deferred = deferredBy(root, last)
}

// continues takes over what an earlier snapshot knows of the log, if that is the same one
// but for entries behind those of then.
func (s *Snapshot) continues(root durable.FS, from *Snapshot) bool {
	doc, _, err := root.Read(LogFile, jsonedit.MaxSize)
	if err != nil {
		return false
	}
	tail, err := oplog.TailOf(doc)
	if err != nil {
		return false
	}
	var more []oplog.Gist
	if tail.Hash != from.logHead {
		parsed, err := oplog.Parse(doc)
		if err != nil {
			return false
		}
		ok := false
		if more, ok = parsed.GistsSince(from.logHead, heeded...); !ok {
			return false
		}
	}
	s.logHead, s.LastRun, s.newest, s.Deferred = tail.Hash, from.LastRun, from.newest, from.Deferred
	s.Restored, s.parted = maps.Clone(from.Restored), maps.Clone(from.parted)
	if last := s.heed(more); last != nil {
		s.Deferred = deferredBy(root, last)
	}
	return true
}

// heeded are the types of actions that heed asks about.
var heeded = []string{oplog.Restore, oplog.Undo}

// heed takes from entries of the log what the rules ask of them, and returns the last one of a
// consolidation: what it deferred comes first.
func (s *Snapshot) heed(entries []oplog.Gist) *oplog.Gist {
	for i := range entries {
		e := &entries[i]
		if s.LastRun = e.Timestamp; e.Timestamp.After(s.newest) {
			s.newest = e.Timestamp
		}
		for _, a := range e.Actions {
			switch a.Type {
			case oplog.Restore:
				s.Restored[a.MemoryID] = e.Timestamp
			case oplog.Undo:
				for i, id := range a.MemoryIDs {
					s.Restored[id] = e.Timestamp
					for _, other := range a.MemoryIDs[:i] {
						s.parted[review.Key(id, other)] = e.Timestamp
					}
				}
			}
		}
	}
	for i := range slices.Backward(entries) {
		if !byCommand(&entries[i]) {
			return &entries[i]
		}
	}
	return nil
}

// named is how many ids of what a run deferred stand in its entry of the log: it is kept for ever,
// and in a large workspace all of them would be a megabyte a run. All stand in its record, while
// there is one: for a day at least (see keepFor).
const named = 1000

// deferredBy lists what a run deferred.
func deferredBy(root durable.FS, run *oplog.Gist) []string {
	if run == nil {
		return nil
	}
	e := run.Entry()
	if e.Stats.MemoriesDeferred <= len(e.Deferred) || strings.ContainsAny(e.RunID, "/\\") {
		return e.Deferred
	}
	all, err := journal.ReadDeferred(root, RunsDir+"/"+e.RunID+"/"+deferredFile)
	if err != nil || all.RunID != e.RunID {
		return e.Deferred // those come first
	}
	return all.IDs
}

// byCommand tells the entry of a single command (archive, edit, …), or of counting
// reads, from a consolidation run.
func byCommand(e *oplog.Gist) bool {
	rules := e.Rules()
	for _, rule := range rules {
		if rule != RuleManual && rule != RuleAccess {
			return false
		}
	}
	return len(rules) > 0
}

// endOfTime is later than any entry of a log.
var endOfTime = time.Unix(1<<40, 0)

// RanSince reports whether the log may tell of a run of a time, to the second, or of a later one.
func (s *Snapshot) RanSince(at time.Time) bool { return !s.newest.Before(at.Truncate(time.Second)) }
