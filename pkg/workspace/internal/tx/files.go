package tx

import (
	"errors"
	"fmt"
	"io/fs"
	"sort"

	"github.com/memoryd/memoryd/pkg/indexfile"
	"github.com/memoryd/memoryd/pkg/internal/durable"
	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/note"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/workspace/internal/index"
)

// commit is a transaction being applied: the files it touches, as they were and
// as they will be.
type commit struct {
	named          int    // see Store
	actor, machine string // see Store
	root           durable.FS
	notes          Notes
	runID          string
	tx             *Tx
	device         uint64 // of the workspace: files elsewhere can't be swapped
	files          map[string]*file
	done           map[int]bool      // actions that apply
	logged         map[int]int       // where those stand among the entry's actions
	entry          *oplog.Entry      // nil: nothing to log
	seen           map[string]string // fingerprints that change
	exact          func()            // gives files their bytes of before, in an undo
	undoOf         string
	extra          map[string][]indexfile.Field // id -> members for its index entry
	places         map[*memory.Action]map[string]string
	archived       map[*memory.Action]map[string]string // digests
	index          map[string]*metIndex                 // looked at so far; nil for absent ones
	result         Result
}

// metIndex is an index as a commit has found it. A broken one counts as foreign: it stays as
// it is.
type metIndex struct {
	foreign bool
	sum     string // of one that isn't
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
	whole   *memory.Memory // the record to replace in a file that is one record
	raw     []byte
	actions []int  // those that touch it
	why     string // why it can't be replaced

	byID  map[string][]*memory.Memory // the records in was; nil until somebody asks
	fresh bool                        // a note: it says something new
	notes Notes
	lists map[string]int // how many elements arrays in was have, as far as somebody asked; -1: there is none
}

// locate finds a record in the file as it was, which is parsed once: by its digest, which the id is part of; nil where there is none.
func (f *file) locate(id string, digest memory.Digest) (*memory.Memory, error) {
	if f.byID == nil {
		f.byID = map[string][]*memory.Memory{}
		records, err := recordsIn(f.notes, f.name, f.was, nil)
		if errors.Is(err, index.ErrReading) {
			return nil, err
		}
		for _, m := range records {
			f.byID[m.ID] = append(f.byID[m.ID], m)
		}
	}
	for _, m := range f.byID[id] {
		if m.Digest() == digest {
			return m, nil
		}
	}
	for _, all := range f.byID { // a run may have given it another id, which an undo takes back
		for _, m := range all {
			if m.Digest() == digest {
				return m, nil
			}
		}
	}
	return nil, nil
}

// list counts the elements of an array in the file as it was; not ok where that is not valid JSON,
// or has no such array. Many may come into one, and it may be long: it is looked at once.
func (f *file) list(array []string) (n int, ok bool) {
	key := memory.Pointer(array)
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
	f := &file{name: name, notes: c.notes}
	data, info, err := c.root.Read(name, maxSize)
	switch {
	case err == nil:
		f.was, f.now, f.attr, f.exists, f.existed = data, data, info.Attr, true, true
		if note.Is(name) {
			f.attr.Modified = info.ModTime
		}
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

// taken reports whether an earlier action of the transaction changes the record.
func (f *file) taken(m *memory.Memory) bool {
	if m.Whole() {
		return f.whole != nil || !f.exists
	}
	e := f.edits[memory.Pointer(m.Array)]
	return e != nil && (e.Remove[m.Index] || e.Set[m.Index] != nil)
}

func (f *file) edit(array []string) *arrayEdit {
	if f.edits == nil {
		f.edits = map[string]*arrayEdit{}
	}
	key := memory.Pointer(array)
	if f.edits[key] == nil {
		f.edits[key] = &arrayEdit{array: array, ArrayEdit: jsonedit.ArrayEdit{Set: map[int][]byte{}, Remove: map[int]bool{}}}
	}
	return f.edits[key]
}

// render computes the bytes of every file whose records change.
func (c *commit) render() error {
	for _, f := range c.files {
		if f.whole != nil && note.Is(f.name) {
			f.now, f.fresh = f.raw, true
		} else if f.whole != nil {
			data, err := memory.ReplaceRecord(f.was, f.whole, f.raw)
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
