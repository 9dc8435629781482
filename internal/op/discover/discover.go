package discover

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
	"github.com/memoryd/memoryd/internal/paths"
	"github.com/memoryd/memoryd/internal/worktree"
	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/layout"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/note"
	"github.com/memoryd/memoryd/pkg/workspace"
)

// roomNames are the directories that a workspace has by convention.
var roomNames = []string{"global", "teams", "agents", "projects", "sessions", "working", "archive"}

// HiddenName is the directory of a workspace where "memory" is something else.
const HiddenName = ".memory"

// Options say where to look.
type Options struct {
	Dir       string // going up from here
	Workspace string // the folder that --workspace names; "" for none
	Getenv    func(name string) string
	Env       []string // NAME=value, for settings
}

// From are the same options for another directory.
func (o Options) From(dir string) Options {
	o.Dir = dir
	return o
}

// named reports whether a workspace is named by the option or the environment.
func (o Options) named() bool { return o.Workspace != "" || o.Getenv("MEMORY_WORKSPACE") != "" }

// Workspace finds the directory to work in: the one given with --workspace or MEMORY_WORKSPACE; else, going up from the current
// directory, the nearest with settings, the nearest with directories of memories, the nearest with an index; else the nearest ".memory"
// with settings, or "memory", beside or above, or a host's folder of notes that was adopted. In a linked worktree of a git repository that may be the repository's; see [Worktree].
func Workspace(o Options) (string, error) {
	for _, given := range []struct{ origin, dir string }{{"--workspace", o.Workspace}, {"MEMORY_WORKSPACE", o.Getenv("MEMORY_WORKSPACE")}} {
		if given.dir != "" {
			return givenWorkspace(given.origin, paths.Dir(o.Dir).Resolve(given.dir))
		}
	}
	found := o.nearest(o.Dir)
	if linked, ok := worktree.Find(o.Dir); ok {
		found = o.inWorktree(linked, found).Used
	}
	if found == "" {
		if p, ok, err := HubProject(o); err == nil && ok {
			return "", fail.WithHint(fail.Errorf(fail.ExitNotFound, "no workspace here or above %s: agents in %s use the workspace %s", o.Dir, p.Dir, p.Hub), `"memory status" shows whether it answers; open its address in a browser, or name a folder with --workspace`)
		}
		return "", fail.WithHint(fail.Errorf(fail.ExitNotFound, "no workspace here or above %s", o.Dir), `run "memory init", or name one with --workspace`)
	}
	return found, nil
}

// ForAgents finds the workspace that hooks and the MCP server use in a directory: one that is named, or one that is a workspace beyond
// doubt; "" for none. A directory that merely has the right name is none: hooks run in every project.
func ForAgents(o Options) string {
	found, err := Workspace(o)
	if err == nil && (o.named() || HasSettings(found) || HasRooms(found) || HasIndex(found)) {
		return found
	}
	return ""
}

// ProjectDir is the directory of the project that a host works in, where the host says so; else the one of the options.
func ProjectDir(o Options) string {
	for _, name := range []string{"CLAUDE_PROJECT_DIR", "GEMINI_PROJECT_DIR", "CURSOR_PROJECT_DIR"} {
		if dir := o.Getenv(name); filepath.IsAbs(dir) && IsDir(dir) {
			return dir
		}
	}
	return o.Dir
}

// nearest is the workspace in or above a directory, or that of a folder in which a host keeps the notes of a project there; "" for none.
func (o Options) nearest(start string) string {
	for _, fits := range []func(string) bool{HasSettings, HasRooms, HasIndex} {
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
		if inside := filepath.Join(dir, HiddenName); HasSettings(inside) {
			return inside
		}
		if inside := filepath.Join(dir, "memory"); isWorkspace(inside) {
			return inside
		}
		if inside := o.adopted(dir); inside != "" {
			return inside
		}
		if dir == filepath.Dir(dir) {
			return ""
		}
	}
}

// adopted is the workspace of a folder in which a host keeps the notes of the project in a directory; "" for none.
func (o Options) adopted(dir string) string {
	for _, folder := range layout.For(filepath.ToSlash(dir), o.Home()) {
		if inside := filepath.Join(filepath.FromSlash(folder), note.OwnDir); isFile(filepath.Join(inside, note.ManifestFile)) && HasSettings(inside) {
			return inside
		}
	}
	return ""
}

