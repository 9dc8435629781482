package memfs

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"

	"github.com/memoryd/memoryd/pkg/workspace/disk"
)

// Exchange implements [disk.Disk].
func (m *FS) Exchange(a, b string) error {
	m.Mu.Lock()
	defer m.Mu.Unlock()
	if m.NoExchange {
		return fmt.Errorf("exchange %s: %w", a, errors.ErrUnsupported)
	}
	dirA, baseA, nodeA, err := m.entry("exchange", a)
	if err != nil {
		return err
	}
	dirB, baseB, nodeB, err := m.entry("exchange", b)
	if err != nil {
		return err
	}
	if below(a, b) || below(b, a) {
		return fail("exchange", a, syscall.EINVAL)
	}
	m.apply(Set{dirA, baseA, nodeB}, Set{dirB, baseB, nodeA})
	return nil
}

// below reports whether a name leads into a directory.
func below(name, dir string) bool { return strings.HasPrefix(name, dir+"/") }

// Move implements [disk.Disk].
func (m *FS) Move(from, to string) error {
	if m.NoExchange {
		return fmt.Errorf("move %s: %w", from, errors.ErrUnsupported)
	}
	return m.rename("move", from, to, false)
}

// Rename implements [disk.Disk].
func (m *FS) Rename(from, to string) error { return m.rename("rename", from, to, true) }

func (m *FS) rename(op, from, to string, over bool) error {
	m.Mu.Lock()
	defer m.Mu.Unlock()
	dirA, baseA, node, err := m.entry(op, from)
	if err != nil {
		return err
	}
	dirB, baseB, target, err := m.get(op, to)
	switch {
	case err != nil:
		return err
	case target != nil && !over:
		return fail(op, to, fs.ErrExist)
	case target != nil && target.Entries != nil:
		return fail(op, to, syscall.EISDIR)
	case target == node:
		return nil
	case below(to, from):
		return fail(op, to, syscall.EINVAL)
	}
	m.apply(Set{dirB, baseB, node}, Set{dirA, baseA, nil})
	return nil
}

// Link implements [disk.Linker].
func (m *FS) Link(from, to string) error {
	m.Mu.Lock()
	defer m.Mu.Unlock()
	if m.NoLink {
		return fmt.Errorf("link %s: %w", from, errors.ErrUnsupported)
	}
	_, _, node, err := m.need("link", from)
	if err != nil {
		return err
	}
	if node.Entries != nil {
		return fail("link", from, syscall.EPERM)
	}
	dir, base, err := m.free("link", to)
	if err != nil {
		return err
	}
	node.Linked = true
	m.apply(Set{dir, base, node})
	return nil
}

// Remove implements [disk.Disk].
func (m *FS) Remove(name string) error {
	m.Mu.Lock()
	defer m.Mu.Unlock()
	dir, base, node, err := m.entry("remove", name)
	if err != nil {
		return err
	}
	if len(node.Entries) > 0 {
		return fail("remove", name, syscall.ENOTEMPTY)
	}
	m.apply(Set{dir, base, nil})
	return nil
}

// TryLock implements [disk.Disk]. The lock file stays empty.
func (m *FS) TryLock(name, holder string) (func() error, error) {
	m.Mu.Lock()
	defer m.Mu.Unlock()
	dir, base, node, err := m.file("lock", name)
	if err != nil {
		return nil, err
	}
	if node == nil {
		node = m.node(0o644, nil)
		m.apply(Set{dir, base, node})
	}
	if by, held := m.locks[node]; held {
		return nil, fmt.Errorf("lock %s: %w", name, &disk.HeldError{Holder: by})
	}
	m.locks[node] = holder
	return func() error {
		m.Mu.Lock()
		defer m.Mu.Unlock()
		delete(m.locks, node)
		return nil
	}, nil
}
