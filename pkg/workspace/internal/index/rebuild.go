package index

import (
	"bytes"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/memoryd/memoryd/pkg/indexfile"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
)

// Rebuilt is an index that differs from the files.
type Rebuilt struct {
	File    string
	Created bool
	Was     []byte // as it was read
	Doc     []byte // as it should be
	Changes []indexfile.Drift
}

// Rebuild computes every index again, and a missing one in each scope directory that holds
// memories and in archive/. It returns those that differ, by name. lines gives what an index
// says of memories, log what is known of archived ones.
func Rebuild(snap *memory.Snapshot, lines func([]*memory.Memory) ([]indexfile.Line, error), log func() *oplog.Log, now time.Time) ([]Rebuilt, error) {
	var all []Rebuilt
	rebuild := func(name string, doc []byte, ms []*memory.Memory) error {
		want := indexfile.Want{}
		var err error
		if want.Lines, err = lines(ms); err != nil {
			return err
		}
		if path.Dir(name) == memory.ArchiveDir {
			want.Extra = archiveFields(log(), name, doc)
		}
		next, err := indexfile.Update(name, doc, want, now)
		if err == nil && !bytes.Equal(doc, next.Doc) {
			all = append(all, Rebuilt{name, doc == nil, doc, next.Doc, next.Drifts})
		}
		return err
	}
	missing := missing(snap)
	for _, x := range snap.Indexes {
		if x.Foreign {
			continue
		}
		owned := slices.DeleteFunc(slices.Clone(x.Owned()), func(m *memory.Memory) bool { return missing.owns(m) })
		if err := rebuild(x.File, x.Text().Doc(), owned); err != nil {
			return nil, fmt.Errorf("%s: %w", x.File, err)
		}
		x.Forget()
	}
	for _, dir := range slices.Sorted(maps.Keys(missing.dirs)) {
		if err := rebuild(dir+"/"+memory.IndexFile, nil, missing.dirs[dir]); err != nil {
			return nil, fmt.Errorf("%s: %w", dir+"/"+memory.IndexFile, err)
		}
	}
	slices.SortFunc(all, func(a, b Rebuilt) int { return strings.Compare(a.File, b.File) })
	return all, nil
}

func archiveFields(log *oplog.Log, name string, doc []byte) map[string][]indexfile.Field {
	if log == nil {
		return nil
	}
	x, err := indexfile.Parse(name, doc)
	if err != nil { // there is none
		x = &indexfile.File{}
	}
	return ArchiveFields(log, x)
}

// missingIndexes are the scope directories that hold memories and have no index, with these.
type missingIndexes struct {
	have map[string]*memory.Index // by directory
	dirs map[string][]*memory.Memory
}

func missing(snap *memory.Snapshot) missingIndexes {
	out := missingIndexes{map[string]*memory.Index{}, map[string][]*memory.Memory{}}
	for _, x := range snap.Indexes {
		out.have[path.Dir(x.File)] = x
	}
	for _, group := range [][]*memory.Memory{snap.Memories(), snap.Archived()} {
		for _, m := range group {
			if dir := memory.ScopeDir(m.File); dir != "" && out.have[dir] == nil && !out.between(m.File, dir) {
				out.dirs[dir] = append(out.dirs[dir], m)
			}
		}
	}
	return out
}

// owns reports whether a memory goes to an index that is missing.
func (x missingIndexes) owns(m *memory.Memory) bool {
	dir := memory.ScopeDir(m.File)
	return x.dirs[dir] != nil && !x.between(m.File, dir)
}

// between reports whether an index between a file and its scope directory owns it already.
func (x missingIndexes) between(file, scope string) bool {
	for dir := path.Dir(file); dir != scope && dir != "."; dir = path.Dir(dir) {
		if have := x.have[dir]; have != nil && !have.Foreign {
			return true
		}
	}
	return false
}
