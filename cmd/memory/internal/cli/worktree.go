package cli

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/memoryd/memoryd/cmd/memory/internal/app"
	"github.com/memoryd/memoryd/cmd/memory/internal/worktree"
	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/memory"
)

// inWorktree decides between the workspace that was found for a linked worktree, "" for none, and that of its repository, by the setting
// workspace.worktrees of the one or else of the other. By itself the worktree's own is used where git tracks its files: then each
// branch has its memories. Otherwise the memories belong to the repository, and the worktree has no others.
func (c *call) inWorktree(linked worktree.Linked, found string) app.Worktree {
	w := app.Worktree{Root: linked.Root, Repository: linked.Main, Used: found, Own: true}
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
	tracked := own && setting == config.WorktreesAuto && linked.Tracks(found, ofWorkspace)
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
	if text, err := os.ReadFile(filepath.Join(from, memory.ConfigFile)); err == nil || errors.Is(err, fs.ErrNotExist) {
		if conf, err := config.Parse(memory.ConfigFile, text); err == nil && conf.Environ(c.Env) == nil {
			return conf.Workspace.Worktrees
		}
	}
	return config.WorktreesAuto
}

// ofWorkspace reports whether a file makes the directory a workspace in which it has a name.
func ofWorkspace(name string) bool {
	top, _, below := strings.Cut(name, "/")
	return !below && (name == memory.ConfigFile || strings.HasSuffix(name, ".json")) || below && isRoom(top)
}

// worktreeOf tells which workspace is used in a linked worktree, and why; nil elsewhere, and where a workspace is named.
func (c *call) worktreeOf() *app.Worktree {
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

func worktreeText(w *app.Worktree, brief func(string) string) string {
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
