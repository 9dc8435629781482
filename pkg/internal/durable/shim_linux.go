package durable

import (
	"os"

	"golang.org/x/sys/unix"
)

// List is ReadDir, and describes the directory as it was before, where the time of change
// of a directory is known to tell of each change of a name in it.
func (d *dirFS) List(name string) (list []Entry, was Info, err error) {
	err = d.openDir("readdir", name, func(dir *os.File) (err error) {
		var st unix.Stat_t
		if onDisk(int(dir.Fd())) && retry(func() error { return unix.Fstat(int(dir.Fd()), &st) }) == nil {
			was = infoOf(&st)
		}
		list, err = readDir(dir)
		return err
	})
	return list, was, err
}

func onDisk(dir int) bool {
	var st unix.Statfs_t
	if retry(func() error { return unix.Fstatfs(dir, &st) }) != nil {
		return false
	}
	switch st.Type {
	case unix.EXT4_SUPER_MAGIC, unix.XFS_SUPER_MAGIC, unix.BTRFS_SUPER_MAGIC, unix.F2FS_SUPER_MAGIC, unix.TMPFS_MAGIC, unix.OVERLAYFS_SUPER_MAGIC:
		return true
	}
	return false
}
