package workspace

import (
	"encoding/binary"
	"errors"
	"io/fs"
	"slices"

	"github.com/memoryd/memoryd/pkg/internal/flatfile"
)

// NamesFile keeps, beside [CacheFile], the names in directories that have changed since that was written: by
// a run that replaced a few files, say. It is derived likewise.
const NamesFile = OpsDir + "/cache/names"

// namesVersion goes up whenever names are kept or found otherwise.
const namesVersion = 1

// newly are the directories whose names were read, which the cache doesn't know and the next look
// may know as they are, and those of which that is known from before.
func (sc *scanner) newly() (all map[string]*knownFolder, more bool) {
	all = map[string]*knownFolder{}
	for i := range sc.folders {
		switch f := &sc.folders[i]; {
		case f.is == (identity{}):
		case f.listed:
			all[f.dir], more = &knownFolder{is: f.is, files: f.files, below: f.below}, true
		case sc.known.since[f.dir] != nil && sc.known.since[f.dir].is == f.is:
			all[f.dir] = sc.known.since[f.dir]
		}
	}
	return all, more
}

// keepNames writes the names of directories that have changed since the cache was written.
func (s *FileStore) keepNames(sc *scanner, key flatfile.Key) error {
	if sc.known == nil {
		return nil
	}
	all, more := sc.newly()
	if !more {
		return nil
	}
	var out []byte
	said := func(text string) {
		out = append(binary.LittleEndian.AppendUint32(out, uint32(len(text))), text...)
	}
	for _, f := range sc.folders { // in their order
		known := all[f.dir]
		if known == nil {
			continue
		}
		said(f.dir)
		out = appendIdentity(out, known.is)
		for _, names := range [...][]string{known.files, known.below} {
			out = binary.LittleEndian.AppendUint32(out, uint32(len(names)))
			for _, name := range names {
				said(name)
			}
		}
	}
	return flatfile.Write(s.root, NamesFile, namesVersion, key, out)
}

// dropNames removes the file of names, which the cache tells by now.
func (s *FileStore) dropNames() error {
	if err := s.root.Remove(NamesFile); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// readNames reads the names of directories that have changed since the cache was written; nil for none.
func (s *FileStore) readNames(key flatfile.Key) map[string]*knownFolder {
	sections, err := flatfile.Load(s.root, NamesFile, namesVersion, key)
	if err != nil || len(sections) != 1 {
		return nil
	}
	known := map[string]*knownFolder{}
	for r := (nameReader{rest: sections[0]}); len(r.rest) > 0; {
		dir, f := r.text(), &knownFolder{}
		f.is = r.identity()
		f.files, f.below = r.list(), r.list()
		if r.broken || !slices.IsSorted(f.files) || slices.ContainsFunc(f.below, func(name string) bool { return !readable(inDir(dir, name)) }) {
			return nil
		}
		known[dir] = f
	}
	return known
}

// nameReader reads what keepNames has written. Broken, it reads nothing.
type nameReader struct {
	rest   []byte
	broken bool
}

func (r *nameReader) bytes(n int) []byte {
	if n > len(r.rest) {
		r.broken, r.rest = true, nil
		return make([]byte, min(n, folderRow))
	}
	b := r.rest[:n]
	r.rest = r.rest[n:]
	return b
}

func (r *nameReader) text() string { return viewString(r.bytes(int(u32(r.bytes(4), 0)))) }

func (r *nameReader) identity() identity { return readIdentity(r.bytes(folderRow - folderIs)) }

// list is never nil.
func (r *nameReader) list() []string {
	n := int(u32(r.bytes(4), 0))
	list := make([]string, 0, min(n, len(r.rest)/4))
	for ; n > 0 && !r.broken; n-- {
		list = append(list, r.text())
	}
	return list
}
