package layout

import (
	"fmt"
	"slices"
	"testing"
)

// A folder is recognised by its path first, then by its files; in doubt it is only read.
func TestRecognise(t *testing.T) {
	note := func(name string) File { return File{name, []byte("---\nname: x\n---\nText.\n")} }
	typed := func(name string) File { return File{name, []byte("---\nmetadata:\n  type: feedback\n---\nText.\n")} }
	index := func(text string) File { return File{"MEMORY.md", []byte(text)} }
	var many []File
	for i := range 10 {
		many = append(many, note(fmt.Sprint("n", i, ".md")))
	}
	many = slices.Clip(many)
	for _, c := range []struct {
		dir   string
		files []File
		name  string
		level Level
	}{
		{"/home/u/.claude/projects/-a/memory", nil, "claude", Tend},
		{"/home/u/.claude/projects/-a/memory/", nil, "claude", Tend},
		{"/a/.claude/memory", nil, "claude", Tend},
		{"/a/.claude/agent-memory/reviewer", nil, "claude-agent", Tend},
		{"/a/.claude/agent-memory-local/reviewer", nil, "claude-agent", Tend},
		{"/a/.qwen/team-memory", nil, "qwen", Tend},
		{"/home/u/.gemini/tmp/x/memory", nil, "gemini", Tend},
		{"/home/u/.hermes/memories", nil, "hermes", Entries},
		{"/home/u/.openclaw/workspace", nil, "openclaw", Read},
		{"/home/u/.codex/memories", nil, "codex", Read},
		{"/x/memory-tool/memories/user", nil, "copilot", Read},
		{"/a/.serena/memories", nil, "serena", Read},
		{"/a/memory-bank", []File{index("- [x](n0.md)\n"), note("n0.md")}, "memory-bank", Read},
		{"/a/notes", nil, "notes", Read},
		{"/a", []File{note("AGENTS.md"), note("README.md")}, "notes", Read},
		{"/a/notes", []File{index("# Memory\n")}, "notes", Read},
		{"/a/notes", []File{index("- [x](n0.md)\n"), note("n0.md")}, "plain", Tend},
		{"/a/notes", []File{index("- [x](n0.md)\n"), typed("n0.md")}, "claude", Tend},
		{"/a/notes", append(many, index("- [x](n0.md)\n- [x](n1.md)\n")), "notes", Read},
		{"/a/notes", append(many, index("- [x](n0.md)\n- [x](n1.md)\n- [x](n2.md)\n")), "plain", Read},
		{"/a/notes", append(many, index("[[n0]] "+"[1](n1.md) [2](n2.md) [3](n3.md) [4](n4.md) [5](n5.md)\n")), "plain", Tend},
		{"/a/notes", []File{index("Prose.\n"), note("2026-01-02.md"), note("memory/2026-01-03-more.md")}, "openclaw", Read},
		{"/a/notes", []File{index("One.\n§\nTwo.\n§\nThree.\n")}, "hermes", Entries},
	} {
		if l, why := Recognise(c.dir, c.files); l.Name != c.name || l.Level != c.level || why == "" {
			t.Errorf("%s with %d files: %s, %s (%s), want %s, %s", c.dir, len(c.files), l.Name, l.Level, why, c.name, c.level)
		}
	}
}

// Every layout has a name of its own, and one that may be written has its author; what memoryd may write is tended.
func TestTable(t *testing.T) {
	seen := map[string]bool{}
	for _, name := range Names() {
		l, ok := Named(name)
		if !ok || seen[name] || l.Host == "" || l.Agent == "" || l.Ours && (l.Level != Tend || l.Index == "") {
			t.Errorf("%s: %+v", name, l)
		}
		seen[name] = true
	}
	if _, ok := Named("nobody"); ok {
		t.Error("a layout that isn't in the table")
	}
}

func TestNames(t *testing.T) {
	for name, day := range map[string]string{
		"2026-01-02.md": "2026-01-02", "a/2026-01-02-x.md": "2026-01-02", "2026-01-02_x.md": "2026-01-02",
		"2026-01-02x.md": "", "x-2026-01-02.md": "", "26-01-02.md": "", "2026-01-02.txt": "",
	} {
		if Date(name) != day || Daily(name) != (day != "") {
			t.Errorf("%s: %q", name, Date(name))
		}
	}
	for name, want := range map[string]bool{"AGENTS.md": true, "a/b/CLAUDE.md": true, "agents.md": false, "MEMORY.md": false, "x.md": false} {
		if Instructions(name) != want {
			t.Errorf("%s: %v", name, !want)
		}
	}
}
