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

// Poll finds the files of a workspace that change, for systems that don't report changes: it calls stat for
// them again and again, and reads none. The zero value is of no use; see
// [NewPoll]. It serves one goroutine at a time.
//
// A change may be reported once more, until it is old enough that a later change
// can't leave the same times.
type Poll struct {
	store *FileStore
	dirs  map[string]*polledDir // by name; "." for the workspace
	conf  trace                 // of the settings
	hot   map[string]time.Time  // files that changed, and when
	known bool                  // everything has been looked at once
	full  bool                  // it is being looked at now
	now   time.Time
	told  []string
}

// polledDir is a directory as it was when it was listed.
type polledDir struct {
	trace
	names []string // of memory files and indexes, sorted
	marks []trace  // of these
	dirs  []string // of directories in it
	odd   []string // what is neither, and why
}

// trace is what stat says of a file.
type trace struct {
	stamp catalog.Stamp
	state string // its kind, or why it can't be described
	young bool   // a later change might leave the same
}

const (
	mostHot = 128 // files that are described at each quick scan
	hotFor  = 10 * time.Minute
)

// NewPoll returns one that knows nothing yet: its first look tells nothing.
func NewPoll(s *FileStore) *Poll {
	return &Poll{store: s, dirs: map[string]*polledDir{}, hot: map[string]time.Time{}}
}

// FullScan describes every file and returns the names of the files and directories that
// came, went or changed since: an edit is missed only if it keeps size and times, on a
// system that tells no time of change. It costs about a microsecond for each file.
func (p *Poll) FullScan() []string { return p.look(true) }

// QuickScan describes the directories, all that is in those that changed, and the files
// that changed last. It misses what is written into a file that has not changed for
// long; what is created, removed, renamed or replaced by renaming it finds, as [Poll.FullScan]
// does, where the file system keeps the times of directories.
func (p *Poll) QuickScan() []string { return p.look(!p.known) }

func (p *Poll) look(full bool) []string {
	p.full, p.told, p.now = full, nil, time.Now()
	if is := p.marked(p.store.root.Stat(memory.ConfigFile)); !p.conf.same(is) {
		p.conf = is
		p.tell(memory.ConfigFile)
	}
	p.dir(".", p.marked(p.store.root.Stat(".")), !p.known, 0)
	if !full {
		p.lately()
	}
	if !p.known {
		p.known, p.told = true, nil
		clear(p.hot)
	}
	slices.Sort(p.told)
	return slices.Compact(p.told)
}

func (p *Poll) tell(name string) { p.told = append(p.told, name) }

// marked makes the mark of what was described at a time.
func (p *Poll) marked(info durable.Info, err error) trace {
	if err != nil {
		return trace{state: durable.Cause(err)}
	}
	age := min(p.now.Sub(info.ModTime).Abs(), p.now.Sub(info.ChangeTime).Abs())
	return trace{catalog.StampOf(info), string(info.Kind), age < p.store.Racy}
}

// same reports whether nothing has changed, for sure.
func (m trace) same(is trace) bool {
	return !m.young && m.stamp == is.stamp && m.state == is.state
}

// dir looks at a directory that has a mark now. A new directory is reported by its
// own name only: its reader reads all that is in it.
func (p *Poll) dir(name string, is trace, isNew bool, depth int) {
	if depth > catalog.MaxDepth {
		return
	}
	d := p.dirs[name]
	if d == nil {
		d = &polledDir{}
		p.dirs[name] = d
	}
	list := isNew || !d.same(is) || p.full && p.store.network != ""
	var before []string
	if list {
		before = d.names
		p.list(name, d, is, isNew)
	}
	if list || p.full {
		p.files(name, d, before, list, isNew)
	}
	p.describe(name, d.dirs, func(i int, info durable.Info, err error) {
		child := path.Join(name, d.dirs[i])
		if err != nil { // where only files are described
			info, err = p.store.root.Stat(child)
		}
		p.dir(child, p.marked(info, err), isNew || p.dirs[child] == nil, depth+1)
	})
}

