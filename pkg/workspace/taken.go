package workspace

import (
	"strings"
	"sync"
)

// taken finds the names of files, directory by directory: new files go into few.
type taken struct {
	dirs sync.Map // folded name of a directory -> func() *names

	// Of a snapshot that was made by Reload: the names of the loaded one, and the files that came
	// since by their folded names. What went since stays taken, and is gone until it comes
	// back.
	of   *Snapshot
	came map[string]string
	gone map[string]bool
}

// files gives the names of those that stand in the workspace of a snapshot that was made by
// Reload.
func (t *taken) files(yield func(string) bool) {
	for file := range t.of.files {
		if !t.gone[file] && !yield(file) {
			return
		}
	}
	for _, file := range t.came {
		if !t.gone[file] && !yield(file) {
			return
		}
	}
}

// has reports whether a file of that name, in any case, stands in the workspace.
func (t *taken) has(s *Snapshot, file string) bool {
	_, ok := t.name(s, file)
	return ok
}

// name is how a file of that name, in any case, is written.
func (t *taken) name(s *Snapshot, file string) (name string, ok bool) {
	if t.of != nil {
		if name, ok := t.came[fold(file)]; ok {
			return name, true
		}
		return t.of.taken.name(t.of, file)
	}
	dir := fold(dirOf(file))
	in, ok := t.dirs.Load(dir)
	if !ok {
		in, _ = t.dirs.LoadOrStore(dir, sync.OnceValue(func() *names { return s.namesIn(dir) }))
	}
	names := in.(func() *names)()
	if i := names.first(file); i >= 0 {
		return names.at(i), true
	}
	return "", false
}

// namesIn lists the files of a directory.
func (s *Snapshot) namesIn(dir string) *names {
	var in []string
	same := func(d string) bool {
		return len(d) == len(dir) && sameFolded(d, dir) || !isASCII(d) && fold(d) == dir
	}
	add := func(file string) {
		if same(dirOf(file)) {
			in = append(in, file)
		}
	}
	if s.scan != nil {
		s.scan.filesIn(same, func(file string) bool { in = append(in, file); return true })
	} else {
		for file := range s.files {
			add(file)
		}
	}
	if s.bare == nil { // else these are in files
		for _, l := range s.named {
			for _, m := range l.all() {
				add(m.File)
			}
		}
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
