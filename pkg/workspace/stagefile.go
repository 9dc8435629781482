package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"sort"
	"strings"

	"github.com/memoryd/memoryd/pkg/indexfile"
	"github.com/memoryd/memoryd/pkg/internal/durable"
	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
	"github.com/memoryd/memoryd/pkg/oplog"
)

// commit is a transaction being applied: the files it touches, as they were and
// as they will be.
type commit struct {
	named    int // see FileStore
	parallel int
	root     durable.FS
	runID    string
	tx       *Tx
	device   uint64 // of the workspace: files elsewhere can't be swapped
	files    map[string]*file
	done     map[int]bool      // actions that apply
	logged   map[int]int       // where those stand among the entry's actions
	entry    *oplog.Entry      // nil: nothing to log
	seen     map[string]string // fingerprints that change
	exact    func()            // gives files their bytes of before, in an undo
	undoOf   string
	extra    map[string][]indexfile.Field // id -> members for its index entry
	places   map[*Action]map[string]string
	index    map[string]*metIndex // looked at so far; nil for absent ones
	result   Result
}

// file is a file on its way from what it was to what it will be.
type file struct {
	name    string
	was     []byte // nil when it did not exist
	now     []byte
	attr    durable.Attr
	exists  bool // will exist
	existed bool
	records bool // holds memories
	edits   map[string]*arrayEdit
	whole   *Memory // the record to replace in a file that is one record
	raw     []byte
	actions []int  // those that touch it
	why     string // why it can't be replaced

	byID  map[string][]*Memory // the records in was; nil until somebody asks
	lists map[string]int       // how many elements arrays in was have, as far as somebody asked; -1: there is none
}

// locate finds a record in the file as it was, which is parsed once.
func (f *file) locate(id string, digest Digest) (*Memory, bool) {
	if f.byID == nil {
		f.byID = map[string][]*Memory{}
		records, err := readRecords(f.name, f.was)
		if err != nil {
			return nil, false
		}
		for _, m := range records {
			f.byID[m.ID] = append(f.byID[m.ID], m)
		}
	}
	for _, m := range f.byID[id] {
		if m.Digest() == digest {
			return m, true
		}
	}
	return nil, false
}

// list counts the elements of an array in the file as it was; not ok where that is no valid JSON,
// or has no such array. Many may come into one, and it may be long: it is looked at once.
func (f *file) list(array []string) (n int, ok bool) {
	key := pointer(array)
	n, known := f.lists[key]
	if !known {
		n = -1
		if jsonedit.Check(f.was) == nil {
			if elements, ok := jsonedit.Elements(f.was, array...); ok {
				n = len(elements)
			}
		}
		if f.lists == nil {
			f.lists = map[string]int{}
		}
		f.lists[key] = n
	}
	return n, n >= 0
}

type arrayEdit struct {
	array []string
	jsonedit.ArrayEdit
}

// open reads a file into the transaction.
func (c *commit) open(name string) (*file, error) {
	if f := c.files[name]; f != nil {
		return f, nil
	}
	f := &file{name: name}
	data, info, err := c.root.Read(name, jsonedit.MaxSize)
	switch {
	case err == nil:
		f.was, f.now, f.attr, f.exists, f.existed = data, data, info.Attr, true, true
		if f.why, err = c.fixed(name, info); err != nil {
			return nil, err
		}
	case !errors.Is(err, fs.ErrNotExist):
		return nil, err
	}
	c.files[name] = f
	return f, nil
}

// changed lists the files that will differ, by name.
func (c *commit) changed() []*file {
	var out []*file
	for _, f := range c.files {
		if f.exists != f.existed || string(f.was) != string(f.now) {
			out = append(out, f)
		}
	}
	sort.Slice(out, func(i, j int) bool { return out[i].name < out[j].name })
	return out
}

func inArchive(name string) bool { return strings.HasPrefix(name, ArchiveDir+"/") }

