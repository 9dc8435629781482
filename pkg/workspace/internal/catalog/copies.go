package catalog

import (
	"cmp"
	"slices"
	"strings"

	"github.com/memoryd/memoryd/pkg/memory"
)

// SetAside takes the records out of files, which are sorted by name, that are conflict copies of others: those in a file whose name is that of
// another one with something put to it, and that have the id of a record there. Files that it changes are replaced by others.
func SetAside(files []*File) ([]*File, []memory.ConflictCopy) {
	type place struct{ file, record int }
	first := map[string]place{}
	more := map[string][]place{}
	for i, f := range files {
		for j, m := range f.Memories {
			if _, known := first[m.ID]; known {
				more[m.ID] = append(more[m.ID], place{i, j})
			} else {
				first[m.ID] = place{i, j}
			}
		}
	}
	var copies []memory.ConflictCopy
	aside := map[*File][]*memory.Memory{}
	for id, others := range more {
		all := append([]place{first[id]}, others...)
		for _, p := range all {
			for _, of := range all {
				f, original := files[p.file], files[of.file]
				if f != original && memory.IsCopyName(f.Name, original.Name) {
					copies = append(copies, memory.ConflictCopy{Memory: f.Memories[p.record], Of: original.Memories[of.record]})
					aside[f] = append(aside[f], f.Memories[p.record])
					break
				}
			}
		}
	}
	if len(copies) == 0 {
		return files, nil
	}
	files = slices.Clone(files)
	for i, f := range files {
		if gone := aside[f]; gone != nil {
			left := *f
			left.Memories = slices.DeleteFunc(slices.Clone(f.Memories), func(m *memory.Memory) bool { return slices.Contains(gone, m) })
			files[i] = &left
		}
	}
	slices.SortFunc(copies, func(a, b memory.ConflictCopy) int {
		return cmp.Or(strings.Compare(a.Memory.File, b.Memory.File), cmp.Compare(a.Memory.Index, b.Memory.Index))
	})
	return files, copies
}
