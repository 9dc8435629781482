package durable

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// TempPrefix begins the name of every staged file. Such files are hidden, never
// memory files, and may be removed when no process holds the lock.
const TempPrefix = ".mem-tmp-"

// ErrLink is returned for a path that passes through, or ends in, something
// other than plain directories and a regular file.
var ErrLink = errors.New("not a regular file in plain directories: links are not followed")

// Root is a directory below which files are read and replaced. Names are
// slash-separated and relative to it.
type Root struct {
	dir  string
	root *os.Root
}

// OpenRoot opens dir, which must exist. dir itself may be a link.
func OpenRoot(dir string) (*Root, error) {
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return nil, err
	}
	if real, err = filepath.Abs(real); err != nil {
		return nil, err
	}
	r, err := os.OpenRoot(real)
	if err != nil {
		return nil, err
	}
	return &Root{dir: real, root: r}, nil
}

// Dir is the absolute path of the root, links resolved.
func (r *Root) Dir() string { return r.dir }

// Close releases the root.
func (r *Root) Close() error { return r.root.Close() }

// plain checks that every component of name that exists is a directory and not
// a link, except the last, which is the caller's business.
func (r *Root) plain(name string) error {
	if !fs.ValidPath(name) || !filepath.IsLocal(filepath.FromSlash(name)) {
		return fmt.Errorf("%s: path leads out of the workspace", name)
	}
	for i := range len(name) {
		if name[i] != '/' {
			continue
		}
		fi, err := r.root.Lstat(filepath.FromSlash(name[:i]))
		if err != nil {
			return err
		}
		if !fi.IsDir() {
			return fmt.Errorf("%s: %w", name[:i], ErrLink)
		}
	}
	return nil
}

// Read returns the content and mode of a regular file of at most max bytes.
func (r *Root) Read(name string, max int64) ([]byte, fs.FileMode, error) {
	if err := r.plain(name); err != nil {
		return nil, 0, err
	}
	local := filepath.FromSlash(name)
	// Looked at before it is opened: opening a FIFO would block.
	fi, err := r.root.Lstat(local)
	if err != nil {
		return nil, 0, err
	}
	if !fi.Mode().IsRegular() {
		return nil, 0, fmt.Errorf("%s: %w", name, ErrLink)
	}
	f, err := r.root.Open(local)
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	opened, err := f.Stat()
	if err != nil {
		return nil, 0, err
	}
	if !os.SameFile(fi, opened) {
		return nil, 0, fmt.Errorf("%s: replaced while it was opened: try again", name)
	}
	if opened.Size() > max {
		return nil, 0, fmt.Errorf("%s: %d bytes, more than the limit of %d", name, opened.Size(), max)
	}
	data, err := readAll(f, opened.Size(), max)
	return data, opened.Mode().Perm(), err
}

// readAll reads into a buffer of the expected size and refuses a file that
// grows past max while it is read.
func readAll(f io.Reader, size, max int64) ([]byte, error) {
	buf := make([]byte, 0, size+1)
	for {
		n, err := f.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		if errors.Is(err, io.EOF) {
			return buf, nil
		}
		if err != nil {
			return nil, err
		}
		if int64(len(buf)) > max {
			return nil, fmt.Errorf("grew past the limit of %d bytes while it was read", max)
		}
		if len(buf) == cap(buf) {
			buf = append(buf, 0)[:len(buf)]
		}
	}
}

// Exists reports whether name is taken, by anything.
func (r *Root) Exists(name string) (bool, error) {
	_, err := r.root.Lstat(filepath.FromSlash(name))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// MkdirAll creates the directory name and its parents. It returns the
// directories whose entries changed, to be given to [Root.SyncDirs].
func (r *Root) MkdirAll(name string) (changed []string, err error) {
	if name == "." || name == "" {
		return nil, nil
	}
	if !fs.ValidPath(name) {
		return nil, fmt.Errorf("%s: path leads out of the workspace", name)
	}
	parent := "."
	for _, part := range strings.Split(name, "/") {
		dir := path.Join(parent, part)
		fi, err := r.root.Lstat(filepath.FromSlash(dir))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			if err := r.root.Mkdir(filepath.FromSlash(dir), 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
				return changed, err
			}
			changed = append(changed, parent)
		case err != nil:
			return changed, err
		case !fi.IsDir():
			return changed, fmt.Errorf("%s: %w", dir, ErrLink)
		}
		parent = dir
	}
	return changed, nil
}

// Remove unlinks a file.
func (r *Root) Remove(name string) error {
	if err := r.plain(name); err != nil {
		return err
	}
	return r.root.Remove(filepath.FromSlash(name))
}

// SyncDirs makes the names in the given directories durable; repeats and order
// don't matter.
//
//	open(dir, O_RDONLY); fsync; close
func (r *Root) SyncDirs(dirs ...string) error {
	done := map[string]bool{}
	for _, dir := range dirs {
		if dir == "" {
			dir = "."
		}
		if done[dir] {
			continue
		}
		done[dir] = true
		if err := syncDir(r.root, filepath.FromSlash(dir)); err != nil {
			return fmt.Errorf("fsync directory %s: %w", dir, err)
		}
	}
	return nil
}
