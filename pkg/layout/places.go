package layout

import (
	"path"
	"strings"
)

// Home is where the homes of hosts are: the user's directory and, where it is another than .claude in that, Claude Code's own.
// Both are absolute and slash-separated.
type Home struct{ User, Claude string }

func (h Home) claude() string {
	if h.Claude != "" {
		return h.Claude
	}
	return path.Join(h.User, ".claude")
}

// For are the folders in which hosts keep the notes of the project in a directory, what a host keeps for it in its home first.
func For(dir string, h Home) (all []string) {
	if h.User != "" || h.Claude != "" {
		all = append(all, path.Join(h.claude(), "projects", claudeName(dir), "memory"))
	}
	for _, name := range []string{".claude/memory", "memory", ".qwen/team-memory"} {
		all = append(all, path.Join(dir, name))
	}
	return all
}

// claudeName is how Claude Code calls the project in a directory: each character but ASCII letters and digits is a dash.
func claudeName(dir string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '-'
	}, dir)
}

// InHome are patterns, as [path.Match] has them, of the folders that hosts keep in their homes.
func InHome(h Home) (all []string) {
	if h.User == "" && h.Claude == "" {
		return nil
	}
	for _, name := range []string{"projects/*/memory", "memory", "agent-memory/*"} {
		all = append(all, path.Join(h.claude(), name))
	}
	if h.User == "" {
		return all
	}
	for _, name := range []string{
		".qwen/memory", ".qwen/*/memory", ".qwen/projects/*/memory", ".qwen/tmp/*/memory", ".gemini/tmp/*/memory", ".hermes/memories", ".openclaw/workspace", ".codex/memories",
	} {
		all = append(all, path.Join(h.User, name))
	}
	return all
}
