package workspace

import (
	"path"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"github.com/memoryd/memoryd/pkg/indexfile"
	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/timestamp"
)

// Origin is what the archive knows about where a memory came from.
type Origin struct {
	Ref        Ref
	ArchivedAt time.Time
	Reason     string
	RunID      string
}

// Origin reads where an archived memory came from, off the archive's index. Those of other
// directories are not even read: together they tell of every memory.
func (s *Snapshot) Origin(m *Memory) (Origin, bool) {
	if !m.Archived {
		return Origin{}, false
	}
	for _, x := range s.Indexes {
		if dir := path.Dir(x.File); dir != "." && !strings.HasPrefix(m.File, dir+"/") {
			continue
		}
		if e, ok := x.text().Find(m.ID, m.File); ok {
			v := gjson.Parse(e.Raw)
			ref, ok := parseRef(v.Get("archived_from").Str)
			return Origin{ref, timestamp.Parse(v.Get("archived_at").Str), v.Get("archive_reason").Str, v.Get("run_id").Str}, ok
		}
	}
	return Origin{}, false
}

// FreeFile names a file in dir for a memory: its id, with a number behind it
// while that is taken, on disk or in promised, to which the name is added. Case
// is ignored, since some file systems do.
func (s *Snapshot) FreeFile(dir, id string, promised map[string]bool) string {
	name := freeFile(dir, id, func(name string) bool { return promised[fold(name)] || s.Taken(name) })
	promised[fold(name)] = true
	return name
}

// ArchiveOp is the change that moves a memory into the archive; raw is its record
// afterwards, nil for unchanged bytes. promised holds file names that other
// changes of the same plan will use.
func (s *Snapshot) ArchiveOp(m *Memory, raw []byte, promised map[string]bool) Op {
	return Op{
		Kind: Move, ID: m.ID, Ref: m.Ref, Base: m.Digest(), Raw: raw,
		To: Ref{File: s.FreeFile(ArchiveDir, m.ID, promised)},
	}
}

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
