package index

import (
	"errors"
	"slices"

	"github.com/memoryd/memoryd/pkg/indexfile"
	"github.com/memoryd/memoryd/pkg/memory"
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
func WantOf(changes []*journal.Change, now func(*journal.Change) ([]byte, error)) (indexfile.Want, error) {
	want := indexfile.Want{Only: map[string]bool{}}
	for _, c := range changes {
		for _, side := range [][]byte{c.Before, c.After} {
			if side == nil {
				continue
			}
			records, err := memory.ParseRecords(c.Path, side)
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
		if records, err := memory.ParseRecords(c.Path, content); err == nil {
			for _, m := range records {
				want.Lines = append(want.Lines, memory.Line(m))
			}
		}
	}
	want.Lines = withoutCopies(want.Lines)
	return want, nil
}

// withoutCopies leaves out the lines of conflict copies of what has a line of its own.
func withoutCopies(lines []indexfile.Line) []indexfile.Line {
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
