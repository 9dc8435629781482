package faultfs

import "github.com/memoryd/memoryd/pkg/internal/durable/memfs"

// Mem is a disk in memory that knows what of it would survive a loss of power.
// What others do with its Put, Overwrite and Open is not durable before [Mem.Settle]
// or a sync.
type Mem struct{ *memfs.FS }

// New returns an empty disk. Its files have no times, so that all are read again.
func New() *Mem {
	m := &Mem{memfs.New()}
	m.Track = true
	m.Settle()
	return m
}

// Overwrite writes new bytes into a file in place, as many editors do.
func (m *Mem) Overwrite(name string, data []byte) error {
	write, err := m.Open(name)
	if err == nil {
		write(data)
	}
	return err
}
