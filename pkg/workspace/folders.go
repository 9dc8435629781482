package workspace

import (
	"encoding/binary"
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

// knownFolder is what is known of a directory.
type knownFolder struct {
	first, last uint32   // its files
	below       []string // the directories in it
	is          identity
}

// folder is what is known of a directory; nil for nothing.
func (im *image) folder(dir string) *knownFolder {
	if im == nil {
		return nil
	}
	return im.dirs[dir]
}

// identityOf is that of what is described, whenever it was changed.
func identityOf(info durable.Info) identity {
	return identity{info.ID, info.Size, info.ModTime.UnixNano(), info.ChangeTime.UnixNano()}
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
		f.first, f.last = u32(row, folderFirst), u32(row, folderLast)
		if f.first > f.last || int(f.last) > files {
			return nil, flatfile.ErrDamaged
		}
		is := row[folderIs:]
		f.is = identity{durable.FileID{Device: u64(is, 0), Number: u64(is, 8)}, i64(is, 16), i64(is, 24), i64(is, 32)}
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

// folderRows are the sections about directories, of whose files span tells the rows
// in an image, and whether these are all. A directory whose name is no path can't be read, and
// has no row: the one above it doesn't count as told.
func folderRows(folders []folder, span func(f *folder) (first, last uint32, all bool)) (rows, paths []byte) {
	rows = make([]byte, 0, len(folders)*folderRow)
	numbers := make([]uint32, len(folders))
	for i := range folders {
		f := &folders[i]
		if i > 0 && !readable(f.dir) {
			continue
		}
		numbers[i] = uint32(len(rows) / folderRow)
		first, last, all := span(f)
		is := f.is
		if !all {
			is = identity{}
		}
		rows = binary.LittleEndian.AppendUint64(rows, uint64(len(paths)))
		for _, n := range [...]uint32{uint32(len(f.dir)), first, last, numbers[f.parent]} {
			rows = binary.LittleEndian.AppendUint32(rows, n)
		}
		for _, n := range [...]uint64{is.id.Device, is.id.Number, uint64(is.size), uint64(is.written), uint64(is.change)} {
			rows = binary.LittleEndian.AppendUint64(rows, n)
		}
		paths = append(paths, f.dir...)
	}
	return rows, paths
}

// foldersNow are the sections for the known image as it is.
func (sc *scanner) foldersNow() (rows, paths []byte) {
	return folderRows(sc.folders, func(f *folder) (first, last uint32, all bool) {
		if was := sc.known.folder(f.dir); was != nil {
			return was.first, was.last, sc.stands(f)
		}
		return 0, 0, false
	})
}

// knownNow is the known image with what is known of the directories by now.
func (sc *scanner) knownNow() *image {
	if !slices.ContainsFunc(sc.folders, func(f folder) bool { return f.newly() }) {
		return sc.known
	}
	im := *sc.known
	im.sections[cacheFolders], im.sections[cachePaths] = sc.foldersNow()
	dirs, err := readFolders(im.sections[cacheFolders], im.sections[cachePaths], len(im.records.files)/fileRow)
	if err != nil {
		panic(err) // we have made them ourselves
	}
	im.dirs = dirs
	return &im
}

// newly reports whether a directory's names were read of which the next look may know that they are
// what they were.
func (f *folder) newly() bool { return f.listed && f.is != (identity{}) }

// nameCost is what reading a name of a directory costs, as [fileCost].
const nameCost = 1 << 6

func (f *folder) cost() int64 { return fileCost + nameCost*int64(f.names) }

// stands reports whether the files of a directory have those names that the known image has.
func (sc *scanner) stands(f *folder) bool {
	was := sc.known.folder(f.dir)
	return !f.listed || was != nil && f.met == f.names && f.names == int(was.last-was.first)
}
