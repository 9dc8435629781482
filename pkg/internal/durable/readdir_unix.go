//go:build unix && !linux

package durable

import (
	"errors"
	"os"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// readDir lists the directory that fd is, sorted by name.
func readDir(fd int) (list []Entry, err error) {
	own, err := unix.Dup(fd) // for the file closes its own
	if err != nil {
		return nil, err
	}
	unix.CloseOnExec(own)
	d := os.NewFile(uintptr(own), "directory")
	entries, err := d.ReadDir(-1)
	for _, e := range entries {
		list = append(list, Entry{e.Name(), kindOf(e.Type())})
	}
	slices.SortFunc(list, func(a, b Entry) int { return strings.Compare(a.Name, b.Name) })
	return list, errors.Join(err, d.Close())
}
