package archive

import (
	"fmt"

	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/workspace"
)

// ReasonDeleted is why a memory is restored that somebody deleted without memoryd, or whose writing was undone.
const ReasonDeleted = "deleted"

// RestoreDeleted builds the action that writes a memory again that is in no file any more, as the last run that is
// remembered had it. past are its versions, oldest first, from the records of runs. ok is false where none of them has
// its text. What was edited by hand since is not in it.
func RestoreDeleted(s *memory.Snapshot, files *memory.NewFiles, id string, past []workspace.Version) (a memory.Action, ok bool) {
	var raw []byte
	var at memory.Ref
	run := ""
	for i := len(past) - 1; i >= 0; i-- {
		v := past[i]
		for _, side := range []struct {
			raw []byte
			at  memory.Ref
		}{{v.After, v.To}, {v.Before, v.From}} {
			if side.raw == nil {
				continue
			}
			if raw == nil {
				raw, run = side.raw, v.RunID
			}
			if at.File == "" && !memory.InArchive(side.at.File) {
				at = side.at
			}
		}
	}
	if raw == nil {
		return a, false
	}
	detail := "as " + run + " had it"
	to := at
	switch {
	case at.File == "":
		detail += "; where it came from isn't known"
	case !at.Whole():
		detail += fmt.Sprintf("; it stood in the collection %s, which stays as it is", at.File)
	case files.Taken(at.File):
		detail += "; " + at.File + " is taken"
	}
	if at.File == "" || !at.Whole() || files.Taken(at.File) {
		to = memory.Ref{File: files.Name(s.Dir(memory.ParseRecord(raw, at).Scope), id)}
	}
	return memory.Action{
		Action: oplog.Action{Type: oplog.Restore, Rule: memory.RuleManual, MemoryID: id, To: to.String(), Reason: ReasonDeleted, Detail: detail},
		Ops:    []memory.Op{{Kind: memory.Create, ID: id, To: to, Raw: raw}},
	}, true
}
