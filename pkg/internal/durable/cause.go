package durable

import (
	"errors"
	"io/fs"
)

// Cause is the message of an error without the operation and the path of an [fs.PathError], for a message that
// names them already.
func Cause(err error) string {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err.Error()
	}
	return err.Error()
}

// Exists reports whether anything has the name.
func Exists(root FS, name string) (bool, error) {
	_, err := root.Stat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}
