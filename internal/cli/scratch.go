package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/memoryd/memoryd/internal/app"
	"github.com/memoryd/memoryd/internal/simulate"
	"github.com/memoryd/memoryd/pkg/note"
)

// scratch copies a workspace, or a folder that is to be one, into the temporary directory, where a command can write as it would here: what
// it shows is then what happens. With an adopted folder of notes, the folder is copied too. A folder that doesn't exist gives an empty
// one. dir is the copy; remove takes it away.
func scratch(c *call, from string, hidden bool) (dir string, remove func() error, err error) {
	top, err := os.MkdirTemp(cmp.Or(c.env("TMPDIR"), os.TempDir()), "memory-scratch-")
	if err != nil {
		return "", nil, fmt.Errorf("make a folder: %w", err)
	}
	dir = top
	if _, err := os.Stat(filepath.Join(from, note.ManifestFile)); err == nil {
		from, dir, hidden = filepath.Dir(from), filepath.Join(top, filepath.Base(from)), true
	}
	line := c.Progress("copying")
	defer line.End()
	err = simulate.Copy(c.ctx, from, top, hidden, func(n int) { line.At(app.Quantity(n, "file")) })
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", nil, errors.Join(err, os.RemoveAll(top))
	}
	return dir, func() error { return os.RemoveAll(top) }, nil
}
