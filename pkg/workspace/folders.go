package workspace

import (
	"encoding/binary"
	"errors"
	"io/fs"
	"path"
	"slices"

	"github.com/memoryd/memoryd/pkg/internal/durable"
	"github.com/memoryd/memoryd/pkg/internal/flatfile"
)

// A row of a directory in the cache, in little-endian order: where its path stands in the section of
// paths, and its length; its first file and behind its last, as rows; the row of the directory that it lies in, which
// comes before it, of the first its own; then what it was before its names were read: device, number, size,
// time of the last write, of the last change. All zeros: that doesn't tell the names.
const (
	folderRow = 64

	folderPath   = 0
	folderLength = 8
	folderFirst  = 12
	folderLast   = 16
	folderParent = 20
	folderIs     = 24
)

// knownFolder is what is known of a directory: the names in it as long as it is what it was.
type knownFolder struct {
	is          identity
	first, last uint32   // the rows of its files
	files       []string // their names, where not all of them have rows; else nil
	below       []string // of the directories in it
}

// identityOf is that of what is described, whenever it was changed.
func identityOf(info durable.Info) identity {
	return identity{info.ID, info.Size, info.ModTime.UnixNano(), info.ChangeTime.UnixNano()}
}

// folder is what is known of a directory that is what it was; nil for nothing.
func (im *image) folder(dir string, now identity) *knownFolder {
	if im == nil {
		return nil
	}
	for _, known := range [...]map[string]*knownFolder{im.since, im.dirs} {
		if f := known[dir]; f != nil && f.is != (identity{}) && f.is == now {
			return f
		}
	}
	return nil
}

// span are the rows of a directory's files.
func (im *image) span(dir string) (first, last int) {
	if f := im.dirs[dir]; f != nil {
		return int(f.first), int(f.last)
	}
	return 0, 0
}

// readFolders reads the sections about directories, of an image of so many files.
func readFolders(rows, paths []byte, files int) (map[string]*knownFolder, error) {
	if len(rows)%folderRow != 0 {
		return nil, flatfile.ErrDamaged
	}
	known, all := make([]knownFolder, len(rows)/folderRow), make([]string, len(rows)/folderRow)
	dirs := make(map[string]*knownFolder, len(known))
	for i := range known {
		row, f := rows[i*folderRow:], &known[i]
		at, length := u64(row, folderPath), u32(row, folderLength)
		if at > uint64(len(paths)) || uint64(length) > uint64(len(paths))-at {
			return nil, flatfile.ErrDamaged
		}
		all[i] = string(paths[at:][:length])
		f.first, f.last, f.is = u32(row, folderFirst), u32(row, folderLast), readIdentity(row[folderIs:])
		if f.first > f.last || int(f.last) > files {
			return nil, flatfile.ErrDamaged
		}
		dirs[all[i]] = f
		parent := int(u32(row, folderParent))
		switch {
		case i == 0 && parent == 0 && (all[i] == "" || readable(all[i])):
			continue
		case parent >= i || !readable(all[i]) || all[i] != inDir(all[parent], path.Base(all[i])):
			return nil, flatfile.ErrDamaged
		}
		known[parent].below = append(known[parent].below, path.Base(all[i]))
	}
	if len(dirs) != len(known) {
		return nil, flatfile.ErrDamaged
	}
	return dirs, nil
}

// folderRows are the sections about directories, of whose files rows tells where they stand. A directory
// whose name is no path can't be read, and has no row: the one above it doesn't count as told.
func folderRows(folders []folder, rowsOf func(dir string) (first, last uint32)) (rows, paths []byte) {
	rows = make([]byte, 0, len(folders)*folderRow)
	numbers := make([]uint32, len(folders))
	for i := range folders {
		f := &folders[i]
		if i > 0 && !readable(f.dir) {
			continue
		}
		numbers[i] = uint32(len(rows) / folderRow)
		first, last := rowsOf(f.dir)
		rows = binary.LittleEndian.AppendUint64(rows, uint64(len(paths)))
		for _, n := range [...]uint32{uint32(len(f.dir)), first, last, numbers[f.parent]} {
			rows = binary.LittleEndian.AppendUint32(rows, n)
		}
		rows = appendIdentity(rows, f.is)
		paths = append(paths, f.dir...)
	}
	return rows, paths
}

func appendIdentity(to []byte, is identity) []byte {
	for _, n := range [...]uint64{is.id.Device, is.id.Number, uint64(is.size), uint64(is.written), uint64(is.change)} {
		to = binary.LittleEndian.AppendUint64(to, n)
	}
	return to
}

func readIdentity(row []byte) identity {
	return identity{durable.FileID{Device: u64(row, 0), Number: u64(row, 8)}, i64(row, 16), i64(row, 24), i64(row, 32)}
}

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
