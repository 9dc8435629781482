package durable

import "golang.org/x/sys/unix"

func exchange(dirA int, a string, dirB int, b string) error {
	return unix.RenameatxNp(dirA, a, dirB, b, unix.RENAME_SWAP)
}

func move(dirA int, a string, dirB int, b string) error {
	return unix.RenameatxNp(dirA, a, dirB, b, unix.RENAME_EXCL)
}

func remote(dir string) (string, error) {
	var st unix.Statfs_t
	if err := retry(func() error { return unix.Statfs(dir, &st) }); err != nil || st.Flags&unix.MNT_LOCAL != 0 {
		return "", wrap("statfs", dir, err)
	}
	return unix.ByteSliceToString(st.Fstypename[:]), nil
}

func leased(int) (bool, error) { return false, unix.ENOTSUP }
