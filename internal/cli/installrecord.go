package cli

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/memoryd/memoryd/internal/fail"
)

// recordDir lies in a project, or in a person's directory of a host. It holds files as they were before "memory install", and the
// record of what was done. Git ignores it.
const recordDir = ".memory-install"

const (
	recordFile = "record.json"
	beforeDir  = "before"
)

// installRecord is what installing has changed below a directory.
type installRecord struct {
	root string

	Files map[string]installedFile `json:"files"` // by their paths from the root
	// Directories were made by installing; "." is the root itself.
	Directories []string `json:"directories,omitempty"`
}

// installedFile is a file that holds something of ours.
type installedFile struct {
	Existed bool `json:"existed"` // there was a file before
	// Sum is the SHA-256 of the file as it was installed; "" where the file that is kept isn't the one to go back to.
	Sum    string `json:"sum,omitempty"`
	Server string `json:"server,omitempty"` // the name of our server in it
}

// readRecord reads the record of a directory; an empty one where there is none.
func readRecord(root string) (*installRecord, error) {
	r := &installRecord{root: root, Files: map[string]installedFile{}}
	name := filepath.Join(root, recordDir, recordFile)
	text, err := readOptional(name)
	if err != nil || text == nil {
		return r, err
	}
	if err := json.Unmarshal(text, r); err != nil {
		return nil, fail.WithHint(fmt.Errorf("read %s: %w", name, err), "remove it: uninstalling then takes out what is ours, and leaves all else")
	}
	if r.Files == nil {
		r.Files = map[string]installedFile{}
	}
	r.Directories = slices.DeleteFunc(r.Directories, func(dir string) bool { return !filepath.IsLocal(filepath.FromSlash(dir)) })
	return r, nil
}

// name is a file's path from the root.
func (r *installRecord) name(file string) string {
	rel, err := filepath.Rel(r.root, file)
	if err != nil {
		return filepath.ToSlash(file)
	}
	return filepath.ToSlash(rel)
}

func (r *installRecord) file(file string) installedFile { return r.Files[r.name(file)] }

// existed reports whether a file is known to have been there before.
func (r *installRecord) existed(file string) bool { return r.file(file).Existed }

// kept is where a file as it was is kept.
func (r *installRecord) kept(file string) string {
	return filepath.Join(r.root, recordDir, beforeDir, filepath.FromSlash(r.name(file)))
}

func sum(text []byte) string {
	h := sha256.Sum256(text)
	return hex.EncodeToString(h[:])
}

// untouched reports whether a file says what was installed.
func (r *installRecord) untouched(file string, text []byte) bool {
	known := r.file(file)
	return text != nil && known.Sum != "" && known.Sum == sum(text)
}

// restored is a file as it was before it was installed, nil for none. ok: nobody has changed it since, and it is known.
func (r *installRecord) restored(file string, now []byte) (text []byte, ok bool) {
	if !r.untouched(file, now) {
		return nil, false
	}
	if !r.existed(file) {
		return nil, true
	}
	text, err := readOptional(r.kept(file))
	return text, err == nil && text != nil
}

// note saves copies of files, and records how they are about to be changed.
func (r *installRecord) note(changes []*fileChange) error {
	noted := false
	for _, f := range changes {
		if !f.Changed {
			continue
		}
		noted = true
		name := r.name(f.File)
		known, there := r.Files[name]
		next := installedFile{Existed: f.before != nil, Sum: sum(f.after), Server: f.server}
		switch {
		case r.untouched(f.File, f.before): // once more: what was before stays so
			next.Existed = known.Existed
		case f.mixed:
			next.Existed, next.Sum = !there || known.Existed, ""
			fallthrough
		case f.before != nil:
			if err := r.keep(f); err != nil {
				return err
			}
		}
		r.Files[name] = next
		r.noteDirectories(filepath.Dir(f.File))
	}
	if !noted {
		return nil
	}
	return r.write()
}

// keep keeps a file as it is.
func (r *installRecord) keep(f *fileChange) error {
	info, err := os.Stat(f.File)
	if err != nil {
		return err
	}
	f.Backup = r.kept(f.File)
	if err := os.MkdirAll(filepath.Dir(f.Backup), 0o755); err != nil {
		return err
	}
	if err := os.Remove(f.Backup); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return create(f.Backup, f.before, info.Mode().Perm())
}

// noteDirectories notes a directory and those above it that have to be made.
func (r *installRecord) noteDirectories(dir string) {
	for ; ; dir = filepath.Dir(dir) {
		name := r.name(dir)
		if !filepath.IsLocal(filepath.FromSlash(name)) {
			return
		}
		if _, err := os.Lstat(dir); err == nil {
			return
		}
		if !slices.Contains(r.Directories, name) {
			r.Directories = append(r.Directories, name)
		}
	}
}

// write writes the record, in one step.
func (r *installRecord) write() error {
	dir := filepath.Join(r.root, recordDir)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if err := create(filepath.Join(dir, ".gitignore"), []byte("*\n"), 0o644); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	name := filepath.Join(dir, recordFile)
	before, err := readOptional(name)
	if err != nil {
		return err
	}
	return (&fileChange{File: name, before: before, after: append(text, '\n')}).replace()
}

// drop forgets files that nothing of ours is in any more, and removes directories that installing has made, where
// they are empty.
func (r *installRecord) drop(changes []*fileChange) error {
	for _, f := range changes {
		delete(r.Files, r.name(f.File))
		if err := remove(r.kept(f.File)); err != nil {
			return err
		}
	}
	dir := filepath.Join(r.root, recordDir)
	if len(r.Files) > 0 {
		r.removeDirectories()
		return r.write()
	}
	for _, name := range []string{recordFile, ".gitignore"} {
		if err := remove(filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	if err := os.RemoveAll(filepath.Join(dir, beforeDir)); err != nil {
		return err
	}
	_ = os.Remove(dir) // unless somebody has put something there
	r.removeDirectories()
	return nil
}

// removeDirectories removes directories that installing has made and that are empty, inner ones first.
func (r *installRecord) removeDirectories() {
	slices.SortFunc(r.Directories, func(a, b string) int { return strings.Count(b, "/") - strings.Count(a, "/") })
	if i := slices.Index(r.Directories, "."); i >= 0 { // the outermost
		r.Directories = append(slices.Delete(r.Directories, i, i+1), ".")
	}
	r.Directories = slices.DeleteFunc(r.Directories, func(name string) bool {
		dir := filepath.Join(r.root, filepath.FromSlash(name))
		info, err := os.Lstat(dir)
		return errors.Is(err, fs.ErrNotExist) || err == nil && info.IsDir() && os.Remove(dir) == nil
	})
}

// remove removes a file, if there is one.
func remove(name string) error {
	if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

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
		return fail.Errorf(fail.ExitStale, "changed by somebody else meanwhile: try again")
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
