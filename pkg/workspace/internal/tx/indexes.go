package tx

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/memoryd/memoryd/pkg/indexfile"
	"github.com/memoryd/memoryd/pkg/internal/durable"
	"github.com/memoryd/memoryd/pkg/internal/parallel"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/workspace/internal/index"
	"github.com/memoryd/memoryd/pkg/workspace/internal/journal"
)

// indexes updates the indexes whose turn it is; with adding, by what was created alone.
func (r *run) indexes(adding bool) error {
	for _, k := range r.turns.Order {
		x := &r.j.Indexes[k]
		if !slices.Contains(r.turns.Of[k], adding) && (adding || r.listed[x.Path] == len(r.dead)+1) {
			continue // nothing to add, or nothing has changed since it was added
		}
		if r.wrote > 0 && r.pause > 0 {
			select {
			case <-time.After(r.pause):
			case <-r.hurry():
			}
		}
		changed, err := r.patch(&patch{label: journal.IndexLabel(k), name: x.Path, of: func(doc []byte) ([]byte, error) {
			next, err := r.updatedIndex(k, doc, adding)
			if err != nil && !errors.Is(err, index.ErrReading) {
				return nil, fmt.Errorf("%w: %w", errLeave, err)
			}
			return next, err
		}})
		switch {
		case errors.Is(err, errLeave), odd(err):
			// An index is derived: no run fails over it.
			r.warn("%s: %s: mend it, then run \"memory reindex\"", x.Path, durable.Cause(err))
		case err != nil:
			return fmt.Errorf("%s: %w", x.Path, err)
		case changed:
			r.wrote++
			r.changed = append(r.changed, x.Path)
		}
		if err == nil && adding {
			r.listed[x.Path] = len(r.dead) + 1
		}
	}
	return nil
}

// updatedIndex computes the index numbered k from the files as they are now. What is about
// to be deleted counts as gone already.
func (r *run) updatedIndex(k int, doc []byte, adding bool) ([]byte, error) {
	var want indexfile.Want
	var err error
	name := r.j.Indexes[k].Path
	if doc == nil {
		want.Lines, err = r.below(path.Dir(name), r.leaving(), !r.again)
	} else {
		want, err = index.WantOf(index.ChangesOf(r.j, k, adding), r.contentNow, func(name string, data []byte) ([]*memory.Memory, error) {
			return recordsIn(r.notes, name, data, overlayOf(r.j, r.dead))
		})
	}
	if err != nil {
		return nil, err
	}
	want.Extra = index.Extra(r.j)
	next, err := indexfile.Update(name, doc, want, r.j.At)
	return next.Doc, err
}

// leaving tells the files that the run will remove.
func (r *run) leaving() func(file string) bool {
	files := map[string]bool{}
	for i := range r.j.Files {
		c := &r.j.Files[i]
		if _, dead := r.dead[c.Group]; !dead && c.Kind() == journal.Remove {
			files[c.Path] = true
		}
	}
	return func(file string) bool { return files[file] }
}

// contentNow reads a changed file as it is; nil when there is none, or when it is about
// to be removed.
func (r *run) contentNow(c *journal.Change) ([]byte, error) {
	if _, dead := r.dead[c.Group]; !dead && c.Kind() == journal.Remove {
		return nil, nil
	}
	data, _, err := r.read(c.Path)
	if odd(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", index.ErrReading, err)
	}
	return data, nil
}

// indexSwaps stands for the run in the names of indexes that were displaced without one.
const indexSwaps = "index"

// MaxSwaps is how many indexes are swapped at a time.
const MaxSwaps = 32

// IndexSwap brings an index from one content to another, without a run.
type IndexSwap struct {
	File string
	Base string       // digest of the content that is there; [durable.Absent] for none
	Info durable.Info // of the file that is there
	Doc  []byte
	// Slot is the file that holds what the last swap of this index has displaced, "" for
	// none. Afterwards it is that of this one.
	Slot string
	Err  error // why it was not done
}

