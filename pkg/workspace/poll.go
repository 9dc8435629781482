package workspace

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/memoryd/memoryd/pkg/internal/durable"
	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/workspace/internal/catalog"
)

// Poll finds the files of a workspace that change, for systems that don't report changes: it lists
// them again and again, compares each listing with the one before, and reads no file. The zero value is
// of no use; see [NewPoll]. It serves one goroutine at a time.
//
// A change may be reported once more, until it is old enough that a later change
// can't leave the same times.
type Poll struct {
	store *FileStore
	conf  polledFile           // the settings
	dirs  map[string]polledDir // by name, "." for the workspace; nil: nothing was listed yet
	now   time.Time
}

// polledDir is a directory as it was listed.
type polledDir struct {
	itself  polledFile
	entries []polledFile // what is in it and may be read, by name
}

// polledFile is what a listing says of a file or directory.
type polledFile struct {
	name  string
	stamp catalog.Stamp // of a directory: none
	state string        // its kind, or why it can't be described
	young bool          // a later change might leave the same
}

// same reports whether nothing has changed, for sure.
func (l polledFile) same(is polledFile) bool { return !l.young && l == is }

// NewPoll returns one that knows nothing yet: its first scan finds nothing.
func NewPoll(s *FileStore) *Poll { return &Poll{store: s} }

// Scan returns the names of the files and directories that came, went or changed since the last
// scan: an edit is missed only if it keeps size and times, on a system that tells no time of
// change. It costs about two microseconds for each file.
func (p *Poll) Scan() []string {
	before, first := p.dirs, p.dirs == nil
	p.dirs, p.now = make(map[string]polledDir, len(before)), time.Now()
	p.list(".", p.describe(p.store.root.Stat(".")), 0)
	conf := p.describe(p.store.root.Stat(memory.ConfigFile))
	var found []string
	if !p.conf.same(conf) {
		found = append(found, memory.ConfigFile)
	}
	if p.conf = conf; first {
		return nil
	}
	for name, is := range p.dirs {
		was, known := before[name]
		if !known {
			continue // whoever reads it, since its parent has it now, reads all that is in it
		}
		tell := func(base string) { found = append(found, path.Join(name, base)) }
		differ(was.entries, is.entries, tell)
		if _, there := find(is.entries, memory.IndexFile); !there && !was.itself.same(is.itself) {
			tell(memory.IndexFile) // one may have come and gone since
		}
	}
	slices.Sort(found)
	return found
}

// describe is what stat says of a file.
func (p *Poll) describe(info durable.Info, err error) polledFile {
	if err != nil {
		return polledFile{state: durable.Cause(err)}
	}
	age := min(p.now.Sub(info.ModTime).Abs(), p.now.Sub(info.ChangeTime).Abs())
	return polledFile{stamp: catalog.StampOf(info), state: string(info.Kind), young: age < p.store.Racy}
}

// list lists a directory and all that are below it.
func (p *Poll) list(name string, itself polledFile, depth int) {
	if depth > catalog.MaxDepth {
		return
	}
	entries, err := p.store.root.ReadDir(name)
	all, files := make([]polledFile, 0, len(entries)), make([]string, 0, len(entries))
	var dirs []string
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		all = append(all, polledFile{state: durable.Cause(err)})
	}
	for _, e := range entries {
		switch {
		case name == "." && !catalog.Readable(e.Name) || strings.HasPrefix(e.Name, "."):
		case e.Kind == durable.Dir:
			dirs = append(dirs, e.Name)
			all = append(all, polledFile{name: e.Name, state: string(e.Kind)})
		case e.Kind == durable.Regular && MayHold(p.store, path.Join(name, e.Name)):
			files = append(files, e.Name)
		case e.Kind != durable.Regular:
			all = append(all, polledFile{name: e.Name, state: string(e.Kind)})
		}
	}
	p.stat(name, files, func(i int, is polledFile) {
		is.name = files[i]
		all = append(all, is)
	})
	slices.SortFunc(all, func(a, b polledFile) int { return strings.Compare(a.name, b.name) })
	p.dirs[name] = polledDir{itself, all}
	for _, base := range dirs {
		child := path.Join(name, base)
		p.list(child, p.describe(p.store.root.Stat(child)), depth+1)
	}
}

// stat describes files of a directory, in order.
func (p *Poll) stat(dir string, names []string, f func(i int, is polledFile)) {
	if len(names) == 0 {
		return
	}
	known := func(i int, info durable.Info) bool {
		f(i, p.describe(info, nil))
		return true
	}
	unknown := func(i int, _ []byte, info durable.Info, err error) { f(i, p.describe(info, err)) }
	if err := p.store.root.ReadFiles(dir, names, jsonedit.MaxSize, known, unknown); err != nil {
		for i := range names { // the directory went, or was closed
			f(i, p.describe(durable.Info{}, err))
		}
	}
}

func find(sorted []polledFile, name string) (int, bool) {
	return slices.BinarySearchFunc(sorted, name, func(l polledFile, name string) int { return strings.Compare(l.name, name) })
}

// differ calls f for the names of what is not the same in two lists.
func differ(a, b []polledFile, f func(name string)) {
	for len(a) > 0 || len(b) > 0 {
		switch {
		case len(b) == 0 || len(a) > 0 && a[0].name < b[0].name:
			f(a[0].name)
			a = a[1:]
		case len(a) == 0 || b[0].name < a[0].name:
			f(b[0].name)
			b = b[1:]
		default:
			if !a[0].same(b[0]) {
				f(a[0].name)
			}
			a, b = a[1:], b[1:]
		}
	}
}
