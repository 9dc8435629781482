package workspace

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/memoryd/memoryd/pkg/internal/durable"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/review"
	"github.com/memoryd/memoryd/pkg/workspace/internal/journal"
	"github.com/memoryd/memoryd/pkg/workspace/ops"
)

// readHistory takes from the log what the rules ask of it: which ids the last run
// put off, when it and the latest one were, and when memories were restored. It reads the newest
// two parts of the log, so that a long history costs nothing; one that can't be read tells
// nothing, and check reports it. The snapshot has nothing else. In a folder without settings all parts are read, to
// find the first entry.
func readHistory(root durable.FS) logged {
	snap, most, bare := &memory.Snapshot{}, 2, isBare(root)
	if bare {
		most = ops.AllParts
	}
	parts, err := ops.LogParts(root, most)
	if err != nil {
		snap.LatestRun = endOfTime
		return logged{Snapshot: snap}
	}
	if len(parts) > 0 && parts[0].Document != nil {
		snap.LogHash = parts[0].Document.Tail().Hash
	}
	snap.Restored, snap.Undone = map[string]time.Time{}, map[[2]string]time.Time{}
	var last *oplog.PartialEntry
	for _, p := range slices.Backward(parts) {
		if p.Document != nil {
			last = cmp.Or(readEntries(snap, p.PartialEntries(readTypes...)), last)
		} else {
			snap.LatestRun = endOfTime
		}
	}
	snap.Deferred = deferredBy(root, last)
	readOtherLogs(root, snap)
	told := logged{Snapshot: snap, bare: bare}
	if bare {
		saves, _ := ops.LogLines(root) // "memory check" reports what can't be read
		told.first = openingOf(parts, saves)
	}
	return told
}

// logged is what the log says.
type logged struct {
	*memory.Snapshot
	bare  bool    // the folder has no settings
	first opening // if so
}

// readOtherLogs notes what was restored and undone on other machines, from their logs.
func readOtherLogs(root durable.FS, snap *memory.Snapshot) {
	logs, err := ops.OthersLogs(root, 2)
	if err != nil {
		return // "memory check" reports it
	}
	for _, parts := range logs {
		theirs := &memory.Snapshot{Restored: snap.Restored, Undone: snap.Undone}
		for _, p := range slices.Backward(parts) {
			if p.Document != nil {
				readEntries(theirs, p.PartialEntries(readTypes...))
			}
		}
	}
}

// readTypes are the types of actions that readEntries looks for.
var readTypes = []string{oplog.Restore, oplog.Undo}

// readEntries notes in the snapshot which memories were restored and which merges were undone, and returns the last
// entry of a consolidation, because the memories that it deferred come first.
func readEntries(s *memory.Snapshot, entries []oplog.PartialEntry) *oplog.PartialEntry {
	for i := range entries {
		e := &entries[i]
		if e.Timestamp.After(s.LatestRun) {
			s.LatestRun = e.Timestamp
		}
		for _, a := range e.Actions {
			switch a.Type {
			case oplog.Restore:
				later(s.Restored, a.MemoryID, e.Timestamp)
			case oplog.Undo:
				undone(s, &a, e.Timestamp)
			}
		}
	}
	for i := range slices.Backward(entries) {
		if !byCommand(&entries[i]) {
			s.LastRun = entries[i].Timestamp
			return &entries[i]
		}
	}
	return nil
}

// undone takes from an undo which memories it brought back from the archive, and which pairs it parted: those of a merge. An undone
// question to a person, or an undone answer, parts nobody: the next run asks again.
func undone(s *memory.Snapshot, a *oplog.Action, at time.Time) {
	kind, redone := a.Undid(), a.Reason == oplog.ReasonRedo
	switch {
	case redone && kind == oplog.Restore:
	case !redone && (kind == oplog.Merge || kind == oplog.Archive || kind == oplog.Promote): // that of a working memory archives it
	default:
		return
	}
	for i, id := range a.MemoryIDs {
		later(s.Restored, id, at)
		if kind != oplog.Merge {
			continue
		}
		for _, other := range a.MemoryIDs[:i] {
			later(s.Undone, review.Key(id, other), at)
		}
	}
}

// named is how many ids of what a run deferred stand in its entry of the log: it is kept for ever,
// and in a large workspace all of them would be a megabyte a run. All stand in its record, while
// there is one: for a day at least (see [tx.KeepRecords]).
const named = 1000

// deferredBy lists what a run deferred.
func deferredBy(root durable.FS, run *oplog.PartialEntry) []string {
	if run == nil {
		return nil
	}
	e := run.Entry()
	if e.Stats.MemoriesDeferred <= len(e.Deferred) || strings.ContainsAny(e.RunID, "/\\") {
		return e.Deferred
	}
	all, err := journal.ReadDeferred(root, journal.Dir(e.RunID)+"/"+journal.DeferredFile)
	if err != nil || all.RunID != e.RunID {
		return e.Deferred // those come first
	}
	return all.IDs
}

// byCommand tells the entry of a single command (archive, edit, …), or of counting
// reads, from a consolidation run.
func byCommand(e *oplog.PartialEntry) bool {
	rules := e.Rules()
	for _, rule := range rules {
		if rule != memory.RuleManual && rule != memory.RuleAccess {
			return false
		}
	}
	return len(rules) > 0
}

// endOfTime is later than any entry of a log.
var endOfTime = time.Unix(1<<40, 0)

// later notes a time unless a later one is noted.
func later[K comparable](times map[K]time.Time, key K, at time.Time) {
	if at.After(times[key]) {
		times[key] = at
	}
}
