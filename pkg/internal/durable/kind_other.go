//go:build !linux

package durable

import "io/fs"

// kindOf is a Kind for a mode of io/fs; Linux asks the kernel itself (readdir_linux.go).
func kindOf(mode fs.FileMode) Kind {
	switch {
	case mode.IsRegular():
		return Regular
	case mode.IsDir():
		return Dir
	case mode&fs.ModeSymlink != 0:
		return Link
	}
	return Other
}