// list reads the names in a directory anew.
func (p *Poll) list(name string, d *polledDir, is trace, isNew bool) {
	d.trace = is
	entries, err := p.store.root.ReadDir(name)
	var names, dirs, odd []string
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		odd = []string{": " + durable.Cause(err)}
	}
	for _, e := range entries {
		switch full := path.Join(name, e.Name); {
		case !catalog.Readable(full):
		case e.Kind == durable.Dir:
			dirs = append(dirs, e.Name)
		case e.Kind == durable.Regular && strings.HasSuffix(e.Name, ".json"):
			names = append(names, e.Name)
		case e.Kind != durable.Regular:
			odd = append(odd, e.Name+": "+string(e.Kind))
		}
	}
	if !isNew {
		differ(d.names, names, func(base string) { p.tell(path.Join(name, base)) })
		differ(d.dirs, dirs, func(base string) { p.tell(path.Join(name, base)) })
		differ(d.odd, odd, func(what string) {
			base, _, _ := strings.Cut(what, ": ")
			p.tell(path.Join(name, base))
		})
	}
	if _, there := slices.BinarySearch(names, memory.IndexFile); !there && !isNew {
		p.tell(path.Join(name, memory.IndexFile)) // one may have come and gone since
	}
	for _, base := range d.dirs {
		if _, there := slices.BinarySearch(dirs, base); !there {
			p.forget(path.Join(name, base))
		}
	}
	d.names, d.dirs, d.odd = names, dirs, odd
}

// differ calls f for what is in one of two sorted lists and not in the other.
func differ(a, b []string, f func(string)) {
	for len(a) > 0 || len(b) > 0 {
		switch {
		case len(b) == 0 || len(a) > 0 && a[0] < b[0]:
			f(a[0])
			a = a[1:]
		case len(a) == 0 || b[0] < a[0]:
			f(b[0])
			b = b[1:]
		default:
			a, b = a[1:], b[1:]
		}
	}
}

// forget drops a directory and all that is below it.
func (p *Poll) forget(name string) {
	if d := p.dirs[name]; d != nil {
		for _, base := range d.dirs {
			p.forget(path.Join(name, base))
		}
		delete(p.dirs, name)
	}
}

// files describes the files of a directory, whose names were others before if it was
// listed anew.
func (p *Poll) files(name string, d *polledDir, before []string, listed, isNew bool) {
	was := d.marks
	if listed {
		d.marks = make([]trace, len(d.names))
		for i, k := 0, 0; i < len(d.names); i++ {
			for k < len(before) && before[k] < d.names[i] {
				k++
			}
			if k < len(before) && before[k] == d.names[i] {
				d.marks[i] = was[k]
			}
		}
	}
	p.describe(name, d.names, func(i int, info durable.Info, err error) {
		is := p.marked(info, err)
		if isNew {
			d.marks[i] = is
			return
		}
		if !d.marks[i].same(is) {
			d.marks[i] = is
			p.changed(path.Join(name, d.names[i]), is)
		}
	})
}

// changed notes that a file changed.
func (p *Poll) changed(name string, is trace) {
	if is.state == string(durable.Regular) {
		if _, listed := p.hot[name]; !listed && len(p.hot) >= mostHot {
			oldest := ""
			for other, at := range p.hot {
				if oldest == "" || at.Before(p.hot[oldest]) {
					oldest = other
				}
			}
			delete(p.hot, oldest)
		}
		p.hot[name] = p.now
	}
	p.tell(name)
}

// lately looks at the files that changed last.
func (p *Poll) lately() {
	for name, at := range p.hot {
		d := p.dirs[path.Dir(name)]
		if d == nil || p.now.Sub(at) > hotFor {
			delete(p.hot, name)
			continue
		}
		i, there := slices.BinarySearch(d.names, path.Base(name))
		if !there {
			delete(p.hot, name)
			continue
		}
		if is := p.marked(p.store.root.Stat(name)); !d.marks[i].same(is) {
			d.marks[i] = is
			p.changed(name, is)
		}
	}
}

// describe calls stat for names in a directory, in order.
func (p *Poll) describe(dir string, names []string, f func(i int, info durable.Info, err error)) {
	if len(names) == 0 {
		return
	}
	known := func(i int, info durable.Info) bool {
		f(i, info, nil)
		return true
	}
	unknown := func(i int, _ []byte, info durable.Info, err error) { f(i, info, err) }
	if err := p.store.root.ReadFiles(dir, names, jsonedit.MaxSize, known, unknown); err != nil {
		for i := range names { // the directory went, or was closed
			f(i, durable.Info{}, err)
		}
	}
}
