package durable

import (
	"errors"
	"io/fs"
)

// Reserve creates a file that holds so many bytes of the disk back, until it is removed:
// for what is to be written then, and must not fail. What is in it is nobody's business.
//
//	FS.Create; fallocate, or where there is none: write zeros; fsync; close
func Reserve(fsys FS, name string, size int64, mode fs.FileMode) error {
	direct, ok := fsys.(interface {
		reserve(name string, size int64, mode fs.FileMode) error
	})
	if ok {
		err := direct.reserve(name, size, mode)
		if !errors.Is(err, errors.ErrUnsupported) {
			return err
		}
	}
	return Write(fsys, name, make([]byte, size), mode)
}
