package workspace

import "github.com/memoryd/memoryd/pkg/workspace/disk"

// Disk is where a workspace lies; see package disk. Package storetest checks one.
type Disk = disk.Disk

// OpenOn opens the workspace on a disk. [Open] is OpenOn the directory of the
// operating system. Nothing is read or written before the first use; Close closes
// the disk.
func OpenOn(d Disk) *FileStore { return newStore(d, "") }
