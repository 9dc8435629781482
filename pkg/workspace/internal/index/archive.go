package index

import (
	"time"

	"github.com/memoryd/memoryd/pkg/indexfile"
	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/timestamp"
)

// ArchivedFields are what the archive's index says of a memory besides what its record
// tells: where it was, when, why and by which run it was archived.
func ArchivedFields(from string, at time.Time, a *oplog.Action, run string) []indexfile.Field {
	text := func(s string) string { return string(jsonedit.Quote(s)) }
	return []indexfile.Field{
		{Key: "archived_from", Raw: text(from)}, {Key: "archived_at", Raw: text(timestamp.Format(at))},
		{Key: "archive_reason", Raw: text(archiveReason(a))}, {Key: "run_id", Raw: text(run)},
	}
}

func archiveReason(a *oplog.Action) string {
	switch a.Type {
	case oplog.Merge:
		return "merged into " + a.ResultID
	case oplog.Promote:
		return "kept as " + a.ResultID
	}
	return a.Reason
}

// ArchivedBy lists the memories that a logged action archived, and from where.
func ArchivedBy(a *oplog.Action) map[string]string {
	if a.Type == oplog.Archive && a.From != "" {
		return map[string]string{a.MemoryID: a.From}
	}
	return a.Places
}

// ArchiveFields recovers from the log what the archive's index should say of the memories
// that it has no entry of.
func ArchiveFields(log *oplog.Log, x *indexfile.File) map[string][]indexfile.Field {
	listed := map[string]bool{}
	for _, e := range x.Entries() {
		listed[e.ID] = true
	}
	fields := map[string][]indexfile.Field{}
	for _, e := range log.Entries {
		for i := range e.Actions {
			for id, from := range ArchivedBy(&e.Actions[i]) {
				if !listed[id] {
					fields[id] = ArchivedFields(from, e.Timestamp, &e.Actions[i], e.RunID)
				}
			}
		}
	}
	return fields
}
