// Package notefiles reads the files of notes below a path, for an import and for an audit.
package notefiles

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/memoryd/memoryd/internal/fail"
	"github.com/memoryd/memoryd/internal/paths"
)

// Endings are those of file names that say what format a file has.
var Endings = []string{".json", ".jsonl", ".ndjson", ".md", ".markdown", ".mdc"}

// maxSize bounds a file that is read, and maxFiles how many.
const (
	maxSize  = 32 << 20
	maxFiles = 100_000
)

// Options say which files are read.
type Options struct {
	Dir  paths.Dir              // where relative paths begin
	Skip func(dir string) bool  // leaves out a directory and all below it; nil for none
	Want func(file string) bool // whether a file is read
	Note func(text string)      // is called for each file that is wanted and left out
}

// Read reads the files at a path, in the order of their names. It follows no links, and reads no hidden directories.
func Read(ctx context.Context, name string, o Options, add func(file string, text []byte, info fs.FileInfo)) error {
	root, n := o.Dir.Resolve(name), 0
	err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && file != root && (strings.HasPrefix(d.Name(), ".") || o.Skip != nil && o.Skip(file)):
			return filepath.SkipDir
		case d.Type() == fs.ModeSymlink && o.Want(file):
			o.Note(o.Dir.Short(file) + " is a link: not followed, and left out")
			return ctx.Err()
		case !d.Type().IsRegular() || !o.Want(file):
			return ctx.Err()
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		if info.Size() > maxSize {
			o.Note(fmt.Sprintf("%s is larger than %d MB and left out", o.Dir.Short(file), maxSize>>20))
			return nil
		}
		if n++; n > maxFiles {
			return fmt.Errorf("more than %d files: name a part of them", maxFiles)
		}
		text, err := os.ReadFile(file)
		add(file, text, info)
		return err
	})
	if errors.Is(err, fs.ErrNotExist) {
		return NotFound(name)
	}
	if err != nil {
		return fmt.Errorf("read %s: %w", name, err)
	}
	return nil
}

// NotFound is the error about a path at which there is nothing.
func NotFound(name string) error {
	return fail.Errorf(fail.ExitNotFound, "%s: no such file or directory", name)
}
