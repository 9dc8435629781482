package catalog

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"sort"
	"strings"

	"github.com/memoryd/memoryd/pkg/internal/durable"
	"github.com/memoryd/memoryd/pkg/memory"
)

// Update looks at the named files and directories, slash-separated and relative to the
// workspace, whatever became of them, and returns the catalogue as it is now: what [Disk.Scan]
// would give if nothing else has changed. Named files are read whatever their stamps; a named
// directory is scanned with all that is below it. It costs what is named, and little for what
// there is besides.
func (d Disk) Update(known *Catalog, names []string) (*Catalog, error) {
	d.Progress = nil // little is read
	u := &update{
		scan: newScan(d, known), old: known, named: map[string]bool{}, reread: map[string]bool{},
		fresh: map[string]bool{}, gone: map[string]bool{},
	}
	for _, name := range names {
		switch {
		case name == "" || name == ".":
			return d.Scan(known)
		case !Readable(name):
		case known.File(name) != nil:
			u.reread[name] = true
		case added(d.Root, known, name):
			u.reread[name] = true
		default:
			u.list(name)
		}
	}
	u.forced = func(name string) bool { return u.reread[name] || u.named[name] }
	var unread error
	if err := u.read(func() { unread = u.look() }); err != nil {
		return nil, err
	}
	if unread != nil {
		return nil, fmt.Errorf("read workspace: %w", unread)
	}
	c := u.result()
	if len(u.odd) > 0 { // something else has taken the place of a file, or of its directory
		c.Files = slices.DeleteFunc(c.Files, func(f *File) bool { return slices.Contains(u.odd, f.Name) })
		return d.Update(c, u.odd)
	}
	return c, nil
}

// added reports whether a name is that of a new file in a directory that is known: nothing else of that needs a look.
func added(root durable.FS, known *Catalog, name string) bool {
	base, dir := path.Base(name), known.dir(parent(name))
	if dir == nil || dir.Unread || strings.HasPrefix(base, ".") || !strings.HasSuffix(base, ".json") ||
		slices.ContainsFunc(dir.Problems, func(p memory.Problem) bool { return p.File == name }) {
		return false
	}
	info, err := root.Stat(name)
	return err == nil && info.Kind == durable.Regular
}

// update is one run of Update.
type update struct {
	*scan
	old    *Catalog
	named  map[string]bool // names that are not known to be files: whatever is there is read
	reread map[string]bool // known files
	lists  []string        // directories to be listed again
	fresh  map[string]bool // directories that were listed again
	gone   map[string]bool // directories of which all that was known below them is dropped
}

// list notes that the directory of a name is to be listed again: the nearest one above it
// that is known.
func (u *update) list(name string) {
	u.named[name] = true
	dir := parent(name)
	for dir != "" && u.old.dir(dir) == nil {
		u.named[dir] = true
		dir = parent(dir)
	}
	u.lists = append(u.lists, dir)
}

// look lists directories and gives files to the readers. The error is that of the directory of
// the workspace.
func (u *update) look() error {
	for len(u.lists) > 0 {
		slices.Sort(u.lists)
		dir := u.lists[0]
		u.lists = u.lists[1:]
		if u.fresh[dir] || u.dropped(dir) {
			continue
		}
		if err := u.relist(dir); err != nil {
			return err
		}
	}
	byDir := map[string][]string{}
	for name := range u.reread {
		if dir := parent(name); !u.fresh[dir] && !u.dropped(dir) {
			byDir[dir] = append(byDir[dir], path.Base(name))
		}
	}
	for dir, names := range byDir {
		slices.Sort(names)
		u.add(dir, names)
	}
	return nil
}

// dropped reports whether what was known of a directory is dropped.
func (u *update) dropped(dir string) bool {
	for ; dir != ""; dir = parent(dir) {
		if u.gone[dir] {
			return true
		}
	}
	return false
}

// relist lists a directory again. Of its files those that are named or new are read, of its
// directories those are scanned.
func (u *update) relist(dir string) error {
	own := &Dir{Name: dir}
	names, below, err := u.scan.list(own)
	switch {
	case err == nil:
	case dir == "":
		return err
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, durable.ErrLink): // the directory above tells what is there
		u.gone[dir] = true
		u.list(dir)
		return nil
	default:
		own.unreadable(err)
	}
	u.fresh[dir] = true
	u.dirs = append(u.dirs, own)
	var read []string
	for _, base := range names {
		name := join(dir, base)
		if f := u.old.File(name); f != nil && !u.reread[name] && !u.named[name] {
			u.kept = append(u.kept, f)
		} else {
			read = append(read, base)
		}
	}
	u.add(dir, read)
	there := map[string]bool{}
	for _, base := range below {
		name := join(dir, base)
		there[name] = true
		if u.old.dir(name) == nil || u.named[name] || u.gone[name] {
			u.gone[name] = true
			u.enter(name, strings.Count(name, "/")+1)
		}
	}
	for _, d := range u.old.Dirs {
		if d.Name != "" && parent(d.Name) == dir && !there[d.Name] {
			u.gone[d.Name] = true
		}
	}
	return nil
}

// result puts together what is known and what was read.
func (u *update) result() *Catalog {
	more := u.catalog()
	c := &Catalog{Moving: more.Moving}
	drop := make([]bool, len(u.old.Files))
	for name := range u.reread {
		if i, ok := find(u.old.Files, name); ok {
			drop[i] = true
		}
	}
	below := func(dir string) (from, to int) {
		at := func(name string) int {
			return sort.Search(len(u.old.Files), func(i int) bool { return u.old.Files[i].Name >= name })
		}
		return at(dir + "/"), at(dir + "0") // which comes behind the slash
	}
	for dir := range u.gone {
		for i, to := below(dir); i < to; i++ {
			drop[i] = true
		}
	}
	for dir := range u.fresh {
		from, to := 0, len(u.old.Files)
		if dir != "" {
			from, to = below(dir)
		}
		for i := from; i < to; i++ {
			drop[i] = drop[i] || parent(u.old.Files[i].Name) == dir
		}
	}
	c.Files = make([]*File, 0, len(u.old.Files)+len(more.Files))
	for i, f := range u.old.Files {
		for len(more.Files) > 0 && more.Files[0].Name < f.Name {
			c.Files, more.Files = append(c.Files, more.Files[0]), more.Files[1:]
		}
		if !drop[i] {
			c.Files = append(c.Files, f)
		}
	}
	c.Files = append(c.Files, more.Files...)
	for _, d := range u.old.Dirs {
		if !u.fresh[d.Name] && !u.dropped(d.Name) {
			c.Dirs = append(c.Dirs, d)
		}
	}
	c.Dirs = append(c.Dirs, more.Dirs...)
	slices.SortFunc(c.Dirs, func(a, b *Dir) int { return strings.Compare(a.Name, b.Name) })
	return c
}
