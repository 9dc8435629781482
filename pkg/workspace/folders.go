package workspace

import (
	"encoding/binary"
	"path"

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
