package workspace

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/memoryd/memoryd/pkg/edgefile"
	"github.com/memoryd/memoryd/pkg/internal/durable"
	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/workspace/internal/catalog"
	"github.com/memoryd/memoryd/pkg/workspace/internal/journal"
	"github.com/memoryd/memoryd/pkg/workspace/ops"
)

// A reader takes no lock. What it meets in the middle of being written settles
// within moments: an editor's save in place, a run that moves a memory from a
// directory that was not read yet to one that was.
const (
	loadTries = 3
	loadPause = 50 * time.Millisecond
)

// racy is the usual [FileStore].Racy (the rule of git for its index, with the granularity of
// FAT).
const racy = 2 * time.Second

// Deriver makes of a memory's bytes what is kept with it.
type Deriver struct {
	Version string // changes whenever Of would make something else
	// Of appends it. It keeps nothing of the memory's bytes.
	Of func(to []byte, m *memory.Memory) []byte
}

// Load implements [Store]. A file that doesn't parse and is only just being
// written, or that vanishes, and a run that is applied meanwhile make it read
// again, for 100 ms at most; after that it returns what it found.
func (s *FileStore) Load(at time.Time) (*memory.Snapshot, error) { return s.loadAnew(at, nil) }

// loadAnew is Load that reads every file; each, if not nil, is given every memory while its
// bytes are at hand.
func (s *FileStore) loadAnew(at time.Time, each func(*memory.Memory)) (*memory.Snapshot, error) {
	for try := 1; ; try++ {
		before, _ := s.runState()
		snap, settled, err := s.load(at, each)
		if err != nil {
			return nil, err
		}
		after, open := s.runState()
		if settled && !open && before == after || try == loadTries {
			return snap, nil
		}
		time.Sleep(loadPause)
	}
}

// runState tells which runs have records, and whether one of them isn't finished.
// Where that can't be read, load says so.
func (s *FileStore) runState() (names string, open bool) {
	all, _, err := journal.Runs(s.root)
	if err != nil {
		return "", false
	}
	left, err := journal.Unfinished(s.root, all, &s.ended)
	return strings.Join(all, "/"), err == nil && len(left) > 0
}

// disk is how files are read.
func (s *FileStore) disk() catalog.Disk {
	return catalog.Disk{
		Note: s.notes.reader(), Root: s.root, Racy: s.Racy, Distrust: s.network != "", Readers: s.parallel, Progress: s.Progress,
		Each: func(m *memory.Memory) {
			if s.Derive.Of != nil {
				m.Derive(s.Derive.Of)
			}
		},
	}
}

// load reads the whole workspace. One unreadable file never stops it: it becomes
// a problem. Only an unreadable root is an error, or that no more files can be opened,
// which tells nothing about the files. Not settled is what may look different in a moment.
func (s *FileStore) load(at time.Time, each func(*memory.Memory)) (_ *memory.Snapshot, settled bool, err error) {
	root := &reads{FS: s.root}
	told := beside(s, func() logged { return readHistory(root) })
	queue := beside(s, func() flagged { return readReview(root) })
	disk := s.disk()
	disk.Root = root
	if each != nil {
		derive := disk.Each
		disk.Each = func(m *memory.Memory) {
			each(m)
			derive(m)
		}
	}
	var known *catalog.Catalog
	changed := int64(0)
	if last := s.last.Load(); each != nil {
	} else if s.Reuse && last != nil {
		known, changed = last.files, last.changed
	} else {
		known = savedCatalog(s)
	}
	files, err := disk.Scan(known)
	history, asked := told(), queue() // in any case: nobody reads on behind the caller's back
	if err != nil {
		return nil, false, err
	}
	snap := s.snapshot(root, at, files, history, asked)
	if err := root.err(); err != nil {
		return nil, false, err
	}
	remember(s, snap, files, known, changed)
	return snap, !files.Moving, nil
}

