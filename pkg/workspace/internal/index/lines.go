package index

import (
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/memoryd/memoryd/pkg/indexfile"
	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/timestamp"
	"github.com/memoryd/memoryd/pkg/workspace/internal/journal"
)

// ErrReading: the disk failed to give a file, or a record has changed meanwhile.
var ErrReading = errors.New("reading")

// ChangesOf are the changes of a run that concern its index numbered k; with created, only
// those that create a file.
func ChangesOf(j *journal.Run, k int, created bool) (out []*journal.Change) {
	listed := make(map[string]bool, len(j.Indexes[k].Files))
	for _, name := range j.Indexes[k].Files {
		listed[name] = true
	}
	for i := range j.Files {
		if c := &j.Files[i]; listed[c.Path] && (!created || c.Kind() == journal.Create) {
			out = append(out, c)
		}
	}
	return out
}

// WantOf is what an index should list of changed files: a line for each memory that is in
// them now, for the ids of those that were in them before or will be afterwards. A file that
// somebody has just broken has no memories: memory check reports it.
func WantOf(changes []*journal.Change, now func(*journal.Change) ([]byte, error), parse func(name string, data []byte) ([]*memory.Memory, error)) (indexfile.Want, error) {
	want := indexfile.Want{Only: map[string]bool{}}
	for _, c := range changes {
		for _, side := range [][]byte{c.Before, c.After} {
			if side == nil {
				continue
			}
			records, err := parse(c.Path, side)
			if err != nil {
				return want, err
			}
			for _, m := range records {
				want.Only[m.ID] = true
			}
		}
		content, err := now(c)
		if err != nil {
			return want, err
		}
		if content == nil {
			continue
		}
		records, err := parse(c.Path, content)
		if errors.Is(err, ErrReading) {
			return want, err
		}
		if err == nil {
			for _, m := range records {
				want.Lines = append(want.Lines, memory.Line(m))
			}
		}
	}
	want.Lines = WithoutCopies(want.Lines)
	return want, nil
}

// WithoutCopies leaves out the lines of conflict copies of what has a line of its own.
func WithoutCopies(lines []indexfile.Line) []indexfile.Line {
	files := map[string][]string{} // by id
	for _, l := range lines {
		files[l.ID] = append(files[l.ID], l.File)
	}
	return slices.DeleteFunc(lines, func(l indexfile.Line) bool {
		return slices.ContainsFunc(files[l.ID], func(of string) bool { return memory.IsCopyName(l.File, of) })
	})
}

// Extra are the members that entries of archived memories get besides, as a journal has them.
func Extra(j *journal.Run) map[string][]indexfile.Field {
	out := make(map[string][]indexfile.Field, len(j.Extra))
	for id, fields := range j.Extra {
		for _, f := range fields {
			out[id] = append(out[id], indexfile.Field{Key: f.Key, Raw: string(f.Raw)})
		}
	}
	return out
}

// Turns say when a run writes its indexes, as long as no action dies.
type Turns struct {
	// Of each index of the journal: true for the turn after files were created, false for
	// the one before files are removed, or both.
	Of [][]bool
	// Order is that in which indexes are written within a turn.
	Order []int
}

// changes is what a run does with the files and memories of one index.
type changes struct {
	creates bool // files
	edits   bool // files, or removes them
	gains   bool // memories
	early   bool // a memory in a created file leaves its old place before the second turn
}

// TurnsOf plans the writes. An index for which files are only created has the first turn, any
// other the second, and those that gain memories come first: so each is written once, and a
// memory is listed in its new place before its old line goes. An index for which files are
// created and edited has both turns if a memory that comes to it would have left its old
// place by the second: a collection, or another index that gains memories.
func TurnsOf(j *journal.Run) Turns {
	kinds, owner, all := make(map[string]string, len(j.Files)), map[string]int{}, make([]changes, len(j.Indexes))
	for i := range j.Files {
		kinds[j.Files[i].Path] = j.Files[i].Kind()
	}
	for k := range all {
		for _, name := range j.Indexes[k].Files {
			owner[name] = k
			if kinds[name] == journal.Create {
				all[k].creates, all[k].gains = true, true
			} else {
				all[k].edits = true
			}
		}
	}
	var moves []journal.Op
	for _, a := range j.Actions {
		for _, op := range a.Ops {
			if to, ok := owner[fileOf(op.To)]; ok && op.Kind == journal.Move {
				moves, all[to].gains = append(moves, op), true
			}
		}
	}
	for _, op := range moves {
		to := owner[fileOf(op.To)]
		from, listed := owner[op.Ref]
		if kinds[op.To] == journal.Create && (kinds[op.Ref] != journal.Remove || listed && from != to && all[from].gains) {
			all[to].early = true
		}
	}
	t := Turns{Of: make([][]bool, len(all))}
	for k, x := range all {
		if x.creates && (x.early || !x.edits) {
			t.Of[k] = append(t.Of[k], true)
		}
		if x.edits {
			t.Of[k] = append(t.Of[k], false)
		}
	}
	for _, gaining := range []bool{true, false} {
		for k := range all {
			if all[k].gains == gaining {
				t.Order = append(t.Order, k)
			}
		}
	}
	return t
}

// fileOf is the file of a memory.Ref that was written as a text.
func fileOf(ref string) string {
	if at := strings.LastIndexByte(ref, '#'); at >= 0 && strings.HasPrefix(ref[at:], "#/") {
		return ref[:at]
	}
	return ref
}

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
