package cli

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// backupMark stands in the name of a file as it was, between the file's name and
// the time. No host takes such a file for settings.
const backupMark = ".memory-backup-"

// write makes the change: the file as it was is kept under a name with the stamp, unless that is "", and the new one takes its place
// in one step, with the mode of the old one. A file that has changed since it was
// read is a conflict. A link stays one: what it points to is changed.
func (f *fileChange) write(stamp string) error {
	if f.before == nil {
		if err := os.MkdirAll(filepath.Dir(f.File), 0o755); err != nil {
			return err
		}
		return f.replace()
	}
	target, err := filepath.EvalSymlinks(f.File)
	if err != nil {
		return err
	}
	info, err := os.Stat(target)
	if err != nil {
		return err
	}
	if f.Removed {
		if err := f.unchanged(target); err != nil {
			return err
		}
		return os.Remove(f.File)
	}
	if stamp == "" {
		return f.replace()
	}
	f.Backup = target + backupMark + stamp
	err = create(f.Backup, f.before, info.Mode().Perm())
	for n := 2; errors.Is(err, os.ErrExist) && n < 100; n++ { // another change at the same time
		f.Backup = fmt.Sprintf("%s%s%s-%d", target, backupMark, stamp, n)
		err = create(f.Backup, f.before, info.Mode().Perm())
	}
	if err != nil {
		return err
	}
	return f.replace()
}

// replace puts the new text in the place of the old one in one step.
func (f *fileChange) replace() error {
	if f.before == nil {
		return create(f.File, f.after, 0o644)
	}
	target, err := filepath.EvalSymlinks(f.File)
	if err != nil {
		return err
	}
	info, err := os.Stat(target)
	if err != nil {
		return err
	}
	tmp := fmt.Sprintf("%s.memory-new-%d", target, os.Getpid())
	if err := create(tmp, f.after, info.Mode().Perm()); err != nil {
		return err
	}
	if err = f.unchanged(target); err == nil {
		err = os.Rename(tmp, target)
	}
	if err != nil {
		return errors.Join(err, os.Remove(tmp))
	}
	return nil
}

// unchanged checks that a file is as it was read.
func (f *fileChange) unchanged(target string) error {
	now, err := os.ReadFile(target)
	if err == nil && !bytes.Equal(now, f.before) {
		return failf(exitStale, "changed by somebody else meanwhile: try again")
	}
	return err
}

// create writes a file whose name is free, durably; on an error there is none.
func create(name string, text []byte, mode os.FileMode) error {
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

// backups lists the copies that are kept of a file, as it was before changes.
func backups(name string) (all []string) {
	entries, err := os.ReadDir(filepath.Dir(name))
	if err != nil {
		return nil
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), filepath.Base(name)+backupMark) {
			all = append(all, e.Name())
		}
	}
	return all
}
