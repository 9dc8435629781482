package workspace

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/memoryd/memoryd/pkg/internal/durable"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/note"
	"github.com/memoryd/memoryd/pkg/workspace/disk"
)

// noteDisk is the disk of an adopted folder. Names that end in .md are files of the folder; all other files are ours and lie in its
// hidden directory, whose name is own. A directory may be in both places.
type noteDisk struct {
	durable.FS // of the folder
	own        string
}

func (d *noteDisk) file(name string) string {
	if strings.HasSuffix(name, ".md") {
		return name
	}
	return d.inside(name)
}

func (d *noteDisk) inside(name string) string { return path.Join(d.own, name) }

// ours reports whether a directory is one that memoryd makes: it is only looked for among our files.
func ours(dir string) bool {
	top, _, _ := strings.Cut(dir, "/")
	return slices.Contains([]string{memory.OpsDir, memory.ArchiveDir, memory.SchemasDir, note.OriginalsDir}, top)
}

// dir is where a directory is made and described.
func (d *noteDisk) dir(name string) string {
	if ours(name) {
		return d.inside(name)
	}
	return name
}

// both are the places where a directory may be.
func (d *noteDisk) both(name string) []string {
	if name == d.own || strings.HasPrefix(name, d.own+"/") { // not a directory of notes
		return []string{d.inside(name)}
	}
	return []string{name, d.inside(name)}
}

// Read implements [disk.Disk].
func (d *noteDisk) Read(name string, most int64) ([]byte, durable.Info, error) {
	return d.FS.Read(d.file(name), most)
}

// ReadFiles implements [disk.Disk].
func (d *noteDisk) ReadFiles(dir string, names []string, most int64, known func(int, durable.Info) bool, f func(int, []byte, durable.Info, error)) error {
	var errs []error
	for _, md := range []bool{true, false} {
		var some []string
		var of []int
		for i, name := range names {
			if strings.HasSuffix(name, ".md") == md {
				some, of = append(some, name), append(of, i)
			}
		}
		if len(some) == 0 {
			continue
		}
		at := dir
		if !md {
			at = d.inside(dir)
		}
		var was func(int, durable.Info) bool
		if known != nil {
			was = func(i int, info durable.Info) bool { return known(of[i], info) }
		}
		err := d.FS.ReadFiles(at, some, most, was, func(i int, data []byte, info durable.Info, err error) { f(of[i], data, info, err) })
		if err != nil && len(some) < len(names) { // f has to be called for these, since it is for the others
			for _, i := range of {
				f(i, nil, durable.Info{}, err)
			}
			err = nil
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// Stat implements [disk.Disk].
func (d *noteDisk) Stat(name string) (durable.Info, error) {
	if strings.HasSuffix(name, ".md") {
		return d.FS.Stat(name)
	}
	info, err := d.FS.Stat(d.inside(name))
	if errors.Is(err, fs.ErrNotExist) && !ours(name) {
		if other, oerr := d.FS.Stat(name); oerr == nil && other.Kind != durable.Regular { // a file of another kind isn't ours
			return other, nil
		}
	}
	return info, err
}

// ReadDir implements [disk.Disk].
func (d *noteDisk) ReadDir(name string) ([]durable.Entry, error) {
	var all []durable.Entry
	found := false
	for i, at := range d.both(name) {
		entries, err := d.FS.ReadDir(at)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		found = true
		host := i == 0 && at == name
		for _, e := range entries {
			if md := strings.HasSuffix(e.Name, ".md"); e.Kind == durable.Dir || host && md || !host && !md {
				if e.Kind != durable.Dir || !slices.ContainsFunc(all, func(o durable.Entry) bool { return o.Name == e.Name }) {
					all = append(all, e)
				}
			}
		}
	}
	if !found {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	slices.SortFunc(all, func(a, b durable.Entry) int { return strings.Compare(a.Name, b.Name) })
	return all, nil
}

// Mkdir implements [disk.Disk].
func (d *noteDisk) Mkdir(name string) error { return d.FS.Mkdir(d.dir(name)) }

// Create implements [disk.Disk].
func (d *noteDisk) Create(name string, data []byte, mode fs.FileMode) (durable.File, error) {
	return d.FS.Create(d.file(name), data, mode)
}

// Append implements [disk.Disk].
func (d *noteDisk) Append(name string, data []byte) error { return d.FS.Append(d.file(name), data) }

// SyncDir implements [disk.Disk].
func (d *noteDisk) SyncDir(name string) error {
	found := false
	for _, at := range d.both(name) {
		err := d.FS.SyncDir(at)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		found = found || err == nil
	}
	if !found {
		return &fs.PathError{Op: "sync", Path: name, Err: fs.ErrNotExist}
	}
	return nil
}

// Exchange implements [disk.Disk].
func (d *noteDisk) Exchange(a, b string) error { return d.FS.Exchange(d.file(a), d.file(b)) }

// Move implements [disk.Disk]. It moves directories of ours, too.
func (d *noteDisk) Move(from, to string) error { return d.FS.Move(d.file(from), d.file(to)) }

// Rename implements [disk.Disk].
func (d *noteDisk) Rename(from, to string) error { return d.FS.Rename(d.file(from), d.file(to)) }

// Remove implements [disk.Disk].
func (d *noteDisk) Remove(name string) error {
	err := d.FS.Remove(d.file(name))
	if errors.Is(err, fs.ErrNotExist) && !ours(name) {
		if info, serr := d.FS.Stat(name); serr == nil && info.Kind == durable.Dir { // an empty one
			return d.FS.Remove(name)
		}
	}
	return err
}

// TryLock implements [disk.Disk].
func (d *noteDisk) TryLock(name, holder string) (func() error, error) {
	return d.FS.TryLock(d.file(name), holder)
}

// Link implements [disk.Linker].
func (d *noteDisk) Link(from, to string) error {
	return durable.HardLink(d.FS, d.file(from), d.file(to))
}

// SyncFile implements [disk.Syncer].
func (d *noteDisk) SyncFile(name string) error { return durable.SyncFile(d.FS, d.file(name)) }

// SetModified implements [disk.Timer].
func (d *noteDisk) SetModified(name string, at time.Time) error {
	return durable.SetModified(d.FS, d.file(name), at)
}

// Writable implements [disk.Checker].
func (d *noteDisk) Writable(dir string) error {
	found := false
	for _, at := range d.both(dir) {
		err := durable.Writable(d.FS, at)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		found = found || err == nil
	}
	if !found {
		return &fs.PathError{Op: "access", Path: dir, Err: fs.ErrNotExist}
	}
	return nil
}

var _ disk.Disk = (*noteDisk)(nil)
