package workspace

import (
	"encoding/hex"
	"errors"
	"io/fs"
	"slices"
	"strings"

	"github.com/memoryd/memoryd/pkg/internal/durable"
	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
	"github.com/memoryd/memoryd/pkg/workspace/internal/seenfile"
)

// loadSeen reads the sightings. In a large workspace they are megabytes: where the process ends soon
// they are read where they lie.
func (s *FileStore) loadSeen() *seenfile.Notes {
	var doc []byte
	var lent bool
	var err error
	if s.Brief && s.seenLent.CompareAndSwap(false, true) { // once: the room is never given back
		doc, lent, err = durable.Lend(s.root, SeenFile, jsonedit.MaxSize)
	} else {
		doc, _, err = s.root.Read(SeenFile, jsonedit.MaxSize)
	}
	if err != nil {
		return &seenfile.Notes{}
	}
	if lent {
		defer durable.RestLent() // all of it is looked at, and little is needed again
		if s.Lent != nil {
			s.Lent(int64(len(doc)))
		}
	}
	return seenfile.Read(doc)
}

// sighting is what is noted of a memory that a run has seen: with the same checksum, the
// fingerprint needn't be made again to be known for the same.
func sighting(m *Memory, before string) string {
	if noted(m, before) {
		return before
	}
	short := shortChecksum(m)
	return string(short[:]) + "." + m.Fingerprint()
}

// noted reports whether before was noted of the very bytes.
func noted(m *Memory, before string) bool {
	sum, _, ok := strings.Cut(before, ".")
	short := shortChecksum(m)
	return ok && sum == string(short[:])
}

// shortChecksum is half of a memory's checksum, which is enough to compare it with one other.
func shortChecksum(m *Memory) (short [16]byte) {
	sum := m.Checksum()
	hex.Encode(short[:], sum[:8])
	return short
}

// editedSince reports whether a memory's text or tags differ from what was noted, which
// may be a fingerprint alone: so earlier versions noted it.
func editedSince(m *Memory, noted string) bool {
	sum, print, ok := strings.Cut(noted, ".")
	if !ok {
		print = noted
	}
	short := shortChecksum(m)
	return (!ok || sum != string(short[:])) && print != m.Fingerprint()
}

// markSeen notes the fingerprints that this run leaves for the memories it looked at, and
// forgets those that are gone. What was edited since the snapshot keeps the older
// fingerprint, so that the next run knows it for edited.
func (c *commit) markSeen() error {
	notes, err := c.sighted()
	if err != nil {
		return err
	}
	s := &seeing{Notes: notes, now: map[string]string{}}
	s.last = make([]int32, s.Len())
	s.lines = newNames(s.Len(), s.ID, hashName, sameName)
	s.live(c)
	for i := range c.tx.Plan.Actions {
		for _, op := range c.tx.Plan.Actions[i].Ops {
			switch {
			case !c.done[i]:
			case op.Kind == Move && inArchive(op.To.File):
				s.forget(op.ID)
			case op.Kind == Put || op.Kind == Create:
				s.note(parseMemory(op.Raw, op.Ref))
			}
		}
	}
	for line, last := range s.last {
		if last == 0 {
			s.forget(s.ID(line))
		}
	}
	c.seen = s.now
	return nil
}

// sighted is what stands in the file of sightings, which the run need not read again. It has
// megabytes in a large workspace: if the snapshot has read the same, they are not read into memory
// once more.
func (c *commit) sighted() (*seenfile.Notes, error) {
	notes := c.tx.Snapshot.sightings()
	sum := durable.Sum(notes.Doc())
	if now, err := durable.Hash(c.root, SeenFile); err != nil || now != sum {
		doc, _, err := c.root.Read(SeenFile, jsonedit.MaxSize)
		if err != nil && !errors.Is(err, fs.ErrNotExist) && !odd(err) {
			return nil, err
		}
		notes, sum = seenfile.Read(doc), durable.Sum(doc)
	}
	if doc := notes.Doc(); doc != nil {
		c.standing[SeenFile] = &standing{doc: doc, sum: sum}
	}
	return notes, nil
}

// seeing is what a run notes beside what was noted before it.
type seeing struct {
	*seenfile.Notes
	lines *names            // of these, by their ids
	last  []int32           // the place of the last memory of the id of each, one more
	now   map[string]string // what is noted otherwise, by id; "": nothing more
}

// live notes the live memories that were looked at. Few are made for it: what is known by
// its checksum is only glanced at, and of the others as many are held as are read together.
func (s *seeing) live(c *commit) {
	snap, covers := c.tx.Snapshot, c.tx.Plan.Covers
	rooms := make([]Room, 16*batchSize)
	var fresh []int32 // the places of those whose fingerprints are to be made
	for i := range snap.Len() {
		m := snap.Glance(i, &rooms[0])
		line := s.lines.first(m.ID)
		if line >= 0 {
			s.last[line] = int32(i) + 1
		}
		if (covers == nil || covers(m)) && (line < 0 || !noted(m, s.Print(line))) {
			fresh = append(fresh, int32(i))
		}
	}
	for batch := range slices.Chunk(fresh, len(rooms)) {
		ms := make([]*Memory, 0, len(batch))
		for k, place := range batch {
			m := snap.Glance(int(place), &rooms[k])
			if line := s.lines.first(m.ID); line < 0 || s.last[line] == place+1 { // of several of one id the last one
				ms = append(ms, m)
			}
		}
		fingerprints(c.root, c.parallel, ms)
		for _, m := range ms {
			s.note(m)
		}
	}
}

// note says what is noted of a memory from now on.
func (s *seeing) note(m *Memory) {
	before := ""
	line := s.lines.first(m.ID)
	if line >= 0 {
		before, s.last[line] = s.Print(line), max(s.last[line], 1)
	}
	if now := sighting(m, before); now != before {
		s.now[m.ID] = now
	} else {
		delete(s.now, m.ID)
	}
}

func (s *seeing) forget(id string) {
	delete(s.now, id)
	if s.lines.first(id) >= 0 {
		s.now[id] = ""
	}
}
