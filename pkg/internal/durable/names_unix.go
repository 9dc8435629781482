//go:build unix

package durable

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// two does something with two names.
func (o *osFS) two(op, a, b string, f func(dirA int, a string, dirB int, b string) error) error {
	return o.at(op, a, func(dirA int, fileA string) error {
		return o.at(op, b, func(dirB int, fileB string) error {
			return retry(func() error { return f(dirA, fileA, dirB, fileB) })
		})
	})
}

// Exchange implements [FS].
//
//	linux: renameat2(RENAME_EXCHANGE); darwin: renameatx_np(RENAME_SWAP)
func (o *osFS) Exchange(a, b string) error { return o.two("exchange", a, b, exchange) }

// Move implements [FS].
//
//	linux: renameat2(RENAME_NOREPLACE); darwin: renameatx_np(RENAME_EXCL)
func (o *osFS) Move(from, to string) error { return o.two("move", from, to, move) }

// Rename implements [FS].
//
//	renameat
func (o *osFS) Rename(from, to string) error { return o.two("rename", from, to, unix.Renameat) }

// Link implements [FS].
//
//	linkat; without links (EPERM, EMLINK, EOPNOTSUPP): ErrUnsupported
func (o *osFS) Link(from, to string) error {
	err := o.two("link", from, to, func(dirA int, a string, dirB int, b string) error {
		return unix.Linkat(dirA, a, dirB, b, 0)
	})
	if errors.Is(err, unix.EPERM) || errors.Is(err, unix.EMLINK) {
		err = fmt.Errorf("%w: %w", err, errors.ErrUnsupported)
	}
	return err
}

// Remove implements [FS].
//
//	unlinkat; for a directory unlinkat(AT_REMOVEDIR)
func (o *osFS) Remove(name string) error {
	return o.at("remove", name, func(dir int, file string) error {
		var st unix.Stat_t
		if err := retry(func() error { return unix.Fstatat(dir, file, &st, unix.AT_SYMLINK_NOFOLLOW) }); err != nil {
			return err
		}
		flags := 0
		if st.Mode&unix.S_IFMT == unix.S_IFDIR {
			flags = unix.AT_REMOVEDIR
		}
		return retry(func() error { return unix.Unlinkat(dir, file, flags) })
	})
}
