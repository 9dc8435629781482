package catalog

import (
	"cmp"
	"slices"
	"sort"
	"strings"

	"github.com/memoryd/memoryd/pkg/memory"
)

// Catalog is what the files of a workspace held when they were last read. It is immutable.
type Catalog struct {
	Files []*File // sorted by name
	Dirs  []*Dir  // sorted by name; the first is that of the workspace, ""
	// Moving is set when something was being written while it was read: another look in a
	// moment may tell something else.
	Moving bool
}

// Dir is a directory.
type Dir struct {
	Name     string
	Problems []memory.Problem // of what lies in it and is not a file or directory, or why it can't be read
	Unread   bool             // it can't be read: what was below it may still be there
}

// File is the file with a name; nil for none.
func (c *Catalog) File(name string) *File {
	if i, ok := find(c.Files, name); ok {
		return c.Files[i]
	}
	return nil
}

func find(files []*File, name string) (int, bool) {
	return sort.Find(len(files), func(i int) int { return strings.Compare(name, files[i].Name) })
}

func (c *Catalog) dir(name string) *Dir {
	if i, ok := sort.Find(len(c.Dirs), func(i int) int { return strings.Compare(name, c.Dirs[i].Name) }); ok {
		return c.Dirs[i]
	}
	return nil
}

// Memories lists the live memories and the archived ones, in the order of a snapshot, and the conflict copies that are none.
func (c *Catalog) Memories() (live, archived []*memory.Memory, copies []memory.ConflictCopy) {
	files, copies := SetAside(c.Files)
	var n [2]int
	each := func(f func(group int, ms []*memory.Memory)) {
		for _, file := range files {
			if memory.InArchive(file.Name) {
				f(1, file.Memories)
			} else {
				f(0, file.Memories)
			}
		}
	}
	each(func(group int, ms []*memory.Memory) { n[group] += len(ms) })
	all := [2][]*memory.Memory{make([]*memory.Memory, 0, n[0]), make([]*memory.Memory, 0, n[1])}
	each(func(group int, ms []*memory.Memory) { all[group] = append(all[group], ms...) })
	return all[0], all[1], copies
}

// Unlike is how many bytes the files have that are not shared with another catalogue, which may
// be nil, and those of the other that are not shared with this one. Files that are read each time
// don't count.
func (c *Catalog) Unlike(other *Catalog) (bytes int64) {
	var theirs []*File
	if other != nil {
		theirs = other.Files
	}
	const perFile = 1 << 10 // what opening a file costs, in bytes
	count := func(f *File) {
		if f.Stamp != (Stamp{}) {
			bytes += perFile + f.Stamp.Size
		}
	}
	for _, f := range c.Files {
		for len(theirs) > 0 && theirs[0].Name < f.Name {
			count(theirs[0])
			theirs = theirs[1:]
		}
		if len(theirs) > 0 && theirs[0].Name == f.Name {
			same := theirs[0] == f
			theirs = theirs[1:]
			if same {
				continue
			}
		}
		count(f)
	}
	for _, f := range theirs {
		count(f)
	}
	return bytes
}

// Problems lists what is wrong with files and directories, by name.
func (c *Catalog) Problems() (all []memory.Problem) {
	for _, d := range c.Dirs {
		all = append(all, d.Problems...)
	}
	for _, f := range c.Files {
		all = append(all, f.Problems...)
	}
	slices.SortStableFunc(all, func(a, b memory.Problem) int { return cmp.Compare(a.File, b.File) })
	return all
}

// Arrays are the arrays for memories, each as file#pointer.
func (c *Catalog) Arrays() map[string]bool {
	all := map[string]bool{}
	for _, f := range c.Files {
		for _, array := range f.Arrays {
			all[f.Name+"#"+array] = true
		}
	}
	return all
}

// Teams are those of agents, by the agents' names in lower case.
func (c *Catalog) Teams() map[string]string {
	all := map[string]string{}
	for _, f := range c.Files {
		if f.Team != "" {
			agent, _ := agentOf(f.Name)
			all[agent] = f.Team
		}
	}
	return all
}

// ScopeDirs lists the directories of scopes, by name.
func (c *Catalog) ScopeDirs() (names []string) {
	for _, d := range c.Dirs {
		if strings.Count(d.Name, "/") == 1 && memory.ScopeDir(d.Name+"/x") == d.Name {
			names = append(names, d.Name)
		}
	}
	return names
}

// Names lists the files.
func (c *Catalog) Names() []string {
	names := make([]string, len(c.Files))
	for i, f := range c.Files {
		names[i] = f.Name
	}
	return names
}

// parent is the directory of a name, "" for that of the workspace.
func parent(name string) string {
	if i := strings.LastIndexByte(name, '/'); i >= 0 {
		return name[:i]
	}
	return ""
}

// join is the name of something in a directory.
func join(dir, name string) string {
	if dir == "" {
		return name
	}
	return dir + "/" + name
}

// Readable reports whether a scan would come to a name.
func Readable(name string) bool {
	if top, _, _ := strings.Cut(name, "/"); top == memory.OpsDir || top == memory.SchemasDir {
		return false
	}
	return validPath(name) && strings.Count(name, "/") <= MaxDepth && name[0] != '.' && !strings.Contains(name, "/.")
}
