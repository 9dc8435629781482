package archive

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"

	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/merge"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/workspace"
)

// MergeCopy builds the action that merges a conflict copy into the memory it is a copy of, by package merge, given the versions of the
// memory that records of runs have, oldest first. What both sides changed is noted in the memory as a conflict. The copy goes to the
// archive under an id of its own. ok is false where no version is known that both sides can have begun from: then a person decides.
//
// The base is the oldest known version. If the sides parted later, what they had in common looks as if both had done it, which a merge
// takes once; a later version might make a change of one side look like its removal by the other. Reads, of which a merge adds what both
// have counted, are those that the side with fewer has at least.
func MergeCopy(s *memory.Snapshot, c memory.ConflictCopy, past []workspace.Version) (a memory.Action, ok bool, err error) {
	file, copied := c.Of, c.Memory
	if file.Archived || copied.Archived || !file.Whole() || !copied.Whole() || file.Locked != "" || copied.Locked != "" {
		return a, false, nil
	}
	base := baseOf(file, copied, past)
	if base == nil {
		return a, false, nil
	}
	if base, err = memory.SetField(base, strconv.AppendInt(nil, min(file.AccessCount-file.Unfolded, copied.AccessCount-copied.Unfolded), 10), "access_count"); err != nil {
		return a, false, err
	}
	result, err := merge.Documents(file.File, base, file.Raw(), copied.Raw())
	if err != nil {
		return a, false, nil //nolint:nilerr // what can't be merged is a person's to decide
	}
	id := memory.NewID(s, "conflict copy", file.ID, copied.Ref.String(), string(copied.Digest()))
	stays, err := jsonedit.Apply(result.Doc, jsonedit.Set(jsonedit.Strings(append(slices.Clone(file.Supersedes), id)), "supersedes"))
	if err != nil {
		return a, false, err
	}
	goes, err := copied.Edit(jsonedit.Set(jsonedit.Quote(id), "id"), jsonedit.Set(jsonedit.Quote(file.ID), "superseded_by"))
	if err != nil {
		return a, false, err
	}
	to := memory.Ref{File: s.NewFiles().Name(memory.ArchiveDir, id)}
	detail := fmt.Sprintf("%s is merged into %s, by what both began from", copied.File, file.ID)
	if result.Conflicts > 0 {
		detail += fmt.Sprintf("; conflicts that wait for a decision: %d", result.Conflicts)
	}
	return memory.Action{
		Action: oplog.Action{
			Type: oplog.Archive, Rule: memory.RuleManual, MemoryID: id, ResultID: file.ID, From: copied.Ref.String(), To: to.File,
			Reason: memory.ReasonCopy, Detail: detail,
		},
		Ops: []memory.Op{
			{Kind: memory.Put, ID: file.ID, Ref: file.Ref, Base: file.Digest(), Raw: stays},
			{Kind: memory.Move, ID: copied.ID, Ref: copied.Ref, Base: copied.Digest(), Raw: goes, To: to},
		},
	}, true, nil
}

// baseOf is what a memory and its copy began from; nil where that isn't known.
func baseOf(file, copied *memory.Memory, past []workspace.Version) (base []byte) {
	for _, v := range past {
		for _, known := range [][]byte{v.Before, v.After} {
			switch {
			case known == nil:
			case bytes.Equal(known, copied.Raw()): // the copy is an old version
				return known
			case base == nil:
				base = known
			}
		}
	}
	if base == nil || bytes.Equal(base, file.Raw()) {
		return nil
	}
	from := memory.ParseRecord(base, file.Ref)
	if !from.CreatedAt.Equal(copied.CreatedAt) || !from.Newest().Before(copied.Newest()) {
		return nil
	}
	return base
}
