package durable

import "golang.org/x/sys/unix"

func remote(dir string) (string, error) {
	var st unix.Statfs_t
	if err := retry(func() error { return unix.Statfs(dir, &st) }); err != nil || st.Flags&unix.MNT_LOCAL != 0 {
		return "", wrap("statfs", dir, err)
	}
	return unix.ByteSliceToString(st.Fstypename[:]), nil
}
