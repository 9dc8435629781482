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
	maxDirDepth = 64 // how deep directories are followed

	// Files of a directory that are read in one go: no more than a small share of those that
	// were found before. Each may hold much, and nobody is to wait for the last of them.
	batchSize  = 128
	smallBatch = 8
	batchShare = 128
)

// scanner walks a workspace, or a directory of it, once, and reads the files.
type scanner struct {
	finds
	root     durable.FS
	batches  []batch      // that were found, where nobody reads
	total    atomic.Int64 // files found
	found    func(*part)  // takes what the walk has found; nil where nobody reads
	teamDirs []string
	agents   []string
	know     func()    // sets known: who reads files waits for it
	known    *image    // what files held when they were last read; nil when nobody knows
	kept     []bool    // by the rows of known: what is there still
	parts    []*part   // by batch
	settled  time.Time // what changed later may change again unnoticed
	room     *room     // for the bytes of what is read
	derive   func([]byte, *Memory) []byte
	cached   bool   // known was the cache
	findings []byte // that were kept with known

	id          *scanID
	tables      *tables    // of what is read
	fresh       *image     // what was read; nil for nothing
	ordered     [2]*roster // live ones and archived ones
	places      []int32    // of the rows of known among these, live ones first; -1 for what is gone; nil: all are where they were
	placesFresh []int32    // of the rows of fresh; nil: likewise
}

// scanID tells scans apart, and holds on to none: an image outlives the scan that it comes from.
type scanID struct{ _ byte }

// batch is some files of one directory.
type batch struct {
	dir   string
	names []string
}

// part is what became of a batch.
type part struct {
	batch
	finds
	sheet                  // of the files that were read, until they are collated
	fresh     int          // how many these are
	firstFile int          // the first of them among all that were read
	renewed   []renewal    // indexes among these
	spans     atomic.Int32 // of them that are not collated yet
	moved     moved
	order     []int32 // rows of files in the image that are unchanged, or ^ places of those that were read; nil: all were
}

// archived reports whether what is in it is.
func (p *part) archived() bool {
	return p.dir == ArchiveDir || strings.HasPrefix(p.dir, ArchiveDir+"/")
}

// finds are what files hold besides memories.
type finds struct {
	indexes  []*Index
	problems []Problem
	teams    map[string]string // agent -> team
	arrays   []string
	moving   bool // something was being written while it was read
}

// newScanner returns a scanner that has seen nothing.
func newScanner(root durable.FS, room *room) *scanner {
	return &scanner{root: root, room: room, tables: newTables(), id: new(scanID), know: func() {}}
}

// slowFile is what reading a file takes when the disk is waited for, and more readers help, and
// slowByte what each of its bytes takes besides. Where nobody waits, more readers than there are
// cores only get into each other's way.
const (
	slowFile = 50 * time.Microsecond
	slowByte = 5 * time.Nanosecond
)

// slowBatches is how many batches have to be slow one after the other: any may be, when
// something else wants the core.
const slowBatches = 3

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
			stopped = progress(done, int(sc.total.Load()))
		}
		return stopped == nil
	}
	var group sync.WaitGroup
	var readers atomic.Int32
	reading := make(chan *part, maxAhead)
	more := func() {}
	one := func(p *part, by *recorder) {
		if !tell(0, nil) {
			return
		}
		sc.know()
		started, before := time.Now(), by.bytes
		err := p.read(sc, by)
		n := len(p.names)
		p.names = nil // nobody asks for them any more
		if by.slow++; time.Since(started) <= slowFile*time.Duration(n)+slowByte*time.Duration(by.bytes-before) {
			by.slow = 0
		} else if by.slow == slowBatches {
			by.slow = 0
			more()
		}
		tell(n, err)
	}
	recorder := func() *recorder { return newRecorder(sc) }
	alone := recorder()
	sc.found = func(p *part) { one(p, alone) }
	if parallel > 1 {
		group.Go(sc.know)
		more = func() {
			if readers.Add(1) <= int32(parallel) {
				group.Go(func() {
					by := recorder()
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
	for _, p := range sc.parts {
		sc.add(&p.finds)
		p.finds = finds{}
	}
	slices.SortStableFunc(sc.problems, func(a, b Problem) int { return strings.Compare(a.File, b.File) })
}

func (f *finds) add(more *finds) {
	f.indexes, f.problems = append(f.indexes, more.indexes...), append(f.problems, more.problems...)
	f.arrays = append(f.arrays, more.arrays...)
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
	size := min(max(int(sc.total.Add(int64(len(names))))/batchShare, smallBatch), batchSize)
	for some := range slices.Chunk(names, size) {
		b := batch{dir, some}
		if sc.found == nil {
			sc.batches = append(sc.batches, b)
			continue
		}
		p := &part{batch: b}
		sc.parts = append(sc.parts, p)
		sc.found(p)
	}
}
