package tx

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"time"

	"github.com/memoryd/memoryd/pkg/indexfile"
	"github.com/memoryd/memoryd/pkg/internal/durable"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/note"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/workspace/internal/accesslog"
	"github.com/memoryd/memoryd/pkg/workspace/internal/index"
	"github.com/memoryd/memoryd/pkg/workspace/internal/journal"
)

// run is a committed run on its way to being true. Everything it knows can be had
// from its directory again: recovery is finish, called by somebody else.
type run struct {
	root  durable.FS
	notes Notes
	dir   string // ops/runs/<run>
	j     *journal.Run

	pause    time.Duration
	hurry    func() <-chan struct{} // closed: what must not be left undone is done without a pause
	parallel int
	now      func() time.Time
	below    func(dir string, leaving func(file string) bool, strict bool) ([]indexfile.Line, error)

	forget        func()       // that a run of its name has ended
	updateIndexes func() error // with what was saved, by this run too, before the lines that say so go

	machine    string            // its name, where several share the workspace
	deferred   *journal.Deferred // ids that the log has no room for; nil for none
	dead       map[int]string    // groups that don't happen, and why
	touched    map[string]bool   // directories whose names changed
	reached    map[int]verdict   // in the first attempt, how far changes have got
	changed    []string          // files outside ops/ that it has swapped, and directories that it has made
	warnings   []string
	created    map[string]string // patched files that this attempt has created: label -> digest
	entry      *oplog.Entry      // as logged
	appendedTo string            // a file whose end is not durable yet
	head       journal.Head
	displaced  *Displaced
	turns      index.Turns
	listed     map[string]int // indexes to which what was created has been added, and how many groups were dead then, plus one
	wrote      int            // indexes, for the pause
	again      bool           // an earlier attempt may have done any part of it
}

// verdicts on one change.
type verdict int

const (
	todo verdict = iota
	applied
	conflict // its group is dead
)

func (s *Store) newRun(id string, j *journal.Run) *run {
	return &run{
		forget: func() {
			if s.Ended != nil {
				s.Ended.Delete(id)
			}
		},
		updateIndexes: func() error {
			err := s.UpdateIndexes(context.Background())
			if err == nil && j.Save && s.Notes == nil {
				save := savedRun{j.RunID, j.At, savedFiles{}}
				addRun(save.files, j)
				err = listSaved(context.Background(), s, []savedRun{save})
			}
			return err
		},
		root: s.Root, notes: s.Notes, dir: journal.RunsDir + "/" + id, j: j, turns: index.TurnsOf(j), displaced: s.Displaced, below: s.Below, machine: s.Machine, parallel: s.Parallel, now: s.Now,
		dead: map[int]string{}, touched: map[string]bool{}, reached: map[int]verdict{}, created: map[string]string{}, listed: map[string]int{},
	}
}

// slot names the slot for a change; the name shows what may be in it.
func (r *run) slot(label, base, next string) string {
	return r.dir + "/" + SlotsDir + "/" + journal.Slot{Label: label, Base: base, Next: next}.Name()
}

func (r *run) slotOf(i int) string {
	c := &r.j.Files[i]
	return r.slot(fmt.Sprint(i), c.Base, c.Next)
}

// begin stages everything and commits. Until the journal has its name no
// live file was touched; an error before that, or the end of the context, leaves the
// workspace as it was.
//
//	mkdir run, run/s; write and fsync every slot, a reserve, journal.tmp;
//	fsync(run/s), fsync(run), fsync(ops/runs); rename journal.tmp; fsync(run): committed
func (r *run) begin(ctx context.Context) error {
	err := r.stage()
	if err == nil {
		err = ctx.Err()
	}
	if err == nil {
		if err = durable.Publish(r.root, r.dir+"/"+JournalTemp, r.dir+"/"+journal.File); err == nil {
			// What was held back for the patches to come.
			return r.drop(r.dir + "/" + reserveFile)
		}
		if _, serr := r.root.Stat(r.dir + "/" + journal.File); !errors.Is(serr, fs.ErrNotExist) {
			return fmt.Errorf("%w: %w", ErrPending, err)
		}
	}
	return errors.Join(err, durable.RemoveAll(r.root, r.dir))
}

