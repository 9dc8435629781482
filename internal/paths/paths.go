// Package paths resolves the paths that people write, and writes paths for people.
package paths

import "path/filepath"

// Dir is the directory where relative paths begin.
type Dir string

// Resolve returns the path that a name stands for.
func (d Dir) Resolve(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(string(d), name)
}

// Short returns a path as people want it: relative to the directory, if it lies in it.
func (d Dir) Short(path string) string {
	dir := string(d)
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	if rel, err := filepath.Rel(dir, path); err == nil && filepath.IsLocal(rel) {
		return rel
	}
	return path
}

// Below returns the name of a file below a directory, with slashes; ok is false if it isn't below it.
func Below(dir, file string) (name string, ok bool) {
	rel, err := filepath.Rel(dir, file)
	return filepath.ToSlash(rel), err == nil && filepath.IsLocal(rel)
}
