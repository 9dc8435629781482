package workspace

import (
	"strings"
	"sync"
)

// taken finds the names of files, directory by directory: new files go into few.
type taken struct {
	dirs sync.Map // folded name of a directory -> func() *names
}

// has reports whether a file of that name, in any case, stands in the workspace.
func (t *taken) has(s *Snapshot, file string) bool {
	dir := fold(dirOf(file))
	in, ok := t.dirs.Load(dir)
	if !ok {
		in, _ = t.dirs.LoadOrStore(dir, sync.OnceValue(func() *names { return s.namesIn(dir) }))
	}
	return in.(func() *names)().first(file) >= 0
}

// namesIn lists the files of a directory.
func (s *Snapshot) namesIn(dir string) *names {
	var in []string
	add := func(file string) {
		if d := dirOf(file); len(d) == len(dir) && sameFolded(d, dir) || !isASCII(d) && fold(d) == dir {
			in = append(in, file)
		}
	}
	for _, file := range s.files {
		add(file)
	}
	for _, m := range s.all {
		add(m.File)
	}
	return newNames(len(in), func(i int) string { return in[i] }, hashFolded, sameFolded)
}

// dirOf is the directory of a file, "" for the workspace itself.
func dirOf(file string) string { return file[:strings.LastIndexByte(file, '/')+1] }

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}