// snapshot puts together what the files and the documents in ops/ tell.
func (s *FileStore) snapshot(root durable.FS, at time.Time, files *catalog.Catalog, history logged, asked flagged) *memory.Snapshot {
	access, accessErr := ops.ReadUses(root, ops.AccessFile)
	given, givenErr := ops.ReadUses(root, ops.GivenFile)
	live, archived, copies := files.Memories()
	var indexes []*memory.Index
	for _, f := range files.Files {
		if f.Kind == catalog.Index || f.Kind == catalog.ForeignIndex {
			indexes = append(indexes, memory.NewIndex(f.Name, f.Kind == catalog.ForeignIndex, s.readLater(f.Name)))
		}
	}
	live, archived = visibleTo(s, live, archived, indexes)
	theirs, theirErr := ops.OthersReads(root)
	for _, list := range [][]*memory.Memory{live, archived} {
		if len(access.ByID)+len(theirs) == 0 {
			break
		}
		for i, m := range list {
			r, ok := access.ByID[m.ID]
			if other, read := theirs[m.ID]; ok || read {
				list[i] = m.WithReads(r.Plus(other))
			}
		}
	}
	edges := sync.OnceValue(func() []edgefile.Edge { return s.readEdges(files.Names()) })
	snap := memory.NewSnapshot(at, live, archived, s.settling(files.Names())...)
	snap.Copies = copies
	snap.Files, snap.Arrays, snap.Teams = files.Names(), files.Arrays(), files.Teams()
	snap.Dirs = files.ScopeDirs()
	snap.SetIndexes(indexes)
	snap.Edges = edges
	snap.AccessLog, snap.Reads = access.Doc, access.ByID
	snap.Given = given.ByID
	snap.LogHash, snap.LastRun, snap.LatestRun, snap.Deferred = history.LogHash, history.LastRun, history.LatestRun, history.Deferred
	snap.Restored, snap.Undone = history.Restored, history.Undone
	if history.bare {
		snap.Opened = opened(snap, history.first)
	}
	snap.Seen = sync.OnceValue(func() map[string]string { return ops.ReadSeen(s.root) })
	snap.Problems = files.Problems()
	problem := func(file, severity, message, hint string) {
		snap.Problems = append(snap.Problems, memory.Problem{File: file, Severity: severity, Message: message, Hint: hint})
	}
	var err error
	if snap.Review, err = asked.queue, asked.err; err != nil {
		problem(memory.ReviewFile, memory.Error, err.Error(), "mend or move the file; until then no pair is flagged twice or forgotten, but none is shown")
		snap.Review = &memory.ReviewQueue{Broken: true}
	}
	var open []string
	runs, _, err := journal.Runs(root)
	if err == nil {
		open, err = journal.Unfinished(root, runs, &s.ended)
	}
	if err != nil {
		problem(journal.RunsDir, memory.Error, "cannot read: "+durable.Cause(err), "check its permissions")
	}
	for _, name := range open {
		snap.Problems = append(snap.Problems, memory.Problem{
			File: journal.RunsDir + "/" + name, Severity: memory.Error, Interrupted: true,
			Message: "this run was interrupted, or another process is applying it now: what you see may be half of it",
			Hint:    "if no other memoryd is running, \"memory check --fix\" finishes it, as any command that writes does first",
		})
	}
	for _, f := range []struct {
		name string
		err  error
	}{{ops.AccessFile, accessErr}, {ops.GivenFile, givenErr}, {ops.AccessDir, theirErr}} {
		if f.err != nil {
			problem(f.name, memory.Warning, "cannot read: "+durable.Cause(f.err), "until it can be, the uses noted in it don't count, and no memory is archived as unused")
			snap.UsesUnknown = f.name + " can't be read"
		}
	}
	if s.notes != nil {
		snap.Folder = s.notes.about(snap)
	}
	narrow(s, snap)
	return snap
}

// readEdges reads the judged edges in files. Of a file that can't be read a check tells; until it is fixed it holds none.
func (s *FileStore) readEdges(files []string) (all []edgefile.Edge) {
	for _, name := range files {
		if path.Base(name) != memory.EdgesFile {
			continue
		}
		edges, err := edgefile.Parse(s.readLater(name)())
		if err != nil {
			continue
		}
		for i := range edges {
			edges[i].File = name
		}
		all = append(all, edges...)
	}
	return all
}

// settling reads the edges by which a person says that one memory supersedes another. Most files of edges hold none, and are not parsed for it.
func (s *FileStore) settling(files []string) (links []edgefile.Edge) {
	for _, name := range files {
		if path.Base(name) != memory.EdgesFile {
			continue
		}
		doc := s.readLater(name)()
		if !bytes.Contains(doc, []byte(edgefile.Supersedes)) || !bytes.Contains(doc, []byte(edgefile.User)) {
			continue
		}
		edges, err := edgefile.Parse(doc)
		if err != nil {
			continue
		}
		for _, e := range edges {
			if e.Settles() && (s.Access == nil || s.Access.Read(memory.ScopeOf(name))) {
				links = append(links, e)
			}
		}
	}
	return links
}

// readLater reads a file when it is asked for; what is gone by then is empty.
func (s *FileStore) readLater(name string) func() []byte {
	return func() []byte {
		data, _, _ := s.root.Read(name, jsonedit.MaxSize)
		return data
	}
}

// beside begins to read something, beside what else is read, and returns who waits for it.
func beside[T any](s *FileStore, read func() T) func() T {
	once := sync.OnceValue(read)
	if s.parallel > 1 { // else the same steps each time
		go once()
	}
	return once
}

// flagged is the review queue, as far as it can be read.
type flagged struct {
	queue *memory.ReviewQueue
	err   error
}

func readReview(root durable.FS) flagged {
	pairs, decided, err := ops.ReadReview(root)
	return flagged{memory.NewReviewQueue(pairs, decided), err}
}

// reads is a disk from which a workspace is read. It notes when no more files can be opened: that tells nothing about
// the file that was asked for, so nothing may be concluded from what was read. Any other error stays that of its file.
type reads struct {
	durable.FS
	failed atomic.Pointer[error]
}

// err is that a file could not be opened because there were too many open ones, or no memory.
func (r *reads) err() error {
	if err := r.failed.Load(); err != nil {
		return *err
	}
	return nil
}

func (r *reads) note(name string, err error) {
	if err == nil || !durable.Exhausted(err) {
		return
	}
	if pe := (*fs.PathError)(nil); errors.As(err, &pe) {
		err = pe.Err
	}
	err = fmt.Errorf("read %s: %w", name, err)
	r.failed.CompareAndSwap(nil, &err)
}

// Read implements [disk.Disk].
func (r *reads) Read(name string, most int64) ([]byte, durable.Info, error) {
	data, info, err := r.FS.Read(name, most)
	r.note(name, err)
	return data, info, err
}

// ReadDir implements [disk.Disk].
func (r *reads) ReadDir(name string) ([]durable.Entry, error) {
	entries, err := r.FS.ReadDir(name)
	r.note(name, err)
	return entries, err
}

// ReadFiles implements [disk.Disk].
func (r *reads) ReadFiles(dir string, names []string, most int64, known func(int, durable.Info) bool, f func(int, []byte, durable.Info, error)) error {
	err := r.FS.ReadFiles(dir, names, most, known, func(i int, data []byte, info durable.Info, err error) {
		r.note(path.Join(dir, names[i]), err)
		f(i, data, info, err)
	})
	r.note(dir, err)
	return err
}
