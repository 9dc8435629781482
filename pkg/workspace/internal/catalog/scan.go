package catalog

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/memoryd/memoryd/pkg/internal/durable"
	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/note"
)

const (
	MaxDepth  = 64  // how deep directories are followed
	batchSize = 128 // files of a directory that are read in one go
)

func validPath(name string) bool { return fs.ValidPath(name) && name != "." }

// Disk is where the files are, and how they are read.
type Disk struct {
	Root durable.FS
	// Racy is how young a file's last change may be that another one, by the clock of the
	// file system, might leave looking the same: such a file is read again next time.
	Racy time.Duration
	// Distrust is set for disks whose times are those of another machine's clock: every file
	// is read each time.
	Distrust bool
	// Readers is how many files are read at a time. One reads them in the order of their
	// names: the same steps each time.
	Readers int
	// Each, if set, is given every memory that is read while its bytes are at hand. It is
	// called by several goroutines at a time.
	Each func(*memory.Memory)
	// Note, if set, makes a memory of a Markdown note; nil for a file that is none. Files that end in .md are then read, each time.
	Note func(name string, data []byte, info durable.Info) (*memory.Memory, error)
	// Progress, if set, is called with how many files of how many have been read. An error that it
	// returns ends the reading. It is called by one goroutine at a time.
	Progress func(done, total int) error
}

// Scan looks at all files of a workspace and reads those that have changed since known was
// made, which may be nil. The error is that of the directory of the workspace, or Progress's.
func (d Disk) Scan(known *Catalog) (*Catalog, error) {
	s := newScan(d, known)
	var unread error
	err := s.read(func() { unread = s.walk("", 0) })
	if err == nil && unread != nil {
		err = fmt.Errorf("read workspace: %w", unread)
	}
	if err != nil {
		return nil, err
	}
	return s.catalog(), nil
}

// ScanDir scans a directory of the workspace, "." for its own, and all that is below it. The
// error is Progress's: a directory that can't be read is a problem of the catalogue.
func (d Disk) ScanDir(dir string) (*Catalog, error) {
	if dir == "." {
		dir = ""
	}
	s := newScan(d, nil)
	if err := s.read(func() { s.enter(dir, 0) }); err != nil {
		return nil, err
	}
	return s.catalog(), nil
}

// scan is one look at files and directories.
type scan struct {
	Disk
	known   *Catalog
	settled time.Time // what was changed later may change again unnoticed
	source  *source
	reading chan *batch
	inline  *reader                // reads while walking; nil: others do
	forced  func(name string) bool // files that are read whatever their stamps; nil: none
	kept    []*File                // of a directory that was listed again
	odd     []string               // known files whose place something else has taken
	batches []*batch
	dirs    []*Dir

	mu      sync.Mutex
	walked  bool
	total   int
	done    int
	stopped error
}

// batch are some files of a directory.
type batch struct {
	dir    string
	names  []string
	files  []*File
	moving bool
}

func newScan(d Disk, known *Catalog) *scan {
	s := &scan{Disk: d, known: known, settled: time.Now().Add(-d.Racy), source: newSource(d.Root)}
	if known == nil {
		s.known = &Catalog{}
	}
	if d.Distrust {
		s.settled = time.Time{}
	}
	return s
}

// maxAhead is how many batches the walk may be ahead of the reading.
const maxAhead = 4096

// read walks, and meanwhile reads the files that the walk finds.
func (s *scan) read(walk func()) error {
	if s.Readers <= 1 {
		s.inline = s.newReader()
		walk()
		s.walked = true
		s.progress(0)
		return s.stopped
	}
	s.reading = make(chan *batch, maxAhead)
	var group sync.WaitGroup
	for range min(s.Readers, 2*runtime.GOMAXPROCS(0)) {
		group.Go(func() {
			r := s.newReader()
			for b := range s.reading {
				r.batch(b)
			}
		})
	}
	walk()
	close(s.reading)
	s.mu.Lock()
	s.walked = true
	s.mu.Unlock()
	s.progress(0)
	group.Wait()
	return s.stopped
}

