package memory

import (
	"path"
	"strconv"
	"sync"
)

// NewFiles names the files that the actions of one plan create: no name twice, and none that a file of the
// workspace has. Case is ignored, since some file systems do.
type NewFiles struct {
	snap     *Snapshot
	promised map[string]bool
}

// NewFiles begins to name the files of a plan.
func (s *Snapshot) NewFiles() *NewFiles { return &NewFiles{s, map[string]bool{}} }

// Name names a file in dir for a memory: its id, with a number behind it while that is taken.
func (f *NewFiles) Name(dir, id string) string {
	stem := path.Join(dir, FileName(id))
	name := stem + ".json"
	for n := 2; f.Taken(name); n++ {
		name = stem + "-" + strconv.Itoa(n) + ".json"
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
	return Op{Kind: Move, ID: m.ID, Ref: m.Ref, Base: m.Digest(), Raw: raw, To: Ref{File: f.Name(ArchiveDir, m.ID)}}
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
