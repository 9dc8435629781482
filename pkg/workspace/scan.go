package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/memoryd/memoryd/pkg/internal/durable"
	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
)

const (
	maxDirDepth = 64  // how deep directories are followed
	batchSize   = 128 // files of a directory that are read in one go
)

// scanner walks a workspace, or a directory of it, once; then it reads the files.
type scanner struct {
	finds
	root     durable.FS
	batches  []batch
	total    int
	teamDirs []string
	agents   []string
	known    known // what files held when they were last read
	learn    bool  // whether to collect learned
	racy     time.Duration
}

// batch is some files of one directory.
type batch struct {
	dir   string
	names []string
}

// finds are what files hold.
type finds struct {
	live     []*Memory
	archived []*Memory
	indexes  []*Index
	problems []Problem
	teams    map[string]string // agent -> team
	files    []string
	arrays   []string
	moving   bool // something was being written while it was read
	learned  known
}

// newScanner returns a scanner that has seen nothing.
func newScanner(root durable.FS) *scanner { return &scanner{root: root} }

// read reads the files that the walk has found, several at a time. What is in them
// is in the order of the walk, however many read. An error is that of progress.
func (sc *scanner) read(parallel int, progress func(done, total int) error) error {
	parts := make([]finds, len(sc.batches))
	var mu sync.Mutex
	var stopped error
	done := 0
	tell := func(n int) bool {
		mu.Lock()
		defer mu.Unlock()
		done += n
		if progress != nil && stopped == nil {
			stopped = progress(done, sc.total)
		}
		return stopped == nil
	}
	var group sync.WaitGroup
	next := make(chan int)
	for range min(parallel, len(sc.batches)) {
		group.Go(func() {
			on := true
			for i := range next {
				if on = on && tell(0); on {
					if sc.learn {
						parts[i].learned = make(known, len(sc.batches[i].names))
					}
					parts[i].read(sc, sc.batches[i])
					on = tell(len(sc.batches[i].names))
				}
			}
		})
	}
	for i := range sc.batches {
		next <- i
	}
	close(next)
	group.Wait()
	if sc.learn {
		sc.learned = make(known, sc.total)
	}
	for i := range parts {
		sc.add(&parts[i])
	}
	slices.SortStableFunc(sc.problems, func(a, b Problem) int { return strings.Compare(a.File, b.File) })
	return stopped
}

func (f *finds) add(more *finds) {
	f.live, f.archived = append(f.live, more.live...), append(f.archived, more.archived...)
	f.indexes, f.problems = append(f.indexes, more.indexes...), append(f.problems, more.problems...)
	f.files, f.arrays = append(f.files, more.files...), append(f.arrays, more.arrays...)
	f.moving = f.moving || more.moving
	maps.Copy(f.learned, more.learned)
	for agent, team := range more.teams {
		f.team(agent, team)
	}
}

func (f *finds) team(agent, team string) {
	if f.teams == nil {
		f.teams = map[string]string{}
	}
	f.teams[agent] = team
}

func (sc *scanner) dir(dir string, depth int) {
	if depth > maxDirDepth {
		sc.problem(dir, "warning", fmt.Sprintf("more than %d directories deep: not read", maxDirDepth), "")
		return
	}
	entries, err := sc.root.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return // gone since its parent was read
	}
	if err != nil {
		sc.problem(dir, "error", "cannot read directory: "+cause(err), "check its permissions")
		sc.problems[len(sc.problems)-1].unread = true
	}
	sc.entries(dir, entries, depth)
}

