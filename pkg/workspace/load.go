package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/memoryd/memoryd/pkg/internal/durable"
	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
	"github.com/memoryd/memoryd/pkg/oplog"
)

// maxDirDepth bounds how deep directories are followed.
const maxDirDepth = 64

// A reader takes no lock. What it meets in the middle of being written settles
// within moments: an editor's save in place, a run that moves a memory from a
// directory that was not read yet to one that was.
const (
	loadTries = 3
	loadPause = 50 * time.Millisecond
	halfSaved = 2 * time.Second // a file this young may be
)

// Load implements [Store]. A file that doesn't parse and is only just being
// written, or that vanishes, and a run that is applied meanwhile make it read
// again, for 100 ms at most; after that it tells what it found.
func (s *FileStore) Load(at time.Time) (*Snapshot, error) {
	for try := 1; ; try++ {
		before, _ := runState(s.root)
		snap, settled, err := load(s.root, at)
		if err != nil {
			return nil, err
		}
		after, open := runState(s.root)
		if settled && !open && before == after || try == loadTries {
			return snap, nil
		}
		time.Sleep(loadPause)
	}
}

// runState tells which runs have records, and whether one of them isn't finished.
// Where that can't be read, load says so.
func runState(root durable.FS) (names string, open bool) {
	all, _, err := runNames(root)
	if err != nil {
		return "", false
	}
	left, err := unfinished(root)
	return strings.Join(all, "/"), err == nil && len(left) > 0
}

// loader walks a workspace once and collects what it finds.
type loader struct {
	root     durable.FS
	live     []*Memory
	archived []*Memory
	indexes  []*Index
	problems []Problem
	teams    map[string]string
	teamDirs []string
	agents   []string
	files    []string
	arrays   []string
	moving   bool // something was being written while it was read
}

// load reads the whole workspace. One unreadable file never stops it: it becomes
// a problem. Only an unreadable root is an error. Not settled is what may look
// different in a moment.
func load(root durable.FS, at time.Time) (_ *Snapshot, settled bool, err error) {
	l := &loader{root: root, teams: map[string]string{}}
	entries, err := root.ReadDir(".")
	if err != nil {
		return nil, false, fmt.Errorf("read workspace: %w", err)
	}
	l.entries("", entries, 0)
	sortMemories(l.live)
	sortMemories(l.archived)
	s := NewSnapshot(at, l.live, l.archived)
	s.Indexes, s.Problems, s.Teams, s.TeamDirs, s.Agents = l.indexes, l.problems, l.teams, l.teamDirs, l.agents
	for _, name := range l.files {
		s.files[fold(name)] = true
	}
	for _, a := range l.arrays {
		s.arrays[a] = true
	}
	assignIndexes(s)
	if s.Review, err = loadReview(root); err != nil {
		s.Problems = append(s.Problems, Problem{File: ReviewFile, Severity: "error", Message: err.Error(), Hint: "mend or move the file; until then no pair is flagged twice or forgotten, but none is shown"})
		s.Review = &ReviewQueue{broken: true}
	}
	open, err := unfinished(root)
	if err != nil {
		s.Problems = append(s.Problems, Problem{File: RunsDir, Severity: Error, Message: "cannot read: " + cause(err), Hint: "check its permissions"})
	}
	for _, name := range open {
		s.Problems = append(s.Problems, Problem{
			File: RunsDir + "/" + name, Severity: Error, Message: "this run is being applied or was interrupted: what you see may be half of it",
			Hint: "any command that writes finishes it first, \"memory reindex\" say",
		})
	}
	s.seen = loadSeen(root)
	access, err := readAccess(root)
	if err != nil {
		s.Problems = append(s.Problems, Problem{File: AccessFile, Severity: Warning, Message: "cannot read: " + cause(err), Hint: "until it can be, the reads noted in it don't count"})
	}
	s.countReads(access)
	s.remember(root)
	return s, !l.moving, nil
}

func (l *loader) dir(dir string, depth int) {
	if depth > maxDirDepth {
		l.problem(dir, "warning", fmt.Sprintf("more than %d directories deep: not read", maxDirDepth), "")
		return
	}
	entries, err := l.root.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return // gone since its parent was read
	}
	if err != nil {
		l.problem(dir, "error", "cannot read directory: "+cause(err), "check its permissions")
		l.problems[len(l.problems)-1].unread = true
	}
	l.entries(dir, entries, depth)
}

