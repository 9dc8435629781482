// Package layout is the table of the folders in which agent hosts keep notes as Markdown, and recognises one: which host writes it,
// what its index is, how much of that the host loads, and how far memoryd may change it. Recognition goes by the path first, then
// by signs in the files; in doubt it is the lower level. The package is pure.
package layout

import (
	"path"
	"slices"
	"strings"

	"github.com/memoryd/memoryd/pkg/internal/lazyregexp"
	"github.com/memoryd/memoryd/pkg/internal/mdedit"
)

// Level is how far a folder is tended.
type Level string

// The levels.
const (
	Tend    Level = "tend"    // notes and index are changed by plans
	Entries Level = "entries" // one file of several memories
	Read    Level = "read"    // searched and checked, never written
)

// Layout is one row of the table.
type Layout struct {
	Name  string // as --as takes it
	Host  string // for people
	Level Level
	Index string // the file that the host loads; "" for none
	// Ours tells that memoryd may write entries of the index. Otherwise the host generates it, or it is prose.
	Ours bool
	// Lines and Units are how much of the index the host loads: lines, and UTF-16 units. 0: all.
	Lines, Units int
	Agent        string // who writes the notes, as created_by
	TypeKey      bool   // a note without "type" isn't seen by the host
	Newest       int    // the host sees so many notes only, the newest; 0: all
	// Loader is the host, as "memory hook" calls it, that gives its agents the index; "" for none. Picks tells that it gives them notes
	// that fit a prompt, too.
	Loader string
	Picks  bool
	paths  *lazyregexp.Regexp
}

// table is in the order in which paths are compared.
var table = []Layout{
	{Name: "claude-agent", Host: "Claude Code, memory of a subagent", Level: Tend, Index: "MEMORY.md", Ours: true, Lines: 200, Units: 25_000, Agent: "CLAUDE", Loader: "claude", Picks: true, paths: lazyregexp.New(`/\.claude/agent-memory(-local)?/[^/]+$`)},
	{Name: "claude", Host: "Claude Code", Level: Tend, Index: "MEMORY.md", Ours: true, Lines: 200, Units: 25_000, Agent: "CLAUDE", Loader: "claude", Picks: true, paths: lazyregexp.New(`/\.claude/(projects/[^/]+/)?memory$`)},
	{Name: "qwen", Host: "qwen-code", Level: Tend, Index: "MEMORY.md", Lines: 200, Units: 25_000, Agent: "QWEN", TypeKey: true, Newest: 200, paths: lazyregexp.New(`/\.qwen/(.*/)?(memory|team-memory)$`)},
	{Name: "gemini", Host: "Gemini CLI", Level: Tend, Index: "MEMORY.md", Agent: "GEMINI", Loader: "gemini", paths: lazyregexp.New(`/\.gemini/(.*/)?memory$`)},
	{Name: "hermes", Host: "Hermes", Level: Entries, Index: "MEMORY.md", Units: 2_200, Agent: "HERMES", paths: lazyregexp.New(`/\.hermes/memories$`)},
	{Name: "openclaw", Host: "OpenClaw", Level: Read, Index: "MEMORY.md", Units: 20_000, Agent: "OPENCLAW", paths: lazyregexp.New(`/\.openclaw/workspace$`)},
	{Name: "codex", Host: "Codex", Level: Read, Index: "memory_summary.md", Agent: "CODEX", paths: lazyregexp.New(`/\.codex/memories$`)},
	{Name: "copilot", Host: "VS Code, Copilot", Level: Read, Lines: 200, Agent: "COPILOT", paths: lazyregexp.New(`/memory-tool/memories(/[^/]+)?$`)},
	{Name: "serena", Host: "Serena", Level: Read, Agent: "SERENA", paths: lazyregexp.New(`/\.serena/memories$`)},
	{Name: "memory-bank", Host: "memory bank", Level: Read, Agent: "AGENT", paths: lazyregexp.New(`/memory-bank$`)},
	{Name: "plain", Host: "an index MEMORY.md with links", Level: Tend, Index: "MEMORY.md", Ours: true, Lines: 200, Units: 25_000, Agent: "AGENT", Loader: "claude"},
	{Name: "notes", Host: "notes without an index", Level: Read, Agent: "AGENT"},
}

