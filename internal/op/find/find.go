// Package find finds memories by their ids, and says what else could be meant where there is none.
package find

import (
	"errors"
	"fmt"
	"slices"

	"github.com/memoryd/memoryd/internal/app"
	"github.com/memoryd/memoryd/internal/fail"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/workspace"
)

// One is the memory with an id, as [memory.Snapshot.One], whose bytes can be read. An id that no memory has gets a suggestion.
func One(snap *memory.Snapshot, id string) (*memory.Memory, error) {
	m, err := snap.One(id)
	if m == nil {
		return nil, explained(snap, id, err)
	}
	return m, Readable(m)
}

// Known checks that every id is that of some memory, so that a slip gets a suggestion.
func Known(snap *memory.Snapshot, ids ...string) error {
	for _, id := range ids {
		if len(snap.Find(id)) == 0 {
			return Missing(snap, id)
		}
	}
	return nil
}

// Readable is the error about a memory whose file has gone, or holds something else, since the snapshot was made; nil for others.
func Readable(m *memory.Memory) error {
	if m.Raw() == nil {
		return fail.New(fail.ErrStale, "%s: %s changed meanwhile: try again", m.ID, m.Ref)
	}
	return nil
}

// Replaceable checks that a memory, "" for a new one, can supersede others: live ones, which don't supersede it.
func Replaceable(snap *memory.Snapshot, id string, others []string) error {
	var by []string // what supersedes it already
	if self := snap.Live(id); self != nil {
		by = self.SupersededBy
	}
	for _, other := range others {
		m, err := One(snap, other)
		switch {
		case err != nil:
			return err
		case m.Archived:
			return fail.WithHint(fail.New(fail.ErrInvalid, "%s is in the archive: only a live memory can be superseded", other), "memory restore "+other)
		case id != "" && (m.ID == id || slices.Contains(m.Supersedes, id) || slices.Contains(by, m.ID)):
			return fail.New(fail.ErrInvalid, "%s can't supersede %s: that one supersedes it", id, other)
		}
	}
	return nil
}

// Missing is the error for an id that no memory has.
func Missing(snap *memory.Snapshot, id string) error {
	_, err := memory.Only(id, nil)
	return explained(snap, id, err)
}

func explained(snap *memory.Snapshot, id string, err error) error {
	if len(snap.Find(id)) > 0 {
		return err
	}
	if near := near(snap, id); near != "" {
		err = fail.WithHint(err, "did you mean "+near+"?")
	}
	return &missing{id, err}
}

// missing is about an id that no memory has.
type missing struct {
	id  string
	err error
}

func (e *missing) Error() string { return e.err.Error() }
func (e *missing) Unwrap() error { return e.err }

// near is the id most like one that no memory has; "" for none much like it.
func near(snap *memory.Snapshot, id string) string {
	ids := snap.IDs()
	if len(ids) > 20_000 { // comparing takes some 10 µs each
		ids = slices.DeleteFunc(ids, func(other string) bool {
			return len(other) != len(id) || other[:min(4, len(id))] != id[:min(4, len(id))]
		})
	}
	return app.Closest(id, ids)
}

// Unread is the error about a memory in a file or directory that can't be read; nil for any other.
func Unread(snap *memory.Snapshot, id string) error {
	p, ok := snap.Unread(id)
	if !ok {
		return nil
	}
	return fail.WithHint(fmt.Errorf("%s: %s: %s", id, p.File, p.Message), p.Hint)
}

// History is what [Why] needs of a workspace.
type History interface {
	History(id string) ([]workspace.Version, error)
}

// Why says of a memory that was not found that its file can't be read, or was deleted, where that is so. Any other error stays.
func Why(store History, snap *memory.Snapshot, err error) error {
	var m *missing
	if !errors.As(err, &m) {
		return err
	}
	if closed := Unread(snap, m.id); closed != nil {
		return closed
	}
	if len(snap.Find(m.id)) > 0 {
		return err
	}
	past, failed := store.History(m.id)
	if failed != nil {
		return errors.Join(err, failed)
	}
	if n := len(past) - 1; n >= 0 && past[n].After != nil {
		return fail.WithHint(fail.Errorf(fail.ExitNotFound, "%s was deleted outside of memoryd after %s", m.id, past[n].RunID), "to bring it back: memory restore "+m.id)
	}
	return err
}
