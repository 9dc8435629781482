// Package filechange changes a file that belongs to somebody else, such as the settings of an agent host: the change is shown as a diff
// first, a copy of the file can be kept, and the new text takes the place of the old one in one step, with its mode. A file that has
// changed since it was read stays as it is.
package filechange

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"github.com/memoryd/memoryd/internal/fail"
)

// Change is what becomes of a file.
type Change struct {
	File    string `json:"file"`
	Changed bool   `json:"changed"`
	Diff    string `json:"diff"`
	Backup  string `json:"backup,omitempty"`
	Removed bool   `json:"removed,omitempty"`

	Before []byte `json:"-"` // as it was read; nil: no file
	After  []byte `json:"-"` // nil: no file
}

// BackupMark separates the name of a file and the stamp in the name of a copy. No host takes such a file for settings.
const BackupMark = ".memory-backup-"

// Read reads a file; nil when there is none.
func Read(name string) ([]byte, error) {
	text, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil && text == nil {
		text = []byte{}
	}
	return text, err
}

// Compare fills in Changed, Removed and Diff.
func (c *Change) Compare() {
	c.Changed = (c.Before == nil) != (c.After == nil) || string(c.Before) != string(c.After)
	c.Removed = c.Changed && c.After == nil
	if c.Changed {
		c.Diff = udiff.Unified(c.File, c.File, string(c.Before), string(c.After))
	}
}

// Write makes the change. Unless stamp is "", the file as it was is kept under a name with the stamp. A file that has changed since it
// was read is a conflict. A link stays one: what it points to is changed.
func (c *Change) Write(stamp string) error {
	if c.Before == nil {
		if err := os.MkdirAll(filepath.Dir(c.File), 0o755); err != nil {
			return err
		}
		return c.Replace()
	}
	target, err := filepath.EvalSymlinks(c.File)
	if err != nil {
		return err
	}
	info, err := os.Stat(target)
	if err != nil {
		return err
	}
	if c.Removed {
		if err := c.unchanged(target); err != nil {
			return err
		}
		return os.Remove(c.File)
	}
	if stamp == "" {
		return c.Replace()
	}
	c.Backup = target + BackupMark + stamp
	err = Create(c.Backup, c.Before, info.Mode().Perm())
	for n := 2; errors.Is(err, os.ErrExist) && n < 100; n++ { // another change at the same time
		c.Backup = fmt.Sprintf("%s%s%s-%d", target, BackupMark, stamp, n)
		err = Create(c.Backup, c.Before, info.Mode().Perm())
	}
	if err != nil {
		return err
	}
	return c.Replace()
}

// Replace puts the new text in the place of the old one in one step. The directory of the file exists.
func (c *Change) Replace() error {
	if c.Before == nil {
		return Create(c.File, c.After, 0o644)
	}
	target, err := filepath.EvalSymlinks(c.File)
	if err != nil {
		return err
	}
	info, err := os.Stat(target)
	if err != nil {
		return err
	}
	tmp := fmt.Sprintf("%s.memory-new-%d", target, os.Getpid())
	if err := Create(tmp, c.After, info.Mode().Perm()); err != nil {
		return err
	}
	if err = c.unchanged(target); err == nil {
		err = os.Rename(tmp, target)
	}
	if err != nil {
		return errors.Join(err, os.Remove(tmp))
	}
	return nil
}

// unchanged checks that a file is as it was read.
func (c *Change) unchanged(target string) error {
	now, err := os.ReadFile(target)
	if err == nil && !bytes.Equal(now, c.Before) {
		return fail.Errorf(fail.ExitStale, "changed by somebody else meanwhile: try again")
	}
	return err
}

// Create writes a file whose name is free, durably; on an error there is none.
func Create(name string, text []byte, mode os.FileMode) error {
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
		return errors.Join(err, os.Remove(name))
	}
	return nil
}

// Remove removes a file, if there is one.
func Remove(name string) error {
	if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Backups lists the copies that are kept of a file, as it was before changes.
func Backups(name string) (all []string) {
	entries, err := os.ReadDir(filepath.Dir(name))
	if err != nil {
		return nil
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), filepath.Base(name)+BackupMark) {
			all = append(all, e.Name())
		}
	}
	return all
}