// Home is where the hosts of the user have their homes.
func (o Options) Home() layout.Home {
	var h layout.Home
	if o.Getenv == nil {
		return h
	}
	for _, name := range []string{"HOME", "USERPROFILE"} {
		if dir := o.Getenv(name); filepath.IsAbs(dir) && h.User == "" {
			h.User = filepath.ToSlash(dir)
		}
	}
	if dir := o.Getenv("CLAUDE_CONFIG_DIR"); filepath.IsAbs(dir) {
		h.Claude = filepath.ToSlash(dir)
	}
	return h
}

func givenWorkspace(origin, dir string) (string, error) {
	fi, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", fail.WithHint(fail.Errorf(fail.ExitNotFound, "%s: %s does not exist", origin, dir), `make it with "memory init `+dir+`"`)
	case err != nil:
		return "", fmt.Errorf("%s: %w", origin, err)
	case !fi.IsDir():
		return "", fmt.Errorf("%s: %s is not a directory", origin, dir)
	}
	for _, at := range []string{dir, filepath.Join(dir, HiddenName), filepath.Join(dir, "memory")} {
		if isWorkspace(at) {
			return at, nil
		}
	}
	return "", fail.WithHint(fail.Errorf(fail.ExitNotFound, "%s: %s is not a workspace: it has no %s and no memories", origin, dir, memory.ConfigFile), `"memory init `+dir+`" makes it one; nothing was written`)
}

// isWorkspace reports whether a directory is one of memories: it has settings, an index, a log of ours, or memories where a workspace has
// them. No other is read as one, whoever names it: reading one leaves a cache there.
func isWorkspace(dir string) bool {
	return HasSettings(dir) || HasIndex(dir) || HasRooms(dir) || HasLog(dir) || hasMemories(dir)
}

// HasLog reports whether runs have worked in a directory.
func HasLog(dir string) bool {
	return isFile(filepath.Join(dir, memory.LogFile)) || IsDir(filepath.Join(dir, workspace.RunsDir))
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

// HasSettings reports whether a directory holds a settings file.
func HasSettings(dir string) bool { return isFile(filepath.Join(dir, memory.ConfigFile)) }

// HasIndex reports whether a directory holds an index.
func HasIndex(dir string) bool { return isFile(filepath.Join(dir, memory.IndexFile)) }

// HasRooms reports whether one of the conventional directories holds an index,
// itself or one level below.
func HasRooms(dir string) bool {
	for _, room := range roomNames {
		inside := filepath.Join(dir, room)
		if HasIndex(inside) {
			return true
		}
		entries, err := os.ReadDir(inside)
		if err != nil {
			continue // not there, or not for us to read
		}
		for _, e := range entries {
			if e.IsDir() && HasIndex(filepath.Join(inside, e.Name())) {
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

// IsDir reports whether a name is that of a directory.
func IsDir(name string) bool {
	fi, err := os.Stat(name)
	return err == nil && fi.IsDir()
}

// inWorktree decides between the workspace that was found for a linked worktree, "" for none, and that of its repository, by the setting
// workspace.worktrees of the one or else of the other. By itself the worktree's own is used where git tracks its files: then each
// branch has its memories. Otherwise the memories belong to the repository, and the worktree has no others.
func (o Options) inWorktree(linked worktree.Linked, found string) document.Worktree {
	w := document.Worktree{Root: linked.Root, Repository: linked.Main, Used: found, Own: true}
	shared := o.nearest(linked.Corresponding(o.Dir))
	if shared == "" || shared == found {
		w.Own, w.Why = shared == "", "the repository has none"
		if shared != "" {
			w.Why = "it stands above both"
		}
		return w
	}
	own := found != "" && linked.Holds(found)
	setting := o.worktreeSetting(own, found, shared)
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
func (o Options) worktreeSetting(own bool, found, shared string) string {
	from := shared
	if own && HasSettings(found) {
		from = found
	}
	if conf := SettingsIn(from, o.Env); conf != nil {
		return conf.Workspace.Worktrees
	}
	return config.WorktreesAuto
}

// ofWorkspace reports whether a file makes the directory a workspace in which it has a name.
func ofWorkspace(name string) bool {
	top, _, below := strings.Cut(name, "/")
	return !below && (name == memory.ConfigFile || strings.HasSuffix(name, ".json")) || below && isRoom(top)
}

// Worktree says which workspace is used in a linked worktree, and why; nil elsewhere, and where a workspace is named.
func Worktree(o Options) *document.Worktree {
	if o.named() {
		return nil
	}
	linked, ok := worktree.Find(o.Dir)
	if !ok {
		return nil
	}
	w := o.inWorktree(linked, o.nearest(o.Dir))
	return &w
}
