// Package worktree tells whether a directory lies in a linked worktree of a git repository, where the repository's main worktree is,
// and which files git tracks. It reads what git writes (gitrepository-layout(5), gitformat-index(5)) and runs no git.
//
// A submodule is a repository of its own and no worktree. What can't be read, or is of a form that is not known, counts as none.
package worktree

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
)

// Linked is a linked worktree.
type Linked struct {
	Root   string // its directory
	Main   string // that of the repository's main worktree
	gitDir string // where git keeps what it knows of the linked one
}

// Find tells in which linked worktree a directory lies; ok is false for any other directory. The nearest ".git" decides.
func Find(dir string) (w Linked, ok bool) {
	for ; ; dir = filepath.Dir(dir) {
		if info, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			if !info.Mode().IsRegular() {
				return w, false
			}
			return linked(dir)
		}
		if dir == filepath.Dir(dir) {
			return w, false
		}
	}
}

// Names are what a project may be called that a directory lies in, the likeliest first: the names of the directories from it up to
// the top of its repository, whose name is that of the main worktree. Outside of a repository it is the directory's own.
func Names(dir string) (names []string) {
	dir = filepath.Clean(dir)
	if w, ok := Find(dir); ok {
		for ; dir != w.Root && dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
			names = append(names, filepath.Base(dir))
		}
		return append(names, filepath.Base(w.Main), filepath.Base(w.Root))
	}
	for at := dir; ; at = filepath.Dir(at) {
		names = append(names, filepath.Base(at))
		if _, err := os.Lstat(filepath.Join(at, ".git")); err == nil {
			return names
		}
		if at == filepath.Dir(at) {
			return names[:1]
		}
	}
}

// Inside reports whether a directory lies in a repository of git.
func Inside(dir string) bool {
	for dir = filepath.Clean(dir); ; dir = filepath.Dir(dir) {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return true
		}
		if dir == filepath.Dir(dir) {
			return false
		}
	}
}

// linked follows the file .git of a directory: "gitdir: PATH", where the file commondir names the directory of the repository.
func linked(root string) (w Linked, ok bool) {
	gitDir, ok := strings.CutPrefix(firstLine(filepath.Join(root, ".git")), "gitdir:")
	if !ok {
		return w, false
	}
	gitDir = from(root, strings.TrimSpace(gitDir))
	common := firstLine(filepath.Join(gitDir, "commondir"))
	if common == "" { // a submodule
		return w, false
	}
	main := mainOf(from(gitDir, common))
	if info, err := os.Stat(main); main == "" || err != nil || !info.IsDir() || main == root {
		return w, false
	}
	return Linked{Root: root, Main: main, gitDir: gitDir}, true
}

// mainOf is the main worktree of a repository: next to its directory ".git", or where core.worktree says; "" for a bare one.
func mainOf(common string) string {
	if filepath.Base(common) == ".git" {
		return filepath.Dir(common)
	}
	file, err := os.Open(filepath.Join(common, "config"))
	if err != nil {
		return ""
	}
	defer func() { _ = file.Close() }() // it was only read
	section := ""
	for lines := bufio.NewScanner(file); lines.Scan(); {
		line := strings.TrimSpace(lines.Text())
		if strings.HasPrefix(line, "[") {
			section = strings.ToLower(line)
		}
		if key, value, ok := strings.Cut(line, "="); ok && section == "[core]" && strings.EqualFold(strings.TrimSpace(key), "worktree") {
			return from(common, strings.Trim(strings.TrimSpace(value), `"`))
		}
	}
	return ""
}

// Corresponding is the directory of the main worktree that a directory of the linked one is a checkout of.
func (w Linked) Corresponding(dir string) string {
	if rel, err := filepath.Rel(w.Root, dir); err == nil && filepath.IsLocal(rel) {
		return filepath.Join(w.Main, rel)
	}
	return w.Main
}

// Holds reports whether a directory lies in the worktree.
func (w Linked) Holds(dir string) bool {
	rel, err := filepath.Rel(w.Root, dir)
	return err == nil && filepath.IsLocal(rel)
}

