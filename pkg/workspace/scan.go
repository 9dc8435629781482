package workspace

import (
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/memoryd/memoryd/pkg/internal/durable"
)

// scanner walks a workspace, or a directory of it, once, and reads the files.
type scanner struct {
	finds
	root     durable.FS
	folders  []folder     // that the walk came to, each before those in it
	relist   bool         // whatever is known of their names
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

	id      *scanID
	tables  *tables        // of what is read
	fresh   *image         // what was read; nil for nothing
	ordered [2]*roster     // live ones and archived ones
	changed bool           // what is known is not all of it, or not all is there still
	placed  func() *placed // where rows are since
}

// scanID tells scans apart, and holds on to none: an image outlives the scan that it comes from.
type scanID struct{ _ byte }

// part is what became of a batch.
type part struct {
	batch
	finds
	sheet                  // of the files that were read, until they are collated
	fresh     int          // how many these are
	firstFile int          // the first of them among all that were read
	misled    bool         // what was known to be a file by the names of its directory was none
	spared    []spared     // those among these of which something is familiar
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
		n := p.count()
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
