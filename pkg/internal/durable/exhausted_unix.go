//go:build unix

package durable

import (
	"errors"

	"golang.org/x/sys/unix"
)

// Exhausted reports whether an error says that the process or the machine has no open files or no memory left: it
// tells nothing about the file that was asked for.
func Exhausted(err error) bool {
	return errors.Is(err, unix.EMFILE) || errors.Is(err, unix.ENFILE) || errors.Is(err, unix.ENOMEM)
}
