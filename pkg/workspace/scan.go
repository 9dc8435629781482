package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/memoryd/memoryd/pkg/internal/durable"
)

const (
	maxDirDepth = 64  // how deep directories are followed
	batchSize   = 128 // files of a directory that are read in one go
)

// scanner walks a workspace, or a directory of it, once, and reads the files.
type scanner struct {
	finds
	root     durable.FS
	batches  []batch
	total    int         // files found
	found    func(*part) // takes what the walk has found; nil where nobody reads
	teamDirs []string
	agents   []string
	know     func()    // sets known: who reads files waits for it
	known    *image    // what files held when they were last read; nil when nobody knows
	kept     []bool    // by the rows of known: what is there still
	places   []int32   // of these in their order, live ones first; -1 for what is gone; nil: all are where they were
	learn    bool      // whether to collect parts, for the next image
	parts    []*part   // by batch
	settled  time.Time // what changed later may change again unnoticed
	room     *room     // for the bytes of what is read
	derive   func(*Memory) []byte
	ordered  [2]*roster // live ones and archived ones, as gathered
	cached   bool       // known was the cache
	findings []byte     // that were kept with known
}

// batch is some files of one directory.
type batch struct {
	dir   string
	names []string
}

// part is what became of a batch.
type part struct {
	batch
	finds
	learned
}

// finds are what files hold.
type finds struct {
	live     []*Memory // but for those that are kept
	archived []*Memory
	indexes  []*Index
	problems []Problem
	teams    map[string]string // agent -> team
	files    []string
	arrays   []string
	moving   bool // something was being written while it was read
}

// learned is what a batch tells the next image.
type learned struct {
	order []int32 // rows of files in the image that are unchanged, or ^ places in fresh
	fresh []learnedFile
}

// freshFile is a file that was read, and will hold the same whenever it is read
// unchanged.
type freshFile struct {
	path     string // "" for one that can't be kept
	memories []*Memory
	rest     *otherwise // never nil where there is a path
}

// learnedFile is such a file, as it is kept for the next image: there are as many as files.
type learnedFile struct {
	identity identity
	first    *Memory // nil for none
	count    int32
	rest     *otherwise
}

func (l *learnedFile) path() string {
	if l.first != nil {
		return l.first.File
	}
	return l.rest.path
}

// otherwise is what a file holds besides memories.
type otherwise struct {
	kind   uint32 // see lacksIDs
	arrays string // joined by zero bytes
	team   string // that an agent's profile names
	path   string // of a file that holds no memory
}

var nothing otherwise

// newScanner returns a scanner that has seen nothing.
func newScanner(root durable.FS, room *room) *scanner {
	return &scanner{root: root, room: room, know: func() {}}
}

// parser returns one that may read files into the same bytes, one after the other.
func (sc *scanner) parser() *recordParser {
	return &recordParser{keeper: &keeper{root: sc.root, room: sc.room, derive: sc.derive}}
}

// slowFile is what reading a file takes when the disk is waited for, and more readers help.
// Where nobody waits, more than there are cores only get into each other's way.
const slowFile = 50 * time.Microsecond

// maxAhead is how many batches the walk may be ahead of the reading.
const maxAhead = 4096

// read walks, and meanwhile reads the files that the walk has found, several at a time;
// where parallel is 1, the walk reads them itself: the same steps each time. What is in
// them is in the order of the walk, however many read. An error is that of progress, or
// [flatfile.ErrDamaged] where what is known can't be read.
func (sc *scanner) read(walk func(), parallel int, progress func(done, total int) error) error {
	var mu sync.Mutex
	var stopped error
	done, walked := 0, false
	tell := func(n int, err error) bool {
		mu.Lock()
		defer mu.Unlock()
		done += n
		if stopped == nil {
			stopped = err
		}
		if progress != nil && stopped == nil && walked { // before, nobody knows how many there are
			stopped = progress(done, sc.total)
		}
		return stopped == nil
	}
	var group sync.WaitGroup
	var readers atomic.Int32
	reading := make(chan *part, maxAhead)
	more := func() {}
	one := func(p *part, by *recordParser) {
		if !tell(0, nil) {
			return
		}
		sc.know()
		started := time.Now()
		err := p.read(sc, by)
		if time.Since(started) > slowFile*time.Duration(len(p.names)) {
			more()
		}
		tell(len(p.names), err)
	}
	alone := sc.parser()
	sc.found = func(p *part) { one(p, alone) }
	if parallel > 1 {
		group.Go(sc.know)
		more = func() {
			if readers.Add(1) <= int32(parallel) {
				group.Go(func() {
					by := sc.parser()
					for p := range reading {
						one(p, by)
					}
				})
			}
		}
		for range min(parallel, runtime.GOMAXPROCS(0)) {
			more()
		}
		sc.found = func(p *part) { reading <- p }
	}
	walk()
	close(reading)
	sc.know() // where there is no file, too
	mu.Lock()
	walked = true
	mu.Unlock()
	tell(0, nil)
	group.Wait()
	sc.gather()
	return stopped
}

// gather puts what the parts have found together.
func (sc *scanner) gather() {
	var n finds
	live, archived, files := 0, 0, 0
	for _, p := range sc.parts {
		live, archived, files = live+len(p.live), archived+len(p.archived), files+len(p.files)
	}
	n.live, n.archived, n.files = make([]*Memory, 0, live), make([]*Memory, 0, archived), make([]string, 0, files)
	n.problems = sc.problems
	sc.finds = n
	sc.batches = nil // nobody asks for the names any more
	for _, p := range sc.parts {
		sc.add(&p.finds)
		p.finds, p.names = finds{}, nil
	}
	slices.SortStableFunc(sc.problems, func(a, b Problem) int { return strings.Compare(a.File, b.File) })
}

func (f *finds) add(more *finds) {
	f.live, f.archived = append(f.live, more.live...), append(f.archived, more.archived...)
	f.indexes, f.problems = append(f.indexes, more.indexes...), append(f.problems, more.problems...)
	f.files, f.arrays = append(f.files, more.files...), append(f.arrays, more.arrays...)
	f.moving = f.moving || more.moving
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
	names := make([]string, 0, len(entries))
	for _, e := range entries {
		if strings.HasPrefix(e.Name, ".") {
			continue
		}
		if e.Kind == durable.Regular && strings.HasSuffix(e.Name, ".json") { // as most are
			names = append(names, e.Name)
			continue
		}
		name := path.Join(dir, e.Name)
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
		case e.Kind != durable.Regular && strings.HasSuffix(e.Name, ".json"):
			sc.problem(name, "warning", "not a regular file: not read", "")
		}
	}
	sc.total += len(names)
	for some := range slices.Chunk(names, batchSize) {
		b := batch{dir, some}
		sc.batches = append(sc.batches, b)
		if sc.found != nil {
			p := &part{batch: b}
			sc.parts = append(sc.parts, p)
			sc.found(p)
		}
	}
}
