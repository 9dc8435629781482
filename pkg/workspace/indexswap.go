package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"path"
	"strings"

	"github.com/memoryd/memoryd/pkg/internal/durable"
)

// indexTemp is where an index is written that takes the place of another. One that
// was left there goes when the next is written.
const indexTemp = displacedDir + "/" + IndexFile

// indexSlots stands in the names of displaced indexes where others have the run.
const indexSlots = "index"

// swapIndex brings an index from the content with the digest base to doc, in one
// step and durably, or fails with [durable.ErrConflict]. An index can be had from
// the files, so there is no record of it. What was displaced is kept, as that of
// runs is, until the next one of the same index comes, in the slot that is
// returned; was is that of before.
//
//	write and fsync ops/runs/.displaced/_index.json; rename to the slot; exchange; fsync(dir)
func (s *FileStore) swapIndex(name, base string, doc []byte, info durable.Info, was string) (slot string, err error) {
	ops, err := s.root.Stat(OpsDir)
	if err != nil {
		return was, err
	}
	c := &commit{root: s.root, device: ops.ID.Device}
	why := ""
	if base == durable.Absent {
		why, err = c.elsewhere(name)
	} else {
		why, err = c.fixed(name, info)
	}
	if err == nil && why != "" {
		err = errors.New(why)
	}
	if err != nil {
		return was, err
	}
	if was != "" {
		if err := s.dropDisplaced(was); err != nil {
			return was, err
		}
	}
	next := durable.Sum(doc)
	slot = fmt.Sprintf("%s/%d~%s~%s.%s.%s", displacedDir, s.Now().Unix(), indexSlots, slotLabel(name), slotHash(base), slotHash(next))
	if err := s.dropDisplaced(slot); err != nil {
		return "", err
	}
	if _, err := durable.MkdirAll(s.root, displacedDir); err != nil {
		return "", err
	}
	if err := s.dropSlot(indexTemp); err != nil {
		return "", err
	}
	if err := (durable.Staging{Name: indexTemp, Data: doc, Attr: info.Attr}).Write(s.root); err != nil {
		return "", err
	}
	if err := s.root.Rename(indexTemp, slot); err != nil {
		return "", errors.Join(err, s.dropSlot(indexTemp))
	}
	r := s.newRun(indexSlots, &journal{})
	err = durable.CAS(s.root, slot, name, base, next, r.aside)
	for _, w := range r.warnings {
		s.note("%s", w)
	}
	if err != nil {
		return "", errors.Join(err, s.dropDisplaced(slot))
	}
	return slot, durable.SyncDirs(s.root, path.Dir(name))
}

// dropDisplaced removes a displaced index, unless somebody has written into it:
// then it is kept until sweepDisplaced takes it aside.
func (s *FileStore) dropDisplaced(slot string) error {
	in, err := durable.Hash(s.root, slot)
	if err != nil || in == durable.Absent || !strings.Contains(path.Base(slot), in) {
		return err
	}
	if err := s.root.Remove(slot); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
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
