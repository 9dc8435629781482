package installing

import (
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
	"github.com/memoryd/memoryd/internal/filechange"
)

// recordDir lies in a project, or in a person's directory of a host. It holds files as they were before "memory install", and the
// record of what was done. Git ignores it.
const recordDir = ".memory-install"

const (
	recordFile = "record.json"
	beforeDir  = "before"
)

// record is what installing has changed below a directory.
type record struct {
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
func readRecord(root string) (*record, error) {
	r := &record{root: root, Files: map[string]installedFile{}}
	name := filepath.Join(root, recordDir, recordFile)
	text, err := filechange.Read(name)
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
func (r *record) name(file string) string {
	rel, err := filepath.Rel(r.root, file)
	if err != nil {
		return filepath.ToSlash(file)
	}
	return filepath.ToSlash(rel)
}

func (r *record) file(file string) installedFile { return r.Files[r.name(file)] }

// existed reports whether a file is known to have been there before.
func (r *record) existed(file string) bool { return r.file(file).Existed }

// kept is where a file as it was is kept.
func (r *record) kept(file string) string {
	return filepath.Join(r.root, recordDir, beforeDir, filepath.FromSlash(r.name(file)))
}

func sum(text []byte) string {
	h := sha256.Sum256(text)
	return hex.EncodeToString(h[:])
}

// untouched reports whether a file says what was installed.
func (r *record) untouched(file string, text []byte) bool {
	known := r.file(file)
	return text != nil && known.Sum != "" && known.Sum == sum(text)
}

// restored is a file as it was before it was installed, nil for none. ok: nobody has changed it since, and it is known.
func (r *record) restored(file string, now []byte) (text []byte, ok bool) {
	if !r.untouched(file, now) {
		return nil, false
	}
	if !r.existed(file) {
		return nil, true
	}
	text, err := filechange.Read(r.kept(file))
	return text, err == nil && text != nil
}

// note saves copies of files, and records how they are about to be changed.
func (r *record) note(changes []*change) error {
	noted := false
	for _, f := range changes {
		if !f.Changed {
			continue
		}
		noted = true
		name := r.name(f.File)
		known, there := r.Files[name]
		next := installedFile{Existed: f.Before != nil, Sum: sum(f.After), Server: f.server}
		switch {
		case r.untouched(f.File, f.Before): // once more: what was before stays so
			next.Existed = known.Existed
		case f.mixed:
			next.Existed, next.Sum = !there || known.Existed, ""
			fallthrough
		case f.Before != nil:
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
func (r *record) keep(f *change) error {
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
	return filechange.Create(f.Backup, f.Before, info.Mode().Perm())
}

// noteDirectories notes a directory and those above it that have to be made.
func (r *record) noteDirectories(dir string) {
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
func (r *record) write() error {
	dir := filepath.Join(r.root, recordDir)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if err := filechange.Create(filepath.Join(dir, ".gitignore"), []byte("*\n"), 0o644); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	name := filepath.Join(dir, recordFile)
	before, err := filechange.Read(name)
	if err != nil {
		return err
	}
	return (&filechange.Change{File: name, Before: before, After: append(text, '\n')}).Replace()
}

// drop forgets files that nothing of ours is in any more, and removes directories that installing has made, where
// they are empty.
func (r *record) drop(changes []*change) error {
	for _, f := range changes {
		delete(r.Files, r.name(f.File))
		if err := filechange.Remove(r.kept(f.File)); err != nil {
			return err
		}
	}
	dir := filepath.Join(r.root, recordDir)
	if len(r.Files) > 0 {
		r.removeDirectories()
		return r.write()
	}
	for _, name := range []string{recordFile, ".gitignore"} {
		if err := filechange.Remove(filepath.Join(dir, name)); err != nil {
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
func (r *record) removeDirectories() {
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
