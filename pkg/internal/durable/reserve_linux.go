package durable

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

func (o *osFS) reserve(name string, size int64, mode fs.FileMode) error {
	f, err := o.Create(name, nil, mode)
	if err != nil {
		return err
	}
	err = retry(func() error { return unix.Fallocate(int(f.(*os.File).Fd()), 0, 0, size) })
	if err = errors.Join(wrap("reserve", name, err), f.Close()); err != nil {
		return errors.Join(err, o.Remove(name))
	}
	return nil
}
