package durable

import "golang.org/x/sys/unix"

// onDisk reports whether a directory lies on a file system that asks nobody but this machine.
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

// datesNames reports whether a directory's time of change is another one after each change of a name
// in it, or of what a name stands for, as POSIX wants it: some file systems of others, and some in
// user space, do otherwise.
func datesNames(dir int) bool { return onDisk(dir) }