func (r *run) stage() error {
	dirs, err := durable.MkdirAll(r.root, journal.RunsDir)
	if err != nil {
		return err
	}
	// After the commit it would be too late to find out.
	for _, dir := range []string{memory.OpsDir, journal.RunsDir, LogArchive, journal.ConflictsDir} {
		if err := durable.Writable(r.root, dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	r.forget() // another run of the name may have ended and been removed
	for _, dir := range []string{r.dir, r.dir + "/" + SlotsDir} {
		if err := r.root.Mkdir(dir); err != nil {
			return err
		}
	}
	reserve, err := r.reserve()
	if err != nil {
		return err
	}
	write := func(name string, data []byte, attr durable.Attr) error {
		return durable.Staging{Name: name, Data: data, Attr: attr}.Write(r.root)
	}
	files := []func() error{
		func() error { // it may be large: the others are written meanwhile
			doc, err := journal.Seal(r.j)
			if err != nil {
				return err
			}
			return write(r.dir+"/"+JournalTemp, doc, private)
		},
		func() error { return durable.Reserve(r.root, r.dir+"/"+reserveFile, reserve, private.Mode) },
	}
	if r.deferred != nil {
		files = append(files, func() error {
			doc, err := journal.Seal(r.deferred)
			if err != nil {
				return err
			}
			return write(r.dir+"/"+journal.DeferredFile, doc, private)
		})
	}
	for i := range r.j.Files {
		if c := &r.j.Files[i]; c.Next != durable.Absent {
			files = append(files, func() error { return write(r.slotOf(i), c.After, c.AttrOf(c.Next)) })
		}
	}
	if err := durable.ForEachParallel(len(files), r.parallel, func(i int) error { return files[i]() }); err != nil {
		return err
	}
	return durable.SyncDirs(r.root, r.parallel, append(dirs, r.dir+"/"+SlotsDir, r.dir, journal.RunsDir)...)
}

// private is how records of runs are kept: they hold the texts of files that may be
// closed to others.
var private = durable.Attr{Mode: 0o600}

// reserve is how much the patches after the commit will need on the disk.
func (r *run) reserve() (size int64, err error) {
	size = 64 << 10
	names := []string{memory.LogFile, memory.SavesFile, memory.SeenFile, memory.ReviewFile, accesslog.File}
	if lines, err := r.root.Stat(memory.SavesFile); r.j.Save && (err != nil || lines.Size < SavesLimit) {
		size, names = 16<<10, []string{memory.ReviewFile} // it appends a line, and may flag a pair
	}
	for _, x := range r.j.Indexes {
		names = append(names, x.Path)
	}
	for _, t := range r.j.Texts {
		names = append(names, t.Path)
	}
	for _, name := range names {
		info, err := r.root.Stat(name)
		switch {
		case err == nil:
			size += info.Size
		case !errors.Is(err, fs.ErrNotExist):
			return 0, err
		}
	}
	return min(size, 64<<20), nil
}

func (r *run) drop(name string) error { return drop(r.root, name) }

// drop unlinks a file that may be absent.
func drop(root durable.FS, name string) error {
	if err := root.Remove(name); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// kill decides, durably, that a group of actions doesn't happen.
func (r *run) kill(group int, why string) error {
	if _, ok := r.dead[group]; ok {
		return nil
	}
	name := fmt.Sprintf("%s/%s%d", r.dir, deadPrefix, group)
	if err := durable.Write(r.root, name, []byte(why), private.Mode); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	if err := r.root.SyncDir(r.dir); err != nil {
		return err
	}
	r.dead[group] = why
	return nil
}

// readDead reads the decisions that an earlier attempt made.
func (r *run) readDead() error {
	entries, err := r.root.ReadDir(r.dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		var group int
		number, ok := strings.CutPrefix(e.Name, deadPrefix)
		if _, err := fmt.Sscanf(number, "%d", &group); !ok || err != nil {
			continue
		}
		why, _, err := r.root.Read(r.dir+"/"+e.Name, 1<<20)
		if err != nil {
			return err
		}
		r.dead[group] = string(why)
	}
	return nil
}

// aside keeps what was displaced and has no place to go back to, in
// ops/conflicts/<run>/ under the path it came from.
func (r *run) aside(slot, from string) error {
	to := path.Join(journal.ConflictsDir, path.Base(r.dir), from)
	if note.Is(from) {
		from, to = from+".text", to+".text" // hosts list what ends in .md
	}
	stem, n := strings.TrimSuffix(to, path.Ext(to)), 1
	made, err := durable.MkdirAll(r.root, path.Dir(to))
	if err != nil {
		return err
	}
	for {
		err := durable.Publish(r.root, slot, to)
		if errors.Is(err, durable.ErrConflict) {
			n++
			to = fmt.Sprintf("%s-%d%s", stem, n, path.Ext(from))
			continue
		}
		if err != nil {
			return err
		}
		r.warn("%s was written by somebody else while it was being changed: that text is kept in %s", from, to)
		return durable.SyncDirs(r.root, r.parallel, made...)
	}
}

func (r *run) warn(format string, args ...any) {
	r.warnings = append(r.warnings, fmt.Sprintf(format, args...))
}

// read reads a file of the workspace; nil when there is none.
func (r *run) read(name string) ([]byte, durable.Attr, error) {
	data, info, err := r.root.Read(name, maxSize)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, durable.Attr{}, nil
	}
	if err == nil && data == nil {
		data = []byte{}
	}
	return data, info.Attr, err
}
