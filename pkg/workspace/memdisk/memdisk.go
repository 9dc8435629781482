package memdisk

import (
	"time"

	"github.com/memoryd/memoryd/pkg/internal/durable/memfs"
	"github.com/memoryd/memoryd/pkg/workspace/disk"
)

// Disk is a [disk.Disk] in memory. It is safe for concurrent use.
type Disk struct {
	disk.Disk
	fs *memfs.FS
}

// New returns an empty disk.
func New() *Disk {
	fs := memfs.New()
	fs.Now = time.Now
	return &Disk{fs, fs}
}

// Put writes a file, in one step, and creates missing directories. Unlike Create it
// replaces what has the name, unless that is a directory: [disk.ErrLink].
func (d *Disk) Put(name string, data []byte) error { return d.fs.Put(name, data) }

// Files returns the content of every file by name.
func (d *Disk) Files() map[string]string { return d.fs.Files() }
