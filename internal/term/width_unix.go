//go:build unix

package term

import (
	"os"

	"golang.org/x/sys/unix"
)

// Width tells whether a file is a terminal, and how many columns it has.
func Width(f *os.File) (columns int, terminal bool) {
	size, err := unix.IoctlGetWinsize(int(f.Fd()), unix.TIOCGWINSZ)
	if err != nil {
		return 0, false
	}
	return int(size.Col), true
}
