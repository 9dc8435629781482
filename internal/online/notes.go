package online

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
	"time"
)

// Project is a directory whose memory is a workspace of a hub.
type Project struct {
	Dir string `json:"project"`
	Hub
}

// Notes are what is kept of projects and hubs, below a directory of settings.
type Notes struct{ Settings string }

func (n Notes) dir(kind string) string { return filepath.Join(n.Settings, "memoryd", kind) }

// fileOf is where a project is noted.
func (n Notes) fileOf(dir string) string {
	sum := sha256.Sum256([]byte(dir))
	return filepath.Join(n.dir("projects"), hex.EncodeToString(sum[:16])+".json")
}

// real is a directory by its one name.
func real(dir string) string {
	if resolved, err := filepath.EvalSymlinks(dir); err == nil {
		return resolved
	}
	return filepath.Clean(dir)
}

// Find is the project that a directory lies in, the nearest one; ok is false where there is none. A note that can't be read is an error:
// whose memory it is must not be guessed.
func (n Notes) Find(dir string) (p Project, ok bool, err error) {
	if _, err := os.Stat(n.dir("projects")); errors.Is(err, fs.ErrNotExist) {
		return p, false, nil
	}
	for dir = real(dir); ; dir = filepath.Dir(dir) {
		p, err = n.read(n.fileOf(dir))
		if !errors.Is(err, fs.ErrNotExist) {
			return p, err == nil, err
		}
		if dir == filepath.Dir(dir) {
			return p, false, nil
		}
	}
}

func (n Notes) read(file string) (p Project, err error) {
	doc, err := os.ReadFile(file)
	if err == nil {
		if err = json.Unmarshal(doc, &p); err == nil {
			p.Hub, err = ParseHub(p.URL, p.Workspace)
		}
	}
	if err != nil {
		return p, fmt.Errorf("read which hub the project asks: %s: %w", file, err)
	}
	return p, nil
}

// Add notes the hub of a project, in place of another one.
func (n Notes) Add(dir string, h Hub) (Project, error) {
	p := n.Project(dir, h)
	doc, err := json.MarshalIndent(p, "", "  ")
	if err == nil {
		err = write(n.fileOf(p.Dir), append(doc, '\n'))
	}
	if err != nil {
		return p, fmt.Errorf("note which hub the project asks: %w", err)
	}
	return p, nil
}

// Remove forgets a project, and the token of its hub once no other project asks it. It reports whether the token went.
func (n Notes) Remove(p Project) (forgotten bool, err error) {
	forgotten, err = n.Forgets(p)
	if err != nil {
		return false, err
	}
	if err := os.Remove(n.fileOf(p.Dir)); err != nil {
		return false, fmt.Errorf("forget the hub of the project: %w", err)
	}
	if !forgotten {
		return false, nil
	}
	err = os.Remove(p.TokenFile(n.Settings))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("forget the token: %w", err)
	}
	return true, nil
}

// Forgets reports whether [Notes.Remove] would remove the token: there is one, and no other project asks that hub.
func (n Notes) Forgets(p Project) (bool, error) {
	files, err := filepath.Glob(filepath.Join(n.dir("projects"), "*.json"))
	if err != nil {
		return false, err
	}
	if slices.ContainsFunc(files, func(file string) bool {
		other, err := n.read(file)
		return file != n.fileOf(p.Dir) && (err != nil || other.Hub == p.Hub) // one that can't be read may be of the same hub
	}) {
		return false, nil
	}
	_, err = os.Lstat(p.TokenFile(n.Settings))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// Project is what [Notes.Add] notes of the project in a directory.
func (n Notes) Project(dir string, h Hub) Project { return Project{Dir: real(dir), Hub: h} }

// onceFor is how long it is remembered what a person was told.
const onceFor = 7 * 24 * time.Hour

// Once reports whether something is named for the first time in a week. Of processes that name it at once, one is the first. Where nothing
// can be noted, none is.
func (n Notes) Once(name string, now time.Time) bool {
	sum := sha256.Sum256([]byte(name))
	dir := n.dir("told")
	file := filepath.Join(dir, hex.EncodeToString(sum[:16]))
	if os.MkdirAll(dir, 0o700) != nil {
		return false
	}
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if info, err := e.Info(); err == nil && now.Sub(info.ModTime()) > onceFor {
			_ = os.Remove(filepath.Join(dir, e.Name())) // the next one tries again
		}
	}
	f, err := os.OpenFile(file, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	return err == nil && f.Close() == nil
}

// ErrOpenToken: others may read the file of a token.
var ErrOpenToken = errors.New("others than you may read it")

// ReadToken reads the token of a hub, which nobody else may be able to read. Without one the error is an [fs.ErrNotExist].
func (n Notes) ReadToken(h Hub) (string, error) {
	file := h.TokenFile(n.Settings)
	info, err := os.Stat(file)
	if err != nil {
		return "", err
	}
	if os.PathSeparator == '/' && info.Mode().Perm()&0o077 != 0 {
		return "", fmt.Errorf("the token in %s: %w: chmod 600", file, ErrOpenToken)
	}
	text, err := os.ReadFile(file)
	return strings.TrimSpace(string(text)), err
}

// WriteToken keeps the token of a hub, for its owner alone. It returns where.
func (n Notes) WriteToken(h Hub, token string) (file string, err error) {
	file = h.TokenFile(n.Settings)
	if err := write(file, []byte(token+"\n")); err != nil {
		return file, fmt.Errorf("keep the token: %w", err)
	}
	return file, nil
}

// write makes or replaces a file in one step, for its owner alone.
func write(file string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	tmp, err := os.CreateTemp(filepath.Dir(file), ".memory-new-*") // of mode 0600
	if err != nil {
		return err
	}
	_, err = tmp.Write(data)
	if err = errors.Join(err, tmp.Sync(), tmp.Close()); err == nil {
		err = os.Rename(tmp.Name(), file)
	}
	if err != nil {
		return errors.Join(err, os.Remove(tmp.Name()))
	}
	return nil
}
