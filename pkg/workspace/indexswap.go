package workspace

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
	"github.com/memoryd/memoryd/pkg/workspace/internal/journal"
)

// indexSlots stands in the names of displaced indexes where others have the run.
const indexSlots = "index"

// At once so many indexes are swapped, or so many bytes of them.
const (
	swapsAtOnce = 32
	bytesAtOnce = 4 << 20
)

// indexSwap brings an index from the content with the digest base to doc.
type indexSwap struct {
	*listing
	Reindexed
	base string
	doc  []byte
	info durable.Info // of the file that is there
	err  error        // why it was not done
}

// swapIndexes replaces indexes, each in one step and durably, or fails with
// [durable.ErrConflict]. The end of the context begins no more of them. An index can be had from the files, so there is no record
// of it. What was displaced is kept as that of runs is, or until the next one of
// the same index comes.
//
//	each: write and fsync ops/runs/.displaced/_index.N.json; rename to the slot; exchange; fsync(dir)
func (s *FileStore) swapIndexes(ctx context.Context, swaps []*indexSwap) {
	ops, err := s.root.Stat(OpsDir)
	if err == nil {
		_, err = durable.MkdirAll(s.root, displacedDir)
	}
	c := &commit{root: s.root, device: ops.ID.Device}
	warnings := make([][]string, len(swaps))
	parallel.Work(s.parallel, len(swaps), func(_, i int) {
		r := s.newRun(indexSlots, &journal.Run{})
		if swaps[i].err = cmp.Or(err, ctx.Err()); swaps[i].err == nil {
			swaps[i].err = s.swapIndex(swaps[i], c, r, indexTemp(i))
		}
		warnings[i] = r.warnings
	})
	for _, w := range slices.Concat(warnings...) {
		s.note("%s", w)
	}
}

// indexTemp is where an index is written that takes the place of another.
func indexTemp(i int) string { return fmt.Sprintf("%s/_index.%d.json", displacedDir, i) }

// dropIndexTemps removes what a killed process has left of them.
func (s *FileStore) dropIndexTemps() error {
	for i := range swapsAtOnce {
		if err := s.dropSlot(indexTemp(i)); err != nil {
			return err
		}
	}
	return nil
}

func (s *FileStore) swapIndex(x *indexSwap, c *commit, r *run, temp string) error {
	check := c.elsewhere
	if !x.Created {
		check = func(name string) (string, error) { return c.fixed(name, x.info) }
	}
	if why, err := check(x.File); err != nil {
		return err
	} else if why != "" {
		return errors.New(why)
	}
	next := durable.Sum(x.doc)
	slot := displacedDir + "/" + journal.Displaced{At: s.Now(), Run: indexSlots, Slot: journal.Slot{Label: slotLabel(x.File), Base: x.base, Next: next}.Name()}.Name()
	if err := errors.Join(dropDisplaced(s.root, slot), s.dropSlot(temp)); err != nil {
		return err
	}
	if err := (durable.Staging{Name: temp, Data: x.doc, Attr: x.info.Attr}).Write(s.root); err != nil {
		return err
	}
	if err := s.root.Rename(temp, slot); err != nil {
		return errors.Join(err, s.dropSlot(temp))
	}
	err := durable.CAS(s.root, slot, x.File, x.base, next, r.aside)
	if err != nil {
		return errors.Join(err, dropDisplaced(s.root, slot))
	}
	if x.slot != slot {
		err = dropDisplaced(s.root, x.slot)
	}
	x.slot, x.sum, x.kind = slot, next, proper
	return errors.Join(err, durable.SyncDirs(s.root, 1, path.Dir(x.File)))
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
	if name := path.Join(dir, IndexFile); err == nil && label != "" && fs.ValidPath(name) {
		return name
	}
	return "unknown.json"
}
