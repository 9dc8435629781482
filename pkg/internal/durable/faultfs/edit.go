package faultfs

import (
	"slices"

	"github.com/memoryd/memoryd/pkg/internal/durable"
)

// What somebody else may do to a file at any moment. None of it is durable before
// [Mem.Settle] or a sync.

// Overwrite writes new bytes into a file in place, as many editors do.
func (m *Mem) Overwrite(name string, data []byte) error {
	write, err := m.Open(name)
	if err == nil {
		write(data)
	}
	return err
}

// Open returns a function that writes into the file as it is now, wherever it
// stands by then.
func (m *Mem) Open(name string) (write func([]byte), err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	_, _, node, err := m.need("open", name)
	if err != nil {
		return nil, err
	}
	if node.entries != nil {
		return nil, durable.ErrLink
	}
	return func(data []byte) {
		m.mu.Lock()
		defer m.mu.Unlock()
		node.data, node.clean = slices.Clone(data), false
	}, nil
}

// Put writes a file beside the name and renames it there, as careful editors do.
// Missing directories are created.
func (m *Mem) Put(name string, data []byte) error {
	for i := range len(name) {
		if name[i] == '/' {
			if _, err := m.Stat(name[:i]); err != nil {
				if err := m.Mkdir(name[:i]); err != nil {
					return err
				}
			}
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	dir, base, node, err := m.get("put", name)
	if err != nil {
		return err
	}
	if node != nil && node.entries != nil {
		return durable.ErrLink
	}
	fresh := m.inode(0o644, nil)
	fresh.data = slices.Clone(data)
	m.apply(set{dir, base, fresh})
	return nil
}
