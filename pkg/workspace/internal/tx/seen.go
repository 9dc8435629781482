package tx

import (
	"errors"
	"io/fs"

	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/workspace/internal/seenfile"
)

// markSeen computes what the run notes of the memories that its plan looked at and leaves;
// it forgets those that are gone. A memory that was edited since the snapshot keeps its
// older note, so that the next run takes it for edited.
func (c *commit) markSeen() error {
	doc, _, err := c.root.Read(memory.SeenFile, maxSize)
	if err != nil && !errors.Is(err, fs.ErrNotExist) && !odd(err) {
		return err
	}
	before := seenfile.Parse(doc)
	gone := make(map[string]bool, len(before))
	for id := range before {
		gone[id] = true
	}
	now := map[string]string{} // id -> note
	note := func(m *memory.Memory) {
		delete(gone, m.ID)
		now[m.ID] = m.SeenNote(before[m.ID])
	}
	covers := c.tx.Plan.Covers
	for _, m := range c.tx.Snapshot.Memories() {
		delete(gone, m.ID)
		if covers != nil && !covers(m) {
			continue
		}
		if !m.SeenAs(before[m.ID]) {
			if err := c.learnFingerprint(m); err != nil {
				return err
			}
		}
		note(m)
	}
	for i := range c.tx.Plan.Actions {
		for _, op := range c.tx.Plan.Actions[i].Ops {
			switch {
			case !c.done[i]:
			case op.Kind == memory.Move && memory.InArchive(op.To.File):
				delete(now, op.ID)
				gone[op.ID] = true
			case op.Kind == memory.Put || op.Kind == memory.Create:
				note(memory.ParseRecord(op.Raw, op.Ref))
			}
		}
	}
	c.seen = map[string]string{}
	for id, note := range now {
		if note != before[id] {
			c.seen[id] = note
		}
	}
	for id := range gone {
		if _, noted := before[id]; noted {
			c.seen[id] = ""
		}
	}
	return nil
}

// learnFingerprint computes the fingerprint of a memory from one reading of its bytes. A disk
// that doesn't give them is an error: else that of no content would be noted. A record that
// has changed or gone since the snapshot is none.
func (c *commit) learnFingerprint(m *memory.Memory) error {
	if m.KnownFingerprint() != 0 {
		return nil
	}
	raw := m.Raw()
	if raw == nil {
		_, _, err := c.root.Read(m.File, maxSize)
		if err != nil && !errors.Is(err, fs.ErrNotExist) && !odd(err) {
			return err
		}
		if raw = m.Raw(); raw == nil {
			return nil
		}
	}
	same := memory.ParseRecord(raw, m.Ref)
	same.Fingerprint()
	m.KnowFingerprint(same.KnownFingerprint())
	return nil
}