func (sc *scanner) entries(dir string, entries []durable.Entry, depth int) {
	var names []string
	for _, e := range entries {
		name := path.Join(dir, e.Name)
		if strings.HasPrefix(e.Name, ".") {
			continue
		}
		switch {
		case e.Kind == durable.Link:
			if strings.HasSuffix(e.Name, ".json") || path.Ext(e.Name) == "" /* a directory, by its name */ {
				sc.problem(name, "warning", "symbolic link: not followed, so what it points to is not read", "put the file or directory itself here")
			}
		case e.Kind == durable.Dir:
			if name == OpsDir || name == SchemasDir {
				continue
			}
			switch dir {
			case "teams":
				sc.teamDirs = append(sc.teamDirs, e.Name)
			case "agents":
				sc.agents = append(sc.agents, e.Name)
			}
			sc.dir(name, depth+1)
		case !strings.HasSuffix(e.Name, ".json"):
		case e.Kind != durable.Regular:
			sc.problem(name, "warning", "not a regular file: not read", "")
		default:
			names = append(names, e.Name)
		}
	}
	sc.total += len(names)
	for some := range slices.Chunk(names, batchSize) {
		sc.batches = append(sc.batches, batch{dir, some})
	}
}

// read reads a batch of files, but for those that hold what is known.
func (f *finds) read(sc *scanner, b batch) {
	settled := time.Now().Add(-sc.racy)
	err := sc.root.ReadFiles(path.Clean(b.dir), b.names, jsonedit.MaxSize, f.reuse(b, sc.known), func(i int, data []byte, info durable.Info, err error) {
		name := path.Join(b.dir, b.names[i])
		if f.learned == nil {
			f.file(name, data, info, err)
			return
		}
		var one finds
		if one.file(name, data, info, err) {
			f.learned.note(name, settled, info, &one)
		}
		f.add(&one)
	})
	if err != nil { // the directory went, or was closed, since it was listed
		for _, name := range b.names {
			f.file(path.Join(b.dir, name), nil, durable.Info{}, err)
		}
	}
}

// file takes in what was read of a file. One that can't be read, or holds no JSON,
// becomes a problem. It reports whether what it found is all that the bytes tell, and
// will be the same whenever they are read: an index is not, being filled in later.
func (f *finds) file(name string, data []byte, info durable.Info, err error) bool {
	f.files = append(f.files, name)
	if errors.Is(err, fs.ErrNotExist) { // gone since the directory was read
		f.moving = true
		return false
	}
	if err != nil {
		f.problem(name, "error", "cannot read: "+cause(err), "check its permissions and size")
		f.problems[len(f.problems)-1].unread = !errors.Is(err, durable.ErrLink) && !errors.Is(err, durable.ErrTooLarge)
		return false
	}
	if path.Base(name) == IndexFile {
		idx, err := parseIndex(name, data)
		if err != nil {
			f.broken(info)
			f.problem(name, "error", "not valid JSON: "+err.Error(), "mend it, or move it away and run \"memory reindex\"")
			return false
		}
		f.indexes = append(f.indexes, idx)
		return false
	}
	records, arrays, err := readFile(name, data)
	if err != nil {
		f.broken(info)
		f.problem(name, "error", "not valid JSON: "+err.Error(), "mend it in an editor; memoryd reads and writes it again once it parses")
		return false
	}
	if len(records) == 0 && len(arrays) == 0 && lacksID(name, data) {
		f.problem(name, "warning", "looks like a memory but has no id, so it is not read as one", "give it an id, a non-empty string")
	}
	for _, p := range arrays {
		f.arrays = append(f.arrays, name+"#"+p)
	}
	if path.Base(name) == ProfileFile && strings.HasPrefix(name, "agents/") {
		start, end := jsonedit.Span(data)
		if team := parse(data[start:end]).Get("team"); team.Str != "" {
			f.team(strings.ToLower(path.Base(path.Dir(name))), strings.Clone(team.Str))
		}
	}
	if strings.HasPrefix(name, ArchiveDir+"/") {
		for _, m := range records {
			m.Archived = true
		}
		f.archived = append(f.archived, records...)
		return true
	}
	f.live = append(f.live, records...)
	return true
}

// broken notes a file that doesn't parse: one written just now may be half saved.
func (f *finds) broken(info durable.Info) {
	if time.Since(info.ModTime).Abs() < halfSaved {
		f.moving = true
	}
}

func (f *finds) problem(file, severity, message, hint string) {
	f.problems = append(f.problems, Problem{File: file, Severity: severity, Message: message, Hint: hint})
}