// SwapIndexes replaces up to [MaxSwaps] indexes, each in one step and durably, or fails
// with [durable.ErrConflict]. The end of the context begins no more of them. An index can be
// rebuilt from the files, so there is no record of it. What was displaced is kept as that of
// runs is, or until the next swap of the same index. The caller holds the lock.
//
//	each: write and fsync ops/runs/.displaced/_index.N.json; rename to the slot; exchange; fsync(dir)
func (s *Store) SwapIndexes(ctx context.Context, swaps []*IndexSwap) {
	ops, err := s.Root.Stat(memory.OpsDir)
	if err == nil {
		_, err = durable.MkdirAll(s.Root, DisplacedDir)
	}
	c := &commit{root: s.Root, device: ops.ID.Device}
	warnings := make([][]string, len(swaps))
	parallel.Work(s.Parallel, len(swaps), func(_, i int) {
		r := s.newRun(indexSwaps, &journal.Run{})
		if swaps[i].Err = cmp.Or(err, ctx.Err()); swaps[i].Err == nil {
			swaps[i].Err = s.swapIndex(swaps[i], c, r, indexTemp(i))
		}
		warnings[i] = r.warnings
	})
	s.noteAll(slices.Concat(warnings...))
}

// indexTemp is where an index is written that takes the place of another.
func indexTemp(i int) string { return fmt.Sprintf("%s/_index.%d.json", DisplacedDir, i) }

// DropIndexTemps removes what a killed process has left of [Store.SwapIndexes].
func (s *Store) DropIndexTemps() error {
	for i := range MaxSwaps {
		if err := drop(s.Root, indexTemp(i)); err != nil {
			return err
		}
	}
	return nil
}

func (s *Store) swapIndex(x *IndexSwap, c *commit, r *run, temp string) error {
	check := c.elsewhere
	if x.Base != durable.Absent {
		check = func(name string) (string, error) { return c.fixed(name, x.Info) }
	}
	if why, err := check(x.File); err != nil {
		return err
	} else if why != "" {
		return errors.New(why)
	}
	next := durable.Sum(x.Doc)
	slot := DisplacedDir + "/" + journal.Displaced{At: s.Now(), Run: indexSwaps, Slot: journal.Slot{Label: slotLabel(x.File), Base: x.Base, Next: next}.Name()}.Name()
	if err := errors.Join(dropDisplaced(s.Root, slot), drop(s.Root, temp)); err != nil {
		return err
	}
	if err := (durable.Staging{Name: temp, Data: x.Doc, Attr: x.Info.Attr}).Write(s.Root); err != nil {
		return err
	}
	if err := s.Root.Rename(temp, slot); err != nil {
		return errors.Join(err, drop(s.Root, temp))
	}
	if err := durable.CAS(s.Root, slot, x.File, x.Base, next, r.aside); err != nil {
		return errors.Join(err, dropDisplaced(s.Root, slot))
	}
	var err error
	if x.Slot != slot {
		err = dropDisplaced(s.Root, x.Slot)
	}
	x.Slot = slot
	if spent, serr := dropSpent(s.Root, slot); spent {
		x.Slot = ""
	} else {
		err = errors.Join(err, serr)
	}
	return errors.Join(err, durable.SyncDirs(s.Root, 1, path.Dir(x.File)))
}

// slotLabel is an index's directory in the name of a slot; "" where it is too long.
func slotLabel(name string) string {
	label := strings.NewReplacer(".", "%2E", "~", "%7E").Replace(url.PathEscape(path.Dir(name)))
	if len(label) > 100 { // a name has 255 bytes, digests and time take 150
		return ""
	}
	return label
}

// labelledIndex is the index that a slot's name stands for.
func labelledIndex(slot string) string {
	label, _, _ := strings.Cut(slot, ".")
	dir, err := url.PathUnescape(label)
	if name := path.Join(dir, memory.IndexFile); err == nil && label != "" && fs.ValidPath(name) {
		return name
	}
	return "unknown.json"
}
