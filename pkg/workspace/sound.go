package workspace

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"
	"time"

	"github.com/zeebo/xxh3"

	"github.com/memoryd/memoryd/pkg/internal/build"
	"github.com/memoryd/memoryd/pkg/internal/flatfile"
)

// SoundFile keeps checksums of what [FileStore.Overview] has found nothing wrong with, so that the
// next one looks at what has changed since. It is derived: it may be deleted at any time.
const SoundFile = OpsDir + "/cache/sound"

// soundVersion goes up whenever the file is laid out otherwise, or a check demands more.
const soundVersion = 1

// An overview reads so many memories one by one, or a quarter of all: with more, it takes less time
// to read all files at once, on all cores.
const (
	singly      = 256
	singlyShare = 4
)

// sound is what a check needs not look at. The nil sound knows nothing and notes nothing.
type sound struct {
	key    *flatfile.Key // what it is kept by; nil where nothing is kept
	known  []uint64      // half a checksum each, in ascending order
	found  []uint64      // what is known now
	doubts bool          // whether what is known is looked at all the same
	wrong  bool          // whether it was found to be wrong
}

// unless looks at what isn't known to be in order, and notes it when look finds nothing wrong.
func (k *sound) unless(key uint64, look func() (clean bool)) {
	switch known := k.knows(key); {
	case k == nil:
		look()
	case known && !k.doubts, look():
		k.found = append(k.found, key)
	case known:
		k.wrong = true
	}
}

func (k *sound) knows(key uint64) bool {
	if k == nil {
		return false
	}
	_, ok := slices.BinarySearch(k.known, key)
	return ok
}

// Overview is [FileStore.Check] for whoever wants to see at a glance how things are: what was in
// order when it last looked, and has not changed since by its checksum, it takes for that; records
// of runs go by their time of change. It doesn't compare the cache with the files. Nobody else may
// use the indexes of the snapshot meanwhile.
func (s *FileStore) Overview(snap *Snapshot) ([]Problem, error) {
	d, err := s.demands()
	if err != nil {
		return nil, err
	}
	x, noted, k := &examined{demands: d}, notes(nil), s.sound(d)
	if k.unknown(snap) > max(s.singly, snap.Total()/singlyShare) {
		fresh, err := s.LoadExamined(snap.At)
		if err != nil {
			return nil, err
		}
		x, noted = fresh.examined.rest(), fresh.examined.notes
		if x.sum != d.sum { // they were changed meanwhile
			k = s.sound(x.demands)
		}
	}
	problems, err := s.checkKnowing(snap, x, noted, k)
	if err == nil {
		_ = s.keepSound(k) // a read-only disk, say: the next one takes as long
	}
	return problems, err
}

// unknown is how many of the memories aren't known to be in order.
func (k *sound) unknown(snap *Snapshot) (n int) {
	room := Room{}
	for i := range snap.Total() {
		if !k.knows(soundMemory(snap.Glance(i, &room))) {
			n++
		}
	}
	return n
}

// sound reads what is known to be in order by such demands: nothing when there is no file, or none
// that can be used.
func (s *FileStore) sound(d demands) *sound {
	key, ok := s.keptKey(SoundFile)
	if !ok {
		return &sound{}
	}
	key = sha256.Sum256(fmt.Appendf(key[:], "%x %s", d.sum, program()))
	return &sound{key: &key, known: s.knownSound(key)}
}

// program tells this build of the program from others, which may demand something else.
var program = build.ID

func (s *FileStore) knownSound(key flatfile.Key) (known []uint64) {
	sections, err := flatfile.Load(s.root, SoundFile, soundVersion, key)
	if err != nil || len(sections) != 1 {
		return nil
	}
	for rows := sections[0]; len(rows) >= 8; rows = rows[8:] {
		known = append(known, binary.LittleEndian.Uint64(rows))
	}
	if !slices.IsSorted(known) {
		return nil
	}
	return known
}

// keepSound writes what is known now, where that is something else than before.
func (s *FileStore) keepSound(k *sound) error {
	slices.Sort(k.found)
	k.found = slices.Compact(k.found)
	if k.key == nil || slices.Equal(k.found, k.known) {
		return nil
	}
	rows := make([]byte, 0, 8*len(k.found))
	for _, key := range k.found {
		rows = binary.LittleEndian.AppendUint64(rows, key)
	}
	if err := flatfile.Write(s.root, SoundFile, soundVersion, *k.key, rows); err != nil {
		return err
	}
	return s.ignoreCache()
}

// What stands for something in order: half a checksum of all that decides about it, which for a
// memory is its bytes.

func soundMemory(m *Memory) uint64 { return binary.LittleEndian.Uint64(m.checksum[:]) }

// soundIndex is that of an index that agrees with the memories it should list.
func soundIndex(x *Index, doc []byte) uint64 {
	h := xxh3.New()
	_, _ = h.WriteString("index\x00" + x.File + "\x00") // a hash takes everything
	_, _ = h.Write(doc)
	for _, m := range x.Owned() {
		_, _ = h.WriteString("\x00" + m.File + "\x00" + m.Pointer() + "\x00")
		_, _ = h.Write(m.checksum[:])
	}
	return h.Sum64()
}

func soundLog(doc []byte) uint64 { return xxh3.HashSeed(doc, 1) }

// soundRecord is that of a file of a run, which nobody writes twice; false when it can't be told
// from another by when it was changed.
func (s *FileStore) soundRecord(name string) (uint64, bool) {
	info, err := s.root.Stat(name)
	if err != nil || info.ChangeTime.IsZero() || info.ChangeTime.After(time.Now().Add(-s.Racy)) {
		return 0, false
	}
	return xxh3.HashString(fmt.Sprintf("record\x00%s %v %d %d %d", name, info.ID, info.Size, info.ModTime.UnixNano(), info.ChangeTime.UnixNano())), true
}
