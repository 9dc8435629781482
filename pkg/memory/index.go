package memory

import (
	"github.com/memoryd/memoryd/pkg/note"
	"path"
	"strconv"
	"strings"
	"sync"

	"github.com/memoryd/memoryd/pkg/indexfile"
)

// Index is one _index.json. It is derived: it decides nothing.
type Index struct {
	File string
	// Foreign is set when the file has no list of memories (an index of projects
	// or sessions, say): it is left alone and owns nothing.
	Foreign bool
	// Doc reads the bytes of the file.
	Doc func() []byte

	text  func() *indexfile.File
	owned []*Memory
	of    *Snapshot // tells what it owns; nil: owned does
}

// NewIndex is the index of a file, which doc reads when somebody asks for it.
func NewIndex(file string, foreign bool, doc func() []byte) *Index {
	x := &Index{File: file, Foreign: foreign, Doc: doc}
	x.Forget()
	return x
}

// Text is what the file says, read at the first call. A file that was broken since the snapshot
// was read is as good as empty.
func (x *Index) Text() *indexfile.File { return x.text() }

// Forget drops what the file says, until somebody asks for it again. It is not safe for
// concurrent use.
func (x *Index) Forget() {
	x.text = sync.OnceValue(func() *indexfile.File {
		read, err := indexfile.Parse(x.File, x.Doc())
		if err != nil {
			return &indexfile.File{Name: x.File}
		}
		return read
	})
}

// Owned are the memories that belong to this index, in snapshot order.
func (x *Index) Owned() []*Memory {
	if x.of != nil {
		return x.of.owned()[x]
	}
	return x.owned
}

// Own sets the memories that belong to the index.
func (x *Index) Own(ms []*Memory) { x.owned, x.of = ms, nil }

// Count is how many memories belong to this index.
func (x *Index) Count() int { return len(x.Owned()) }

// Entries lists what the file says.
func (x *Index) Entries() []indexfile.Entry { return x.text().Entries() }

// ownedBy gives every memory to the nearest index at or above its file.
func ownedBy(s *Snapshot) map[*Index][]*Memory {
	owned := map[*Index][]*Memory{}
	owner := Owners(s.Indexes)
	dir, x := "\x00", (*Index)(nil) // of the last one
	for _, group := range [][]*Memory{s.Memories(), s.Archived()} {
		for _, m := range group {
			if in := m.File[:strings.LastIndexByte(m.File, '/')+1]; in != dir {
				dir, x = in, owner(m.File)
			}
			if x != nil {
				owned[x] = append(owned[x], m)
			}
		}
	}
	return owned
}

// Owners tells the index that what is in a file belongs to; nil for none. What it returns is
// safe for concurrent use.
func Owners(indexes []*Index) func(file string) *Index {
	byDir := map[string]*Index{}
	for _, x := range indexes {
		if !x.Foreign {
			byDir[path.Dir(x.File)] = x
		}
	}
	return func(file string) *Index { return Nearest(byDir, file) }
}

// Nearest is the index in the directory of a file, or in the nearest one above that has one.
func Nearest(byDir map[string]*Index, file string) *Index {
	for dir := path.Dir(file); ; dir = path.Dir(dir) {
		if x := byDir[dir]; x != nil {
			return x
		}
		if dir == "." || dir == "/" {
			return nil
		}
	}
}

// NewFiles names the files that the actions of one plan create: no name twice, and none that a file of the
// workspace has. Case is ignored, since some file systems do.
type NewFiles struct {
	snap     *Snapshot
	promised map[string]bool
}

// NewFiles begins to name the files of a plan.
func (s *Snapshot) NewFiles() *NewFiles { return &NewFiles{s, map[string]bool{}} }

// Name names a file in dir for a memory: its id, with a number behind it while that is taken.
func (f *NewFiles) Name(dir, id string) string { return f.name(dir, id, ".json") }

func (f *NewFiles) name(dir, id, ext string) string {
	stem := path.Join(dir, FileName(id))
	name := stem + ext
	for n := 2; f.Taken(name); n++ {
		name = stem + "-" + strconv.Itoa(n) + ext
	}
	f.promised[FoldName(name)] = true
	return name
}

// Taken reports whether a file of the workspace has that name, or one that the plan creates.
func (f *NewFiles) Taken(file string) bool {
	name := FoldName(file)
	return f.promised[name] || f.snap.taken.in(f.snap, path.Dir(name))[name]
}

// Archive is the change that moves a memory into the archive; raw is its record afterwards, nil for
// unchanged bytes.
func (f *NewFiles) Archive(m *Memory, raw []byte) Op {
	ext := ".json"
	if m.IsNote() {
		ext = note.ArchiveExt
	}
	return Op{Kind: Move, ID: m.ID, Ref: m.Ref, Base: m.Digest(), Raw: raw, To: Ref{File: f.name(ArchiveDir, m.ID, ext)}}
}

// takenNames are the names of files by directory, without case: new files go into few.
type takenNames struct {
	mu   sync.Mutex
	dirs map[string]map[string]bool
}

func (t *takenNames) in(s *Snapshot, dir string) map[string]bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if names, ok := t.dirs[dir]; ok {
		return names
	}
	names := map[string]bool{}
	add := func(file string) {
		if name := FoldName(file); path.Dir(name) == dir {
			names[name] = true
		}
	}
	for _, file := range s.Files {
		add(file)
	}
	if s.Files == nil { // of memories alone
		for _, l := range s.named {
			for _, m := range l {
				add(m.File)
			}
		}
	}
	if t.dirs == nil {
		t.dirs = map[string]map[string]bool{}
	}
	t.dirs[dir] = names
	return names
}
