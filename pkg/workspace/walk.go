package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/memoryd/memoryd/pkg/internal/durable"
)

const (
	maxDirDepth = 64 // how deep directories are followed

	// Files of a directory that are read in one go: no more than a small share of those that
	// were found before. Each may hold much, and nobody is to wait for the last of them.
	batchSize  = 128
	smallBatch = 8
	batchShare = 128
)

// folder is a directory that a walk has come to.
type folder struct {
	dir    string
	parent int32    // the folder that it lies in, by its number; of the first its own
	is     identity // before its names were read; the zero one where that doesn't tell them
	listed bool     // else its names were known
	files  []string // these, and those of directories, where the next look may want to know them
	below  []string
}

// batch is some files of one directory.
type batch struct {
	dir         string
	names       []string
	first, last int  // with no names: the rows of the known image that tell them
	known       bool // that these are the names was known, not read
}

func (b *batch) count() int {
	if b.names != nil {
		return len(b.names)
	}
	return b.last - b.first
}

// cut is a part of the batch.
func (b *batch) cut(from, to int) batch {
	some := *b
	if b.names != nil {
		some.names = b.names[from:to]
	} else {
		some.first, some.last = b.first+from, b.first+to
	}
	return some
}

// walk goes over the whole workspace. Its error is that the directory of the workspace can't
// be read. Directories that are what they were when their names were read last aren't read
// again: which files of them are what they were is asked of each nevertheless.
func (sc *scanner) walk() error {
	sc.know()
	var is durable.Info
	if sc.known != nil {
		is, _ = sc.root.Stat(".") // or reading it will tell
	}
	return sc.enter("", 0, 0, is)
}

// dir goes over a directory.
func (sc *scanner) dir(dir string, depth int) {
	if dir == "." {
		dir = ""
	}
	sc.told(dir, sc.enter(dir, depth, int32(len(sc.folders)), durable.Info{}))
}

// told makes a problem of a directory that can't be read.
func (sc *scanner) told(dir string, err error) {
	if err == nil || errors.Is(err, fs.ErrNotExist) { // gone since its parent was read
		return
	}
	sc.problem(dir, "error", "cannot read directory: "+cause(err), "check its permissions")
	sc.problems[len(sc.problems)-1].unread = true
}

// enter goes over a directory, whose description may be empty. It does so with what there is of it
// even when it can't read it whole.
func (sc *scanner) enter(dir string, depth int, parent int32, is durable.Info) error {
	own := int32(len(sc.folders))
	sc.folders = append(sc.folders, folder{dir: dir, parent: parent})
	if depth > maxDirDepth {
		sc.problem(dir, "warning", fmt.Sprintf("more than %d directories deep: not read", maxDirDepth), "")
		return nil
	}
	if known := sc.known.folder(dir, identityOf(is)); known != nil && !sc.relist {
		sc.folders[own].is = known.is
		sc.below(own, depth, known.below)
		sc.give(batch{dir: dir, names: known.files, first: int(known.first), last: int(known.last), known: true})
		return nil
	}
	entries, was, err := durable.List(sc.root, path.Clean(dir))
	names, below, odd := sc.sort(dir, entries)
	f := &sc.folders[own]
	if f.listed = true; err == nil && !odd && tellable(was, durable.Dir, sc.settled) {
		f.is = identityOf(was)
		if sc.known != nil {
			f.files, f.below = names, below
		}
	}
	sc.below(own, depth, below)
	sc.give(batch{dir: dir, names: names})
	return err
}

// sort tells of the names in a directory which files and which directories are to be read. Odd is
// one in which something else lies that people are told of.
func (sc *scanner) sort(dir string, entries []durable.Entry) (names, below []string, odd bool) {
	names = make([]string, 0, len(entries))
	told := func(name, message, hint string) {
		sc.problem(name, "warning", message, hint)
		odd = true
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name, ".") {
			continue
		}
		file := strings.HasSuffix(e.Name, ".json")
		if e.Kind == durable.Regular && file { // as most are
			names = append(names, e.Name)
			odd = odd || !utf8.ValidString(e.Name) // else it is no path, and can't be read
			continue
		}
		name := inDir(dir, e.Name)
		switch {
		case e.Kind == durable.Link:
			if file || path.Ext(e.Name) == "" /* a directory, by its name */ {
				told(name, "symbolic link: not followed, so what it points to is not read", "put the file or directory itself here")
			}
		case e.Kind == durable.Dir:
			if name != OpsDir && name != SchemasDir {
				below = append(below, e.Name)
				odd = odd || !fs.ValidPath(e.Name)
			}
		case e.Kind != durable.Regular && file:
			told(name, "not a regular file: not read", "")
		}
	}
	return names, below, odd
}

// below goes over the directories in one.
func (sc *scanner) below(own int32, depth int, names []string) {
	dir := sc.folders[own].dir
	switch dir {
	case "teams":
		sc.teamDirs = append(sc.teamDirs, names...)
	case "agents":
		sc.agents = append(sc.agents, names...)
	}
	are := make([]durable.Info, len(names))
	if sc.known != nil && len(names) > 0 {
		take := func(i int, is durable.Info) bool {
			are[i] = is
			return true
		}
		_ = sc.root.ReadFiles(path.Clean(dir), names, 0, take, func(int, []byte, durable.Info, error) {}) // what isn't described is listed, which tells why
	}
	for i, name := range names {
		name = inDir(dir, name)
		sc.told(name, sc.enter(name, depth+1, own, are[i]))
	}
}

// give gives the files of a directory to who reads, some at a time.
func (sc *scanner) give(b batch) {
	n := b.count()
	size := min(max(int(sc.total.Add(int64(n)))/batchShare, smallBatch), batchSize)
	for from := 0; from < n; from += size {
		some := b.cut(from, min(from+size, n))
		if sc.found == nil {
			sc.batches = append(sc.batches, some)
			continue
		}
		p := &part{batch: some}
		sc.parts = append(sc.parts, p)
		sc.found(p)
	}
}

// misled reports whether the names of directories that were known may not be theirs, though
// nothing else told so: whoever lost power on a file system without a journal may meet that.
func (sc *scanner) misled() bool {
	return slices.ContainsFunc(sc.parts, func(p *part) bool { return p.misled })
}
