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

	"github.com/memoryd/memoryd/pkg/internal/durable"
	"github.com/memoryd/memoryd/pkg/internal/parallel"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/workspace/internal/journal"
)

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
	for _, w := range slices.Concat(warnings...) {
		s.note("%s", w)
	}
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

// labelledIndex is the index that a slot's name tells of.
func labelledIndex(slot string) string {
	label, _, _ := strings.Cut(slot, ".")
	dir, err := url.PathUnescape(label)
	if name := path.Join(dir, memory.IndexFile); err == nil && label != "" && fs.ValidPath(name) {
		return name
	}
	return "unknown.json"
}
