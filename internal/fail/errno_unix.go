//go:build unix

package fail

import (
	"errors"
	"syscall"
)

// diskFull reports whether an error says that the disk is full.
func diskFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}

// readOnly tells that an error is of a file system that can't be written.
func readOnly(err error) bool { return errors.Is(err, syscall.EROFS) }

// exhausted reports whether an error says that the process or the machine has no open files or no memory left.
func exhausted(err error) bool {
	return errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) || errors.Is(err, syscall.ENOMEM)
}