// admit compares what an action relies on with the disk and, when all of it
// still holds, takes its changes into the transaction. Otherwise it says why not
// and takes none: [ReasonChanged] or [ReasonUnwritable], and what it is.
func (c *commit) admit(n int, a *Action) (reason, why string, err error) {
	found := make([]*Memory, len(a.Ops))
	for i, op := range a.Ops {
		if op.Kind != Create {
			f, err := c.open(op.Ref.File)
			if odd(err) {
				return ReasonChanged, cause(err), nil
			}
			if err != nil {
				return "", "", err
			}
			if !f.existed {
				return ReasonChanged, op.Ref.File + " is gone", nil
			}
			if f.why != "" {
				return ReasonUnwritable, f.why, nil
			}
			m, ok := f.locate(op.ID, op.Base)
			if !ok {
				return ReasonChanged, op.ID + " in " + op.Ref.File + " was edited, moved or removed since it was planned", nil
			}
			if !op.Idle() && f.taken(m) {
				return ReasonChanged, op.ID + " is changed by an earlier action already", nil
			}
			found[i] = m
		}
		if (op.Kind == Create || op.Kind == Move) && op.To.Whole() {
			f, err := c.open(op.To.File)
			if odd(err) {
				return ReasonChanged, cause(err), nil
			}
			if err != nil {
				return "", "", err
			}
			if f.exists {
				return ReasonChanged, op.To.File + " exists already", nil
			}
			if why, err := c.elsewhere(op.To.File); why != "" || err != nil {
				return ReasonUnwritable, why, err
			}
		}
		if op.Kind == Move && !op.To.Whole() {
			f, err := c.open(op.To.File)
			if odd(err) {
				return ReasonChanged, cause(err), nil
			}
			if err != nil {
				return "", "", err
			}
			if f.why != "" {
				return ReasonUnwritable, f.why, nil
			}
			if _, ok := f.list(op.To.Array); !ok {
				return ReasonChanged, "the list in " + op.To.File + " that it stood in is gone, or the file isn't valid JSON", nil
			}
		}
	}
	for _, o := range a.Originals {
		if why, err := c.elsewhere(o.File); why != "" || err != nil {
			return ReasonUnwritable, why, err
		}
	}
	for i, op := range a.Ops {
		if op.Idle() {
			continue
		}
		if err := c.take(op, found[i]); err != nil {
			return "", "", fmt.Errorf("%s %s: %w", a.Type, op.ID, err)
		}
		if inArchive(op.To.File) && (op.Kind == Move || op.Kind == Create && op.Ref.File != "") {
			c.noteArchived(a, op)
		}
		for _, name := range []string{op.Ref.File, op.To.File} {
			if f := c.files[name]; f != nil {
				f.actions = append(f.actions, n)
			}
		}
	}
	for _, o := range a.Originals {
		f, err := c.open(o.File)
		if err != nil {
			return "", "", err
		}
		f.now, f.exists = o.Raw, true
		f.actions = append(f.actions, n)
	}
	return "", "", nil
}

// taken reports whether an earlier action of the transaction changes the record.
func (f *file) taken(m *Memory) bool {
	if m.Whole() {
		return f.whole != nil || !f.exists
	}
	e := f.edits[pointer(m.Array)]
	return e != nil && (e.Remove[m.Index] || e.Set[m.Index] != nil)
}

// take records one op; m is the record as it stands now.
func (c *commit) take(op Op, m *Memory) error {
	switch op.Kind {
	case Put:
		f := c.files[op.Ref.File]
		f.records = true
		if m.Whole() {
			f.whole, f.raw = m, op.Raw
		} else {
			f.edit(m.Array).Set[m.Index] = op.Raw
		}
		return nil
	case Create:
		f := c.files[op.To.File]
		f.now, f.exists, f.records = append(op.Raw[:len(op.Raw):len(op.Raw)], '\n'), true, true
		return nil
	case Move:
		return c.move(op, m)
	case remove:
		f := c.files[op.Ref.File]
		f.exists, f.records = false, true
		return nil
	}
	return fmt.Errorf("unknown kind of change %q", op.Kind)
}

func (c *commit) move(op Op, m *Memory) error {
	from := c.files[op.Ref.File]
	raw := op.Raw
	if raw == nil {
		raw = m.Raw()
	}
	content := append(raw[:len(raw):len(raw)], '\n')
	if m.Whole() {
		moved, err := replaceRecord(from.was, m, raw) // a byte order mark and the like go along
		if err != nil {
			return err
		}
		content = moved
		from.exists = false
	} else {
		from.edit(m.Array).Remove[m.Index] = true
	}
	from.records = true
	to, err := c.open(op.To.File)
	if err != nil {
		return err
	}
	to.records = true
	if op.To.Whole() {
		to.now, to.exists, to.attr = content, true, from.attr
		return nil
	}
	n, _ := to.list(op.To.Array)
	insert := to.edit(op.To.Array)
	insert.Insert = append(insert.Insert, jsonedit.Insertion{Before: min(op.To.Index, n), Raw: raw})
	return nil
}

func (f *file) edit(array []string) *arrayEdit {
	if f.edits == nil {
		f.edits = map[string]*arrayEdit{}
	}
	key := pointer(array)
	if f.edits[key] == nil {
		f.edits[key] = &arrayEdit{array: array, ArrayEdit: jsonedit.ArrayEdit{Set: map[int][]byte{}, Remove: map[int]bool{}}}
	}
	return f.edits[key]
}

// render computes the bytes of every file whose records change.
func (c *commit) render() error {
	for _, f := range c.files {
		if f.whole != nil {
			data, err := replaceRecord(f.was, f.whole, f.raw)
			if err != nil {
				return fmt.Errorf("%s: %w", f.name, err)
			}
			f.now = data
		}
		for _, e := range f.edits {
			data, err := jsonedit.EditArray(f.now, e.array, e.ArrayEdit)
			if err != nil {
				return fmt.Errorf("%s: %w", f.name, err)
			}
			f.now = data
		}
	}
	return nil
}