// IsTracked reports whether git tracks a file for which is reports true. Its name is relative to a directory of the worktree.
func (w Linked) IsTracked(dir string, is func(name string) bool) bool {
	rel, err := filepath.Rel(w.Root, dir)
	if err != nil || !filepath.IsLocal(rel) {
		return false
	}
	prefix := filepath.ToSlash(rel) + "/"
	if rel == "." {
		prefix = ""
	}
	indexes, _ := filepath.Glob(filepath.Join(w.gitDir, "sharedindex.*")) // the pattern is a valid one
	for _, file := range append(indexes, filepath.Join(w.gitDir, "index")) {
		found := false
		data, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		eachName(data, func(name string) bool {
			below, ok := strings.CutPrefix(name, prefix)
			found = ok && is(below)
			return !found
		})
		if found {
			return true
		}
	}
	return false
}

// from resolves a path that a file in dir gives.
func from(dir, name string) string {
	name = filepath.FromSlash(name)
	if !filepath.IsAbs(name) {
		name = filepath.Join(dir, name)
	}
	return filepath.Clean(name)
}

// firstLine is that of a small file; "" if it can't be read.
func firstLine(file string) string {
	const most = 64 << 10
	if info, err := os.Stat(file); err != nil || info.Size() > most {
		return ""
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return ""
	}
	line, _, _ := strings.Cut(string(text), "\n")
	return strings.TrimSpace(line)
}

// The lengths of parts of git's index, in bytes (gitformat-index(5)).
const (
	headLength = 12
	statLength = 40 // of an entry, before the hash of the object
	sha1Length = 20
	shaLength  = 32 // SHA-256
	lengthMask = 0x0fff
	extended   = 0x4000
)

// eachName gives the names in git's index to f until that returns false. It stops where the index is of no known form.
func eachName(data []byte, f func(name string) bool) {
	if len(data) < headLength || string(data[:4]) != "DIRC" {
		return
	}
	version, count := binary.BigEndian.Uint32(data[4:]), binary.BigEndian.Uint32(data[8:])
	if version < 2 || version > 4 {
		return
	}
	r := indexReader{data: data[headLength:], version: version, hash: sha1Length}
	if !r.plausible(count) {
		r.hash = shaLength
	}
	for range count {
		name, ok := r.next()
		if !ok || !f(name) {
			return
		}
	}
}

type indexReader struct {
	data    []byte // what is left
	version uint32
	hash    int // length of an object's hash
	last    []byte
}

// plausible reports whether the first entries can be read with this length of hashes: an index doesn't tell it.
func (r indexReader) plausible(count uint32) bool {
	for range min(count, 3) {
		if name, ok := r.next(); !ok || name == "" {
			return false
		}
	}
	return true
}

// next reads an entry.
func (r *indexReader) next() (name string, ok bool) {
	head := statLength + r.hash + 2
	if len(r.data) < head+1 {
		return "", false
	}
	flags := binary.BigEndian.Uint16(r.data[head-2:])
	if flags&extended != 0 {
		head += 2
	}
	if len(r.data) < head+1 {
		return "", false
	}
	at := head
	if r.version == 4 { // how much of the name before doesn't count, then what follows
		drop, n := offset(r.data[at:])
		if n == 0 || drop > len(r.last) {
			return "", false
		}
		r.last, at = r.last[:len(r.last)-drop], at+n
	} else {
		r.last = r.last[:0]
	}
	end := bytes.IndexByte(r.data[at:], 0)
	if end < 0 {
		return "", false
	}
	r.last = append(r.last, r.data[at:at+end]...)
	if n := int(flags & lengthMask); n < lengthMask && n != len(r.last) {
		return "", false
	}
	size := at + end + 1
	if r.version < 4 { // filled up to a multiple of eight, with one to eight NULs
		size = (at + end + 8) &^ 7
	}
	if size > len(r.data) {
		return "", false
	}
	r.data = r.data[size:]
	return string(r.last), true
}

// offset reads a number of git's "offset encoding", and tells how many bytes it has; 0 for none.
func offset(data []byte) (value, n int) {
	for n < len(data) && n < 4 {
		c := data[n]
		if n > 0 {
			value++
		}
		value, n = value<<7|int(c&0x7f), n+1
		if c < 0x80 {
			return value, n
		}
	}
	return 0, 0
}
