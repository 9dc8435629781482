package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/memoryd/memoryd/cmd/memory/internal/worktree"
	"github.com/memoryd/memoryd/pkg/memory"
)

// roomNames are the directories that a workspace has by convention.
var roomNames = []string{"global", "teams", "agents", "projects", "sessions", "working", "archive"}

// findWorkspace names the directory to work in: the one given with --workspace or
// MEMORY_WORKSPACE; else, going up from the current directory, the nearest with
// settings, the nearest with directories of memories, the nearest with an index;
// else the nearest "memory" beside or above. In a linked worktree of a git repository that may
// be the repository's; see [call.inWorktree].
func (c *call) findWorkspace() (string, error) {
	flag := ""
	if c.flags != nil { // nil while a shell completes
		flag = c.flags.String("workspace")
	}
	for _, given := range []struct{ origin, dir string }{{"--workspace", flag}, {"MEMORY_WORKSPACE", c.env("MEMORY_WORKSPACE")}} {
		if given.dir != "" {
			return c.givenWorkspace(given.origin, c.path(given.dir))
		}
	}
	found := nearestWorkspace(c.Dir)
	if linked, ok := worktree.Find(c.Dir); ok {
		found = c.inWorktree(linked, found).Used
	}
	if found == "" {
		return "", withHint(failf(exitNotFound, "no workspace here or above %s", c.Dir), `run "memory init", or name one with --workspace`)
	}
	return found, nil
}

// nearestWorkspace is the workspace in or above a directory; "" for none.
func nearestWorkspace(start string) string {
	for _, fits := range []func(string) bool{hasSettings, hasRooms, hasIndex} {
		for dir := start; ; dir = filepath.Dir(dir) {
			if fits(dir) {
				return dir
			}
			if dir == filepath.Dir(dir) {
				break
			}
		}
	}
	for dir := start; ; dir = filepath.Dir(dir) {
		if inside := filepath.Join(dir, "memory"); isDir(inside) && (dir == start || isWorkspace(inside)) {
			return inside
		}
		if dir == filepath.Dir(dir) {
			return ""
		}
	}
}

func (c *call) givenWorkspace(origin, dir string) (string, error) {
	fi, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", withHint(failf(exitNotFound, "%s: %s does not exist", origin, dir), `make it with "memory init `+dir+`"`)
	case err != nil:
		return "", fmt.Errorf("%s: %w", origin, err)
	case !fi.IsDir():
		return "", fmt.Errorf("%s: %s is no directory", origin, dir)
	}
	if inside := filepath.Join(dir, "memory"); !isWorkspace(dir) && isWorkspace(inside) {
		return inside, nil
	}
	return dir, nil
}

// isWorkspace reports whether a directory looks like one of memories.
func isWorkspace(dir string) bool {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return false
	}
	for _, e := range entries {
		name := e.Name()
		if name == memory.ConfigFile || strings.HasSuffix(name, ".json") {
			return true
		}
		if e.IsDir() && (name == memory.OpsDir || isRoom(name)) {
			return true
		}
	}
	return false
}

func isRoom(name string) bool {
	for _, room := range roomNames {
		if room == name {
			return true
		}
	}
	return false
}

func hasSettings(dir string) bool { return isFile(filepath.Join(dir, memory.ConfigFile)) }

func hasIndex(dir string) bool { return isFile(filepath.Join(dir, memory.IndexFile)) }

// hasRooms reports whether one of the conventional directories holds an index,
// itself or one level below.
func hasRooms(dir string) bool {
	for _, room := range roomNames {
		inside := filepath.Join(dir, room)
		if hasIndex(inside) {
			return true
		}
		entries, err := os.ReadDir(inside)
		if err != nil {
			continue // not there, or not for us to read
		}
		for _, e := range entries {
			if e.IsDir() && hasIndex(filepath.Join(inside, e.Name())) {
				return true
			}
		}
	}
	return false
}

func isFile(name string) bool {
	fi, err := os.Stat(name)
	return err == nil && fi.Mode().IsRegular()
}

func isDir(name string) bool {
	fi, err := os.Stat(name)
	return err == nil && fi.IsDir()
}
