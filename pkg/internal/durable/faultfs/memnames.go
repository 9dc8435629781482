package faultfs

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	"github.com/memoryd/memoryd/pkg/internal/durable"
)

// Exchange implements [durable.FS].
func (m *Mem) Exchange(a, b string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.NoExchange {
		return fmt.Errorf("exchange %s: %w", a, errors.ErrUnsupported)
	}
	dirA, baseA, nodeA, err := m.need("exchange", a)
	if err != nil {
		return err
	}
	dirB, baseB, nodeB, err := m.need("exchange", b)
	if err != nil {
		return err
	}
	m.apply(set{dirA, baseA, nodeB}, set{dirB, baseB, nodeA})
	return nil
}

// Move implements [durable.FS].
func (m *Mem) Move(from, to string) error {
	if m.NoExchange {
		return fmt.Errorf("move %s: %w", from, errors.ErrUnsupported)
	}
	return m.rename("move", from, to, false)
}

// Rename implements [durable.FS].
func (m *Mem) Rename(from, to string) error { return m.rename("rename", from, to, true) }

func (m *Mem) rename(op, from, to string, over bool) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	dirA, baseA, node, err := m.need(op, from)
	if err != nil {
		return err
	}
	dirB, baseB, target, err := m.get(op, to)
	switch {
	case err != nil:
		return err
	case target != nil && !over:
		return fail(op, to, fs.ErrExist)
	case target != nil && target.entries != nil:
		return fail(op, to, syscall.EISDIR)
	case target == node:
		return nil
	}
	m.apply(set{dirB, baseB, node}, set{dirA, baseA, nil})
	return nil
}

// Link implements [durable.FS].
func (m *Mem) Link(from, to string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.NoLink {
		return fmt.Errorf("link %s: %w", from, errors.ErrUnsupported)
	}
	_, _, node, err := m.need("link", from)
	if err != nil {
		return err
	}
	if node.entries != nil {
		return fail("link", from, syscall.EPERM)
	}
	dir, base, err := m.free("link", to)
	if err != nil {
		return err
	}
	m.apply(set{dir, base, node})
	return nil
}

// Remove implements [durable.FS].
func (m *Mem) Remove(name string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	dir, base, node, err := m.need("remove", name)
	if err != nil {
		return err
	}
	if len(node.entries) > 0 {
		return fail("remove", name, syscall.ENOTEMPTY)
	}
	m.apply(set{dir, base, nil})
	return nil
}

// TryLock implements [durable.FS]. The lock file holds the holder.
func (m *Mem) TryLock(name, holder string) (func() error, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.lock != "" {
		return nil, fmt.Errorf("lock %s: %w", name, &durable.HeldError{Holder: m.lock})
	}
	dir, base, node, err := m.get("lock", name)
	if err != nil {
		return nil, err
	}
	if node == nil {
		m.apply(set{dir, base, m.inode(0o644, nil)})
	}
	m.lock = holder
	return func() error {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.lock = ""
		return nil
	}, nil
}
