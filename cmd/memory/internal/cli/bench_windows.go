package cli

import (
	"os"
	"path/filepath"
)

// floorFiles describes the files of a directory, or reads them. It has no use for
// the buffer.
func floorFiles(dir string, names []string, look func(doc []byte) int, buf []byte) ([]byte, error) {
	for _, name := range names {
		name = filepath.Join(dir, name)
		if look == nil {
			if _, err := os.Lstat(name); err != nil {
				return buf, err
			}
			continue
		}
		doc, err := os.ReadFile(name)
		if err != nil {
			return buf, err
		}
		look(doc)
	}
	return buf, nil
}

// floorNames lists a directory.
func floorNames(dir string) (names []string, err error) {
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names, err
}

// flushDisks would have the system write what it holds back: this one has no call for it.
func flushDisks() {}