// progress notes that n more files have been read, and reports whether to go on.
func (s *scan) progress(n int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.done += n
	if s.Progress != nil && s.stopped == nil && s.walked { // before, nobody knows how many there are
		s.stopped = s.Progress(s.done, s.total)
	}
	return s.stopped == nil
}

// catalog puts together what was found.
func (s *scan) catalog() *Catalog {
	c := &Catalog{Dirs: s.dirs}
	c.Files = append(make([]*File, 0, s.total+len(s.kept)), s.kept...)
	for _, b := range s.batches {
		c.Files = append(c.Files, b.files...)
		c.Moving = c.Moving || b.moving
	}
	slices.SortFunc(c.Files, func(a, b *File) int { return strings.Compare(a.Name, b.Name) })
	slices.SortFunc(c.Dirs, func(a, b *Dir) int { return strings.Compare(a.Name, b.Name) })
	return c
}

// walk lists a directory and all that are below it. The error is why it can't be read; it goes
// on with what there is of it.
func (s *scan) walk(dir string, depth int) error {
	own := &Dir{Name: dir}
	s.dirs = append(s.dirs, own)
	if depth > MaxDepth {
		own.problem(dir, fmt.Sprintf("more than %d directories deep: not read", MaxDepth), "")
		return nil
	}
	names, below, err := s.list(own)
	for _, name := range below {
		s.enter(join(dir, name), depth+1)
	}
	s.add(dir, names)
	return err
}

// enter walks a directory. That it can't be read is a problem of it.
func (s *scan) enter(dir string, depth int) {
	at := len(s.dirs)
	if err := s.walk(dir, depth); err != nil && !errors.Is(err, fs.ErrNotExist) {
		s.dirs[at].unreadable(err)
	}
}

func (d *Dir) unreadable(err error) {
	d.Unread = true
	d.Problems = append(d.Problems, memory.Problem{File: d.Name, Severity: memory.Error, Message: "cannot read directory: " + durable.Cause(err), Hint: "check its permissions", Unread: true})
}

func (d *Dir) problem(name, message, hint string) {
	d.Problems = append(d.Problems, memory.Problem{File: name, Severity: memory.Warning, Message: message, Hint: hint})
}

// Holds reports whether a file is one in which memories may be, by its name; notes tells that it is of an adopted folder.
func Holds(name string, notes bool) bool {
	return strings.HasSuffix(name, ".json") || notes && note.Is(name)
}

// list tells which files and which directories of a directory are to be read.
func (s *scan) list(d *Dir) (names, below []string, err error) {
	entries, err := s.Root.ReadDir(path.Clean(d.Name))
	for _, e := range entries {
		if strings.HasPrefix(e.Name, ".") {
			if name, ok := strings.CutSuffix(e.Name[1:], ".json.icloud"); ok && name != "" {
				d.problem(join(d.Name, e.Name), "a placeholder: iCloud has taken "+name+".json off this machine, so its memories are missing", "let iCloud download it")
			}
			continue
		}
		name := join(d.Name, e.Name)
		isJSON := Holds(name, s.Note != nil)
		switch {
		case e.Kind == durable.Regular && !isJSON && strings.EqualFold(path.Ext(e.Name), ".json"):
			d.problem(name, "its name ends in "+path.Ext(e.Name)+": not read", "rename it so that it ends in .json")
		case e.Kind == durable.Regular && isJSON:
			names = append(names, e.Name)
		case e.Kind == durable.Dir:
			if name != memory.OpsDir && name != memory.SchemasDir && (s.Note == nil || name != note.OriginalsDir) {
				below = append(below, e.Name)
			}
		case e.Kind == durable.Link:
			if isJSON || path.Ext(e.Name) == "" /* a directory, by its name */ {
				d.problem(name, "symbolic link: not followed, so what it points to is not read", "put the file or directory itself here")
			}
		case e.Kind != durable.Regular && isJSON:
			d.problem(name, "not a regular file: not read", "")
		}
	}
	return names, below, err
}