// Names are the layouts, as --as takes them.
func Names() (all []string) {
	for _, l := range table {
		all = append(all, l.Name)
	}
	return all
}

// Named is the layout with a name.
func Named(name string) (Layout, bool) {
	i := slices.IndexFunc(table, func(l Layout) bool { return l.Name == name })
	if i < 0 {
		return Layout{}, false
	}
	return table[i], true
}

// File is a Markdown file of a folder: its name, slash-separated and relative to it, and its text.
type File struct {
	Name string
	Text []byte
}

// leastEntries is how many entries make an index by themselves.
const leastEntries = 3

// Recognise tells the layout of a folder by its absolute path, slash-separated, and its files, and why.
func Recognise(dir string, files []File) (Layout, string) {
	for _, l := range table {
		if l.paths != nil && l.paths.MatchString(path.Clean(dir)) {
			return l, "by its path"
		}
	}
	byName := func(name string) (Layout, string) { l, _ := Named(name); return l, "" }
	if slices.ContainsFunc(files, func(f File) bool { return Instructions(f.Name) && path.Dir(f.Name) == "." }) && !slices.ContainsFunc(files, func(f File) bool { return f.Name == "MEMORY.md" }) {
		l, _ := byName("notes")
		return l, "it holds instructions for agents"
	}
	notes := map[string]bool{}
	daily := 0
	var index []byte
	for _, f := range files {
		switch {
		case f.Name == "MEMORY.md":
			index = f.Text
		case !Instructions(f.Name):
			notes[f.Name] = true
			if Daily(f.Name) {
				daily++
			}
		}
	}
	if index == nil {
		l, _ := byName("notes")
		return l, "it has no MEMORY.md"
	}
	if len(mdedit.Entries(index)) > 1 {
		l, _ := byName("hermes")
		return l, "MEMORY.md holds entries between lines §"
	}
	if len(notes) == 0 {
		l, _ := byName("notes")
		return l, "it has no notes besides MEMORY.md"
	}
	linked := map[string]bool{}
	for _, l := range mdedit.Links(index) {
		if name := path.Clean(l.Name); notes[name] {
			linked[name] = true
		}
	}
	switch {
	case len(linked) < leastEntries && len(linked) < len(notes):
		if daily > 0 {
			l, _ := byName("openclaw")
			return l, "MEMORY.md is prose, and there are daily notes"
		}
		l, _ := byName("notes")
		return l, "MEMORY.md links hardly any of the notes"
	case 2*len(linked) < len(notes):
		l, _ := byName("plain")
		l.Level, l.Ours = Read, false
		return l, "MEMORY.md links less than half of the notes"
	}
	name := "plain"
	for _, f := range files {
		if front := mdedit.FrontOf(f.Text); notes[f.Name] && front != nil && HostType(front.Value("type")) {
			name = "claude"
		}
	}
	l, _ := byName(name)
	return l, "by its index and its notes"
}

// HostType reports whether a word is one of the types that Claude Code and qwen-code give notes.
func HostType(word string) bool {
	return slices.Contains([]string{"user", "feedback", "project", "reference"}, strings.ToLower(word))
}

// Instructions reports whether a file holds instructions for agents, which nothing writes.
func Instructions(name string) bool {
	return slices.Contains([]string{"AGENTS.md", "CLAUDE.md", "CLAUDE.local.md", "GEMINI.md", "QWEN.md", "SKILL.md", "SOUL.md"}, path.Base(name))
}

var dailyName = lazyregexp.New(`^(\d{4}-\d{2}-\d{2})([-_].*)?\.md$`)

// Daily reports whether a name is that of a daily note: a date, and perhaps more.
func Daily(name string) bool { return dailyName.MatchString(path.Base(name)) }

// Date is the date in the name of a daily note; "" for none.
func Date(name string) string {
	if m := dailyName.FindStringSubmatch(path.Base(name)); m != nil {
		return m[1]
	}
	return ""
}
