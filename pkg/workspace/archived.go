package workspace

import (
	"time"

	"github.com/memoryd/memoryd/pkg/indexfile"
	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/timestamp"
)

// noteArchived remembers what the archive's index shall say about a moved record.
func (c *commit) noteArchived(a *Action, op Op) {
	if c.extra == nil {
		c.extra, c.places = map[string][]indexfile.Field{}, map[*Action]map[string]string{}
	}
	from := op.Ref.String()
	c.extra[op.ID] = archivedExtra(from, c.tx.Plan.At, archiveReason(&a.Action), c.runID)
	if c.places[a] == nil {
		c.places[a] = map[string]string{}
	}
	c.places[a][op.ID] = from
}

// asLogged is the action as the log tells it: with the places that archived
// memories came from, so that the archive's index can be rebuilt.
func (c *commit) asLogged(a *Action) oplog.Action {
	out := a.Action
	if out.Type != oplog.Summarize {
		out.Digests = nil // a plan needs them; in the log only a kept original does
	}
	if out.Type == oplog.Archive {
		out.From = c.places[a][a.MemoryID]
	} else {
		out.Places = c.places[a]
	}
	return out
}

// archivedBy lists the memories that a logged action archived, and from where.
func archivedBy(a *oplog.Action) map[string]string {
	if a.Type == oplog.Archive && a.From != "" {
		return map[string]string{a.MemoryID: a.From}
	}
	return a.Places
}

// archiveReason is the reason the archive's index gives.
func archiveReason(a *oplog.Action) string {
	switch a.Type {
	case oplog.Merge:
		return "merged into " + a.ResultID
	case oplog.Promote:
		return "kept as " + a.ResultID
	}
	return a.Reason
}

// archivedExtra is what the archive's index says about a memory besides what the
// memory itself tells.
func archivedExtra(from string, at time.Time, reason, run string) []indexfile.Field {
	text := func(s string) string { return string(jsonedit.Quote(s)) }
	return []indexfile.Field{
		{Key: "archived_from", Raw: text(from)}, {Key: "archived_at", Raw: text(timestamp.Format(at))},
		{Key: "archive_reason", Raw: text(reason)}, {Key: "run_id", Raw: text(run)},
	}
}