// add gives files of a directory to whoever reads them.
func (s *scan) add(dir string, names []string) {
	for some := range slices.Chunk(names, batchSize) {
		b := &batch{dir: dir, names: some}
		s.batches = append(s.batches, b)
		s.mu.Lock()
		s.total += len(some)
		s.mu.Unlock()
		switch {
		case s.inline != nil:
			s.inline.batch(b)
		default:
			s.reading <- b
		}
	}
}

// reader reads batches, one after the other.
type reader struct {
	*scan
	memory.Parser
	next int // place in known of the file that is probably asked for next
}

func (s *scan) newReader() *reader { return &reader{scan: s} }

// batch reads the files of a batch, but for those that are unchanged.
func (r *reader) batch(b *batch) {
	if !r.progress(0) {
		return
	}
	same := func(i int, info durable.Info) bool {
		known := r.knownFile(join(b.dir, b.names[i]))
		if known == nil || !known.Stamp.same(info) || r.forced != nil && r.forced(known.Name) {
			return false
		}
		b.files, b.moving = append(b.files, known), b.moving || known.Young(HalfSaved)
		return true
	}
	if len(r.known.Files) == 0 || r.Distrust {
		same = nil
	}
	take := func(i int, data []byte, info durable.Info, err error) {
		f := r.file(join(b.dir, b.names[i]), data, info, err)
		if f == nil { // gone since the directory was listed
			b.moving = b.moving || r.forced == nil || !r.forced(join(b.dir, b.names[i]))
			return
		}
		if r.forced != nil && errors.Is(err, durable.ErrLink) {
			r.mu.Lock()
			r.odd = append(r.odd, f.Name)
			r.mu.Unlock()
		}
		b.moving = b.moving || f.Young(HalfSaved)
		for _, m := range f.Memories {
			if r.Each != nil {
				r.Each(m)
			}
			if !m.IsNote() { // its record isn't in the file as it is
				m.Detach(r.source)
			}
		}
		b.files = append(b.files, f)
	}
	if err := r.Root.ReadFiles(path.Clean(b.dir), b.names, jsonedit.MaxSize, same, take); err != nil { // the directory went, or was closed, since it was listed
		for i := range b.names {
			take(i, nil, durable.Info{}, err)
		}
	}
	r.progress(len(b.names))
}

// file is what reading a file gave.
func (r *reader) file(name string, data []byte, info durable.Info, err error) *File {
	if r.Note == nil || err != nil || !note.Is(name) {
		return readFile(&r.Parser, name, data, info, err, r.settled)
	}
	f := &File{Name: name}
	m, err := r.Note(name, bytes.Clone(data), info)
	if err != nil && !errors.Is(err, note.ErrText) { // the overlay wasn't read: the note may be a memory
		return readFile(&r.Parser, name, data, info, err, r.settled)
	}
	if err != nil {
		f.problem("warning", err.Error(), "it isn't read as a memory, and nothing writes it")
	} else if m != nil {
		f.Memories = []*memory.Memory{m}
	}
	return f
}

// knownFile is what is known of a file. Files are mostly asked for in their order.
func (r *reader) knownFile(name string) *File {
	files := r.known.Files
	if r.next < len(files) && files[r.next].Name == name {
		r.next++
		return files[r.next-1]
	}
	i, ok := find(files, name)
	if !ok {
		return nil
	}
	r.next = i + 1
	return files[i]
}

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
			var of *place // of several, the one with the shortest name: the others are copies of that themselves
			for i := range all {
				name := files[all[i].file].Name
				if all[i].file != p.file && memory.IsCopyName(files[p.file].Name, name) && (of == nil || len(name) < len(files[of.file].Name)) {
					of = &all[i]
				}
			}
			if of != nil {
				f := files[p.file]
				copies = append(copies, memory.ConflictCopy{Memory: f.Memories[p.record], Of: files[of.file].Memories[of.record]})
				aside[f] = append(aside[f], f.Memories[p.record])
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
