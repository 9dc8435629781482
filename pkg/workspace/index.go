package workspace

import (
	"path"
	"strings"
	"sync"

	"github.com/memoryd/memoryd/pkg/indexfile"
)

// Index is one _index.json: what stands in it, and which memories should. It is derived
// from the memory files and never decides anything.
type Index struct {
	File string
	// Foreign is set when the file has no list of memories (an index of projects
	// or sessions, say): it is left alone and owns nothing.
	Foreign bool

	owned  []*Memory
	assign func()                 // makes owned; nil: it is there
	counts func() map[*Index]int  // how many are owned, while they are not made
	doc    func() []byte          // the bytes of the file; nobody keeps them
	text   func() *indexfile.File // what it says; read when somebody asks
}

// newIndex is the index of a file, which load reads once somebody asks for it.
func newIndex(file string, foreign bool, load func() []byte) *Index {
	return &Index{File: file, Foreign: foreign, doc: load, text: lazyIndex(file, load)}
}

// letGo forgets what the file says until somebody asks for it again, whom it must not meet.
func (x *Index) letGo() {
	if x.doc != nil {
		x.text = lazyIndex(x.File, x.doc)
	}
}

// Owned are the memories that belong to this index, in snapshot order.
func (x *Index) Owned() []*Memory {
	if x.assign != nil {
		x.assign()
	}
	return x.owned
}

// Count is how many these are. It makes none of them.
func (x *Index) Count() int {
	if x.counts != nil {
		return x.counts()[x]
	}
	return len(x.Owned())
}

// Entries lists what the file says.
func (x *Index) Entries() []indexfile.Entry { return x.text().Entries() }

// lazyIndex reads an index once somebody asks for it. One that was spoilt since it was known
// is as good as empty.
func lazyIndex(file string, load func() []byte) func() *indexfile.File {
	return sync.OnceValue(func() *indexfile.File {
		read, err := indexfile.Parse(file, load())
		if err != nil {
			return &indexfile.File{Name: file}
		}
		return read
	})
}

// assignLater is assignIndexes, once somebody asks for what an index owns.
func assignLater(s *Snapshot) {
	assign := sync.OnceFunc(func() { assignIndexes(s) })
	counts := sync.OnceValue(func() map[*Index]int {
		n, owner, room := map[*Index]int{}, oneAfterAnother(s.Owners()), Room{}
		for i := range s.Total() {
			n[owner(s.Glance(i, &room).File)]++
		}
		return n
	})
	for _, x := range s.Indexes {
		x.assign, x.counts = assign, counts
	}
}

// assignIndexes gives every memory to the nearest index at or above its file.
func assignIndexes(s *Snapshot) {
	owner := oneAfterAnother(s.Owners())
	for _, group := range [][]*Memory{s.Memories(), s.Archived()} {
		for _, m := range group {
			if x := owner(m.File); x != nil {
				x.owned = append(x.owned, m)
			}
		}
	}
}

// Owners tells the index that what is in a file belongs to; nil for none. What it returns is
// safe for concurrent use.
func (s *Snapshot) Owners() func(file string) *Index {
	byDir := map[string]*Index{}
	for _, x := range s.Indexes {
		if !x.Foreign {
			byDir[path.Dir(x.File)] = x
		}
	}
	return func(file string) *Index { return nearest(byDir, file) }
}

// oneAfterAnother is an owner that is asked for the files of a directory one after the other,
// by one goroutine.
func oneAfterAnother(owner func(file string) *Index) func(file string) *Index {
	dir, x := "\x00", (*Index)(nil) // of the last one
	return func(file string) *Index {
		if in := file[:strings.LastIndexByte(file, '/')+1]; in != dir {
			dir, x = in, owner(file)
		}
		return x
	}
}

func nearest(byDir map[string]*Index, file string) *Index {
	for dir := path.Dir(file); ; dir = path.Dir(dir) {
		if x := byDir[dir]; x != nil {
			return x
		}
		if dir == "." || dir == "/" {
			return nil
		}
	}
}
