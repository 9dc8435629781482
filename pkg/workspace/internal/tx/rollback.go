package tx

import (
	"errors"
	"fmt"

	"github.com/memoryd/memoryd/pkg/internal/durable"
	"github.com/memoryd/memoryd/pkg/workspace/internal/journal"
)

// rollback takes back, last first, what dead groups have changed. What somebody
// else changed since stays.
func (r *run) rollback() error {
	for i := len(r.j.Files) - 1; i >= 0; i-- {
		c := &r.j.Files[i]
		if _, dead := r.dead[c.Group]; !dead {
			continue
		}
		if err := r.takeBack(i); err != nil && !errors.Is(err, durable.ErrConflict) {
			return fmt.Errorf("take back %s: %w", c.Path, err)
		}
	}
	return nil
}

func (r *run) takeBack(i int) error {
	c, slot := &r.j.Files[i], r.slotOf(i)
	in, err := durable.Hash(r.root, slot)
	if err != nil {
		return err
	}
	live, err := durable.Hash(r.root, c.Path)
	if err != nil {
		return err
	}
	switch c.Kind() {
	case journal.Put:
		if live == c.Next {
			return r.swap(i, c.Next, c.Base, c.Before)
		}
	case journal.Create:
		switch {
		case live != c.Next:
		case in == durable.Absent:
			return r.swap(i, c.Next, durable.Absent, nil)
		case in == c.Next: // a second name of the same file: half a step survived
			if same, err := r.sameFile(slot, c.Path); err != nil || !same {
				return err
			}
			return r.root.Remove(c.Path)
		}
	case journal.Remove:
		switch {
		case in != c.Base || live == c.Base:
		case live == durable.Absent:
			return r.swap(i, durable.Absent, c.Base, c.Before)
		default: // its place was taken
			return r.aside(slot, c.Path)
		}
	}
	return nil
}
