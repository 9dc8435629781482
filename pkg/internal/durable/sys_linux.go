package durable

import (
	"errors"

	"golang.org/x/sys/unix"
)

func exchange(dirA int, a string, dirB int, b string) error {
	return unix.Renameat2(dirA, a, dirB, b, unix.RENAME_EXCHANGE)
}

func move(dirA int, a string, dirB int, b string) error {
	return unix.Renameat2(dirA, a, dirB, b, unix.RENAME_NOREPLACE)
}

// leased takes a read lease, and reports that somebody else has the file open for writing.
func leased(fd int) (others bool, err error) {
	_, err = unix.FcntlInt(uintptr(fd), unix.F_SETLEASE, unix.F_RDLCK)
	if errors.Is(err, unix.EAGAIN) {
		return true, nil
	}
	return false, err
}

// networks are the types of network file systems (linux/magic.h and their sources).
var networks = map[uint32]string{
	unix.NFS_SUPER_MAGIC:   "nfs",
	unix.SMB_SUPER_MAGIC:   "smb",
	unix.SMB2_SUPER_MAGIC:  "smb",
	unix.CIFS_SUPER_MAGIC:  "cifs",
	unix.CODA_SUPER_MAGIC:  "coda",
	unix.AFS_FS_MAGIC:      "afs",
	unix.AFS_SUPER_MAGIC:   "afs",
	unix.CEPH_SUPER_MAGIC:  "ceph",
	unix.NCP_SUPER_MAGIC:   "ncp",
	unix.V9FS_MAGIC:        "9p",
	unix.OCFS2_SUPER_MAGIC: "ocfs2",
	0x01161970:             "gfs2",
	0x0bd00bd0:             "lustre",
	0x47504653:             "gpfs",
	0x19830326:             "beegfs",
}

func remote(dir string) (string, error) {
	var st unix.Statfs_t
	err := retry(func() error { return unix.Statfs(dir, &st) })
	return networks[uint32(st.Type)], wrap("statfs", dir, err)
}