func (l *loader) entries(dir string, entries []durable.Entry, depth int) {
	for _, e := range entries {
		name := path.Join(dir, e.Name)
		if strings.HasPrefix(e.Name, ".") {
			continue
		}
		switch {
		case e.Kind == durable.Link:
			if strings.HasSuffix(e.Name, ".json") || path.Ext(e.Name) == "" /* a directory, by its name */ {
				l.problem(name, "warning", "symbolic link: not followed, so what it points to is not read", "put the file or directory itself here")
			}
		case e.Kind == durable.Dir:
			if name == OpsDir || name == SchemasDir {
				continue
			}
			switch dir {
			case "teams":
				l.teamDirs = append(l.teamDirs, e.Name)
			case "agents":
				l.agents = append(l.agents, e.Name)
			}
			l.dir(name, depth+1)
		case !strings.HasSuffix(e.Name, ".json"):
		case e.Kind != durable.Regular:
			l.problem(name, "warning", "not a regular file: not read", "")
		default:
			l.file(name)
		}
	}
}

func (l *loader) file(name string) {
	l.files = append(l.files, name)
	data, info, err := l.root.Read(name, jsonedit.MaxSize)
	if errors.Is(err, fs.ErrNotExist) { // gone since the directory was read
		l.moving = true
		return
	}
	if err != nil {
		l.problem(name, "error", "cannot read: "+cause(err), "check its permissions and size")
		l.problems[len(l.problems)-1].unread = !errors.Is(err, durable.ErrLink) && !errors.Is(err, durable.ErrTooLarge)
		return
	}
	if path.Base(name) == IndexFile {
		idx, err := parseIndex(name, data)
		if err != nil {
			l.broken(info)
			l.problem(name, "error", "not valid JSON: "+err.Error(), "mend it, or move it away and run \"memory reindex\"")
			return
		}
		l.indexes = append(l.indexes, idx)
		return
	}
	records, arrays, err := readFile(name, data)
	if err != nil {
		l.broken(info)
		l.problem(name, "error", "not valid JSON: "+err.Error(), "mend it in an editor; memoryd reads and writes it again once it parses")
		return
	}
	if len(records) == 0 && len(arrays) == 0 && lacksID(name, data) {
		l.problem(name, "warning", "looks like a memory but has no id, so it is not read as one", "give it an id, a non-empty string")
	}
	for _, p := range arrays {
		l.arrays = append(l.arrays, name+"#"+p)
	}
	if path.Base(name) == ProfileFile && strings.HasPrefix(name, "agents/") {
		start, end := jsonedit.Span(data)
		if team := parse(data[start:end]).Get("team"); team.Str != "" {
			l.teams[strings.ToLower(path.Base(path.Dir(name)))] = strings.Clone(team.Str)
		}
	}
	if strings.HasPrefix(name, ArchiveDir+"/") {
		for _, m := range records {
			m.Archived = true
		}
		l.archived = append(l.archived, records...)
		return
	}
	l.live = append(l.live, records...)
}

// broken notes a file that doesn't parse: one written just now may be half saved.
func (l *loader) broken(info durable.Info) {
	if time.Since(info.ModTime).Abs() < halfSaved {
		l.moving = true
	}
}

func (l *loader) problem(file, severity, message, hint string) {
	l.problems = append(l.problems, Problem{File: file, Severity: severity, Message: message, Hint: hint})
}

// cause strips the operation and path that the message around it names already.
func cause(err error) string {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err.Error()
	}
	return err.Error()
}

// remember takes from the log what the rules ask of it: which ids the last run
// put off, and when memories were restored. It reads the newest two parts of the
// log, so that a long history costs nothing; one that can't be read tells nothing,
// and check reports it.
func (s *Snapshot) remember(root durable.FS) {
	parts, err := logParts(root, 2)
	if err != nil {
		return
	}
	s.Restored, s.parted = map[string]time.Time{}, map[[2]string]time.Time{}
	for _, p := range slices.Backward(parts) {
		log, err := oplog.Read(p.doc)
		if err != nil {
			continue
		}
		for i := range log.Entries {
			e := &log.Entries[i]
			s.LastRun = e.Timestamp
			if !byCommand(e) {
				s.Deferred = e.Deferred
			}
			for _, a := range e.Actions {
				switch a.Type {
				case oplog.Restore:
					s.Restored[a.MemoryID] = e.Timestamp
				case oplog.Undo:
					for i, id := range a.MemoryIDs {
						s.Restored[id] = e.Timestamp
						for _, other := range a.MemoryIDs[:i] {
							s.parted[pairKey(id, other)] = e.Timestamp
						}
					}
				}
			}
		}
	}
}

// byCommand tells the entry of a single command (archive, edit, …), or of counting
// reads, from a consolidation run.
func byCommand(e *oplog.Entry) bool {
	for _, a := range e.Actions {
		if a.Rule != RuleManual && a.Rule != RuleAccess {
			return false
		}
	}
	return len(e.Actions) > 0
}

// sortMemories puts memories into the order of a snapshot: by file; those of one
// file stay in the order in which they stand in it.
func sortMemories(ms []*Memory) {
	sort.SliceStable(ms, func(i, j int) bool {
		return ms[i].File < ms[j].File
	})
}
