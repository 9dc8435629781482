package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/memoryd/memoryd/internal/document"
	"github.com/memoryd/memoryd/internal/fail"
	"github.com/memoryd/memoryd/internal/worktree"
	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/workspace"
)

// roomNames are the directories that a workspace has by convention.
var roomNames = []string{"global", "teams", "agents", "projects", "sessions", "working", "archive"}

// hiddenName is the directory of a workspace where "memory" is something else.
const hiddenName = ".memory"

// findWorkspace names the directory to work in: the one given with --workspace or
// MEMORY_WORKSPACE; else, going up from the current directory, the nearest with
// settings, the nearest with directories of memories, the nearest with an index;
// else the nearest ".memory" with settings, or "memory", beside or above. In a linked worktree of a git repository that may
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
		if p, ok, err := c.hubProject(c.Dir); err == nil && ok {
			return "", fail.WithHint(fail.Errorf(fail.ExitNotFound, "no workspace here or above %s: agents in %s use the workspace %s", c.Dir, p.Dir, p.Hub), `"memory status" shows whether it answers; open its address in a browser, or name a folder with --workspace`)
		}
		return "", fail.WithHint(fail.Errorf(fail.ExitNotFound, "no workspace here or above %s", c.Dir), `run "memory init", or name one with --workspace`)
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
		if inside := filepath.Join(dir, hiddenName); hasSettings(inside) {
			return inside
		}
		if inside := filepath.Join(dir, "memory"); isWorkspace(inside) {
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
		return "", fail.WithHint(fail.Errorf(fail.ExitNotFound, "%s: %s does not exist", origin, dir), `make it with "memory init `+dir+`"`)
	case err != nil:
		return "", fmt.Errorf("%s: %w", origin, err)
	case !fi.IsDir():
		return "", fmt.Errorf("%s: %s is not a directory", origin, dir)
	}
	for _, at := range []string{dir, filepath.Join(dir, hiddenName), filepath.Join(dir, "memory")} {
		if isWorkspace(at) {
			return at, nil
		}
	}
	return "", fail.WithHint(fail.Errorf(fail.ExitNotFound, "%s: %s is not a workspace: it has no %s and no memories", origin, dir, memory.ConfigFile), `"memory init `+dir+`" makes it one; nothing was written`)
}

// isWorkspace reports whether a directory is one of memories: it has settings, an index, a log of ours, or memories where a workspace has
// them. No other is read as one, whoever names it: reading one leaves a cache there.
func isWorkspace(dir string) bool {
	return hasSettings(dir) || hasIndex(dir) || hasRooms(dir) || hasLog(dir) || hasMemories(dir)
}

// hasLog reports whether runs have worked in a directory.
func hasLog(dir string) bool {
	return isFile(filepath.Join(dir, memory.LogFile)) || isDir(filepath.Join(dir, workspace.RunsDir))
}

// hasMemories reports whether a file in a directory, or in one of the conventional directories at most two levels down, holds a memory
// that says what it is.
func hasMemories(dir string) bool {
	patterns := []string{"*.json"}
	for _, room := range roomNames {
		patterns = append(patterns, room+"/*.json", room+"/*/*.json")
	}
	const files, size = 1000, 1 << 20 // looked at
	seen := 0
	for _, pattern := range patterns {
		names, _ := fs.Glob(os.DirFS(dir), pattern) // the pattern is sound, and a directory that can't be read has none
		for _, name := range names {
			fi, err := os.Stat(filepath.Join(dir, name))
			if err != nil || !fi.Mode().IsRegular() || fi.Size() > size {
				continue
			}
			if seen++; seen > files {
				return false
			}
			text, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil {
				continue
			}
			records, err := memory.ParseRecords(name, text)
			if err == nil && slices.ContainsFunc(records, func(m *memory.Memory) bool { return m.Type != "" }) {
				return true
			}
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

// inWorktree decides between the workspace that was found for a linked worktree, "" for none, and that of its repository, by the setting
// workspace.worktrees of the one or else of the other. By itself the worktree's own is used where git tracks its files: then each
// branch has its memories. Otherwise the memories belong to the repository, and the worktree has no others.
func (c *call) inWorktree(linked worktree.Linked, found string) document.Worktree {
	w := document.Worktree{Root: linked.Root, Repository: linked.Main, Used: found, Own: true}
	shared := nearestWorkspace(linked.Corresponding(c.Dir))
	if shared == "" || shared == found {
		w.Own, w.Why = shared == "", "the repository has none"
		if shared != "" {
			w.Why = "it stands above both"
		}
		return w
	}
	own := found != "" && linked.Holds(found)
	setting := c.worktreeSetting(own, found, shared)
	tracked := own && setting == config.WorktreesAuto && linked.IsTracked(found, ofWorkspace)
	switch {
	case setting == config.WorktreesOwn:
		w.Why, w.Other = "workspace.worktrees is own", shared
	case tracked:
		w.Why, w.Other = "git tracks it", shared
	default:
		w.Used, w.Own, w.Why = shared, false, "workspace.worktrees is "+setting
		if own {
			w.Other = found
			if setting == config.WorktreesAuto {
				w.Why = "git doesn't track the worktree's own"
			}
		}
	}
	return w
}

// worktreeSetting reads workspace.worktrees: of the worktree's own workspace if it has settings, else of the repository's. Settings that
// can't be read are reported by the commands that need more of them.
func (c *call) worktreeSetting(own bool, found, shared string) string {
	from := shared
	if own && hasSettings(found) {
		from = found
	}
	if conf := c.settingsIn(from); conf != nil {
		return conf.Workspace.Worktrees
	}
	return config.WorktreesAuto
}

// settingsIn are the settings of a workspace before it is opened; nil where they can't be read.
func (c *call) settingsIn(dir string) *config.Config {
	text, err := os.ReadFile(filepath.Join(dir, memory.ConfigFile))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	conf, err := config.Parse(memory.ConfigFile, text)
	if err != nil || conf.Environ(c.Env) != nil {
		return nil
	}
	return conf
}

// ofWorkspace reports whether a file makes the directory a workspace in which it has a name.
func ofWorkspace(name string) bool {
	top, _, below := strings.Cut(name, "/")
	return !below && (name == memory.ConfigFile || strings.HasSuffix(name, ".json")) || below && isRoom(top)
}

// worktreeOf tells which workspace is used in a linked worktree, and why; nil elsewhere, and where a workspace is named.
func (c *call) worktreeOf() *document.Worktree {
	if c.flags.String("workspace") != "" || c.env("MEMORY_WORKSPACE") != "" {
		return nil
	}
	linked, ok := worktree.Find(c.Dir)
	if !ok {
		return nil
	}
	w := c.inWorktree(linked, nearestWorkspace(c.Dir))
	return &w
}

func worktreeText(w *document.Worktree, brief func(string) string) string {
	text := "uses the workspace of its repository: "
	if w.Own {
		text = "uses its own workspace: "
	}
	text += w.Why
	if w.Other != "" {
		text += "; not used: " + brief(w.Other)
	}
	return text
}
