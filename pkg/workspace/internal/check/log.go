package check

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"sync"

	"github.com/memoryd/memoryd/pkg/indexfile"
	"github.com/memoryd/memoryd/pkg/internal/durable"
	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/workspace/internal/index"
	"github.com/memoryd/memoryd/pkg/workspace/internal/journal"
	"github.com/memoryd/memoryd/pkg/workspace/ops"
	"github.com/memoryd/memoryd/schemas"
)

// checkLog verifies the chain, and that what the log says was put away is there.
func (c *checker) checkLog() error {
	lines, err := ops.LogLines(c.root)
	if err != nil {
		return err
	}
	parts, err := ops.LogParts(c.root, ops.AllParts)
	if err != nil || len(parts) == 0 && lines.Empty() {
		return err
	}
	logs := make([]*oplog.Log, len(parts))
	var archived []logged      // in the order of the log
	undone := map[string]int{} // id -> how many were before it was last taken back
	for n, p := range slices.Backward(parts) {
		if p.Document == nil {
			continue // verify says it
		}
		log := p.Log()
		logs[n] = log
		for _, f := range schemas.ValidateLog(p.Doc) {
			c.add(string(f.Severity), p.File, f.Path, "", f.Message, "")
		}
		for i := range log.Entries {
			e := &log.Entries[i]
			for j := range e.Actions {
				a := &e.Actions[j]
				for id := range index.ArchivedBy(a) {
					archived = append(archived, logged{id, e.RunID})
				}
				if a.Type == oplog.Undo {
					for _, id := range a.MemoryIDs {
						undone[id] = len(archived)
					}
				}
				c.original(a)
			}
		}
	}
	for _, e := range lines.Entries() {
		for j := range e.Actions {
			c.original(&e.Actions[j])
		}
	}
	for i, m := range archived {
		if i >= undone[m.id] && len(c.snap.Find(m.id)) == 0 {
			c.add(memory.Warning, memory.LogFile, m.run, m.id, m.id+" was archived by this run and is no longer there", "restore it from version control, unless it was removed on purpose")
		}
	}
	problems, _, _ := ops.VerifyParts(c.root, parts, logs, lines)
	theirs, err := ops.VerifyOthers(c.root)
	if err != nil {
		return err
	}
	problems = append(problems, theirs...)
	for _, p := range problems {
		severity, hint := memory.Error, "see \"memory log --verify\"; restore the file from version control if you can"
		if p.Elsewhere {
			severity, hint = memory.Warning, "merge or check out the branch on which that run was made; else see \"memory log --verify\""
		}
		c.add(severity, memory.LogFile, "", "", p.Message, hint)
	}
	return nil
}

// checkRuns looks at the records of runs, and for what could not be given back.
func (c *checker) checkRuns() error {
	names, _, err := journal.Runs(c.root)
	if err != nil {
		return fmt.Errorf("read %s: %w", journal.RunsDir, err)
	}
	for _, name := range names {
		dir := journal.RunsDir + "/" + name
		for _, file := range []string{journal.File, journal.DoneFile} {
			c.record(dir+"/"+file, memory.Error, "restore it from version control; without it this run can't be undone", func(name string) error {
				return journal.Read(c.root, name, &struct{}{})
			})
		}
		c.record(dir+"/"+journal.DeferredFile, memory.Warning, "delete it: only what the log names of what this run deferred comes first in the next one then", func(name string) error {
			_, err := journal.ReadDeferred(c.root, name)
			return err
		})
	}
	err = durable.Walk(c.root, journal.ConflictsDir, func(name string, kind durable.Kind) bool {
		if kind != durable.Dir {
			c.add(memory.Warning, name, "", "", "kept here because it could not be given back when a run changed the file, or because it was damaged", "compare it with the file of that name, then delete it")
		}
		return true
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// record reads a file of a run, which may be absent.
func (c *checker) record(name, severity, hint string, read func(name string) error) {
	if err := read(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		c.add(severity, name, "", "", "can't be read: "+durable.Cause(err), hint)
	}
}

// logged is a memory that a run archived.
type logged struct{ id, run string }

// original checks that the record that an action has replaced in full still exists.
func (c *checker) original(a *oplog.Action) {
	if a.Original == "" {
		return
	}
	data, _, err := c.root.Read(a.Original, jsonedit.MaxSize)
	if err != nil {
		c.add(memory.Error, a.Original, "", a.MemoryID, "the original of a memory whose text was replaced can't be read: "+durable.Cause(err), "restore it from version control")
		return
	}
	if want := a.Digests[a.MemoryID]; want != "" && string(memory.DigestOf(bytes.TrimSuffix(data, []byte("\n")))) != want {
		c.add(memory.Error, a.Original, "", a.MemoryID, "the original of a memory whose text was replaced was changed", "restore it from version control")
	}
}

// FileFindings are what one reading of all files finds out about each memory while its bytes are at
// hand: what is wrong with it, and its line in an index. Reading the files once more for that
// would cost as much as all the rest.
type FileFindings struct {
	schemas *schemas.Extension // nil: memories are not validated

	mu  sync.Mutex
	all map[string]note // by the places of memories
}

type note struct {
	checksum memory.Checksum
	findings []schemas.Finding
	line     indexfile.Line
}

// NewFileFindings returns findings of no file yet. With nil, memories are not validated.
func NewFileFindings(extension *schemas.Extension) *FileFindings {
	return &FileFindings{schemas: extension, all: map[string]note{}}
}

// Look notes a memory whose bytes are at hand. It may be called by several goroutines.
func (n *FileFindings) Look(m *memory.Memory) {
	noted := note{checksum: m.Checksum(), line: memory.Line(m)}
	if n.schemas != nil {
		noted.findings = n.schemas.ValidateMemory(m.Raw())
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.all[m.Ref.String()] = noted
}

// of is what is noted of a memory with the same bytes at the same place.
func (n *FileFindings) of(m *memory.Memory) (note, bool) {
	noted, ok := n.all[m.Ref.String()]
	return noted, ok && noted.checksum == m.Checksum()
}

// Lines gives what an index says of memories. One that was not noted and whose bytes have
// changed or gone meanwhile is [index.ErrReading].
func (n *FileFindings) Lines(ms []*memory.Memory) ([]indexfile.Line, error) {
	lines := make([]indexfile.Line, len(ms))
	for i, m := range ms {
		if noted, ok := n.of(m); ok {
			lines[i] = noted.line
			continue
		}
		if m.Raw() == nil {
			return nil, fmt.Errorf("%w %s: it has changed or gone meanwhile, or the disk fails: try again", index.ErrReading, m.Ref)
		}
		lines[i] = memory.Line(m)
	}
	return lines, nil
}
