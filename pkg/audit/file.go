package audit

import (
	"path"
	"slices"
	"strings"

	"github.com/memoryd/memoryd/pkg/internal/mdedit"
	"github.com/memoryd/memoryd/pkg/layout"
)

// Past is what became of a path that isn't there any more.
type Past struct {
	Commit string // that removed it or moved it away
	Now    string // where it is now; "" if it is gone
}

// Tree is what a check knows of a repository. Names are slash-separated and relative to its root.
type Tree struct {
	Dir     string                               // absolute and slash-separated: a host's folder is recognised by it
	Files   []string                             // sorted
	Text    func(name string) []byte             // of a file; nil where it can't be read
	There   func(name string) bool               // whether the disk has something of that name, in the repository or not
	Ignored func(name string) bool               // whether git ignores, or would ignore, that name
	Past    func(names []string) map[string]Past // of missing names those that the repository once had; nil where that isn't known
	files   map[string]bool
	dirs    map[string]int // directories, and how many files are in each and below
	byBase  map[string][]string
	folded  map[string]string // names in small letters
}

// know prepares the tree to answer.
func (t *Tree) know() {
	t.files, t.dirs, t.byBase, t.folded = map[string]bool{}, map[string]int{}, map[string][]string{}, map[string]string{}
	for _, name := range t.Files {
		t.files[name] = true
		t.folded[strings.ToLower(name)] = name
		t.byBase[path.Base(name)] = append(t.byBase[path.Base(name)], name)
		for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
			if t.dirs[dir]++; t.dirs[dir] == 1 {
				t.byBase[path.Base(dir)] = append(t.byBase[path.Base(dir)], dir)
			}
		}
	}
}

// kind is how a file is read by an agent.
type kind int

const (
	instructions kind = iota // for a repository
	portable                 // skills, commands and agents: they also speak of the repositories in which they are used
	aNote                    // of a folder
	anIndex                  // of a folder
	other                    // what a person asks to check
)

// file is a file that is checked.
type file struct {
	name, dir string
	kind      kind
	text      []byte
	lines     []line
	starts    []int // of the lines
}

// line is a line of a file.
type line struct {
	text    string
	front   bool
	fenced  bool
	shell   bool // in a block of commands
	comment bool // of HTML
	heading string
}

// lineAt is the number, from 0, of the line that a byte is in.
func (f *file) lineAt(at int) int {
	i, ok := slices.BinarySearch(f.starts, at)
	if !ok {
		i--
	}
	return max(i, 0)
}

var shells = []string{"", "bash", "sh", "shell", "zsh", "console", "shell-session", "shellsession", "terminal", "fish", "cmd", "powershell", "pwsh", "ps1"}

// newFile reads the lines of a file.
func newFile(name string, k kind, text []byte) *file {
	f := &file{name: name, dir: path.Dir(name), kind: k, text: text}
	body, at := mdedit.BodyAt(text), 0
	fence, shell, comment, heading := "", false, false, ""
	for raw := range strings.SplitAfterSeq(string(text), "\n") {
		if raw == "" {
			break
		}
		l := line{text: strings.TrimPrefix(strings.TrimRight(raw, "\r\n"), "\ufeff"), front: at < body}
		f.starts = append(f.starts, at)
		at += len(raw)
		trimmed := strings.TrimLeft(l.text, " \t>")
		mark := ""
		for _, m := range []string{"```", "~~~"} {
			if strings.HasPrefix(trimmed, m) && !strings.Contains(strings.TrimLeft(trimmed, m[:1]), "```") {
				mark = trimmed[:len(trimmed)-len(strings.TrimLeft(trimmed, m[:1]))]
			}
		}
		switch {
		case l.front:
		case fence == "" && mark != "" && !comment:
			fence = mark
			lang, _, _ := strings.Cut(strings.TrimSpace(trimmed[len(mark):]), " ")
			shell, l.fenced = slices.Contains(shells, strings.ToLower(strings.Trim(lang, "{}."))), true
			shell = shell && (lang != "" || bareShell(string(text[at:]), mark))
		case fence != "" && strings.HasPrefix(mark, fence) && strings.Trim(trimmed, "`~ \t") == "":
			fence, l.fenced = "", true
		case fence != "":
			l.fenced, l.shell = true, shell
		default:
			l.comment = comment || strings.Contains(l.text, "<!--")
			if open, shut := strings.LastIndex(l.text, "<!--"), strings.LastIndex(l.text, "-->"); open >= 0 || shut >= 0 {
				comment = open > shut
			}
			if title := strings.TrimLeft(l.text, "#"); !l.comment && len(title) < len(l.text) && strings.HasPrefix(title, " ") {
				heading = strings.TrimSpace(title)
			}
		}
		l.heading = heading
		f.lines = append(f.lines, l)
	}
	return f
}

// bareShell reports whether a block of code without a language holds commands: each of its lines begins with a program that is known.
func bareShell(rest, mark string) bool {
	inner, _, _ := strings.Cut(rest, mark)
	n := 0
	for l := range strings.Lines(inner) {
		l = strings.TrimSpace(l)
		if l == "" || strings.HasPrefix(l, "#") {
			continue
		}
		word, _, _ := strings.Cut(strings.TrimPrefix(l, "$ "), " ")
		if !slices.Contains(programs, word) && !strings.HasPrefix(word, "./") {
			return false
		}
		n++
	}
	return n > 0
}

// masked is the text of a file with everything blank that isn't read as prose: front matter, blocks of code, comments, and links.
func (f *file) masked() []byte {
	text := slices.Clone(f.text)
	blank := func(from, to int) {
		for i := from; i < to && i < len(text); i++ {
			if text[i] != '\n' {
				text[i] = ' '
			}
		}
	}
	for i, l := range f.lines {
		if l.front || l.fenced || l.comment {
			blank(f.starts[i], f.starts[i]+len(l.text)+3)
		}
	}
	for _, l := range mdedit.Links(f.text) {
		if l.Kind == mdedit.Inline || l.Kind == mdedit.Reference || l.Kind == mdedit.Wiki {
			blank(l.Start, l.End)
		}
	}
	return text
}

// borrowed are directories whose files are written for somewhere else.
var borrowed = []string{"node_modules", "vendor", "vendored", "third_party", "third-party", "thirdparty", "external", "testdata", "test-data", "fixtures", "__fixtures__", "fixture", "templates", "template", "__snapshots__", "snapshots", "mocks", "__mocks__", ".memory", "site-packages", ".venv", "venv", "dist", "build", "skeleton", "skeletons", "boilerplate", "scaffold", "scaffolds", "cookiecutter"}

// foreign reports whether a file is written for somewhere else: what it names is not here.
func foreign(name string) bool {
	parts := strings.Split(name, "/")
	return slices.ContainsFunc(parts[:len(parts)-1], func(p string) bool {
		return slices.Contains(borrowed, strings.ToLower(p)) || strings.ContainsAny(p, "{}<>$%")
	})
}

// ruleFiles are patterns of files with instructions that hosts read, by the end of their path.
var ruleFiles = []string{
	".github/copilot-instructions.md", ".github/instructions/*.instructions.md", ".cursor/rules/*.mdc", ".cursor/rules/*/*.mdc", ".cursorrules", ".windsurfrules", ".clinerules", ".clinerules/*.md",
	".windsurf/rules/*.md", ".claude/rules/*.md", ".claude/rules/*/*.md", ".junie/guidelines.md", ".roo/rules/*.md", ".kiro/steering/*.md", ".amazonq/rules/*.md", ".rules", "AGENTS.override.md", "AGENT.md",
}

// portableFiles are those of skills, commands and agents.
var portableFiles = []string{".claude/agents/*.md", ".claude/agents/*/*.md", ".claude/commands/*.md", ".claude/commands/*/*.md", "SKILL.md"}

// kindOf tells whether agents read a file by its name, and how.
func kindOf(name string) (kind, bool) {
	is := func(patterns []string) bool {
		return slices.ContainsFunc(patterns, func(p string) bool {
			parts := strings.Split(name, "/")
			n := strings.Count(p, "/") + 1
			if len(parts) < n {
				return false
			}
			ok, err := path.Match(p, strings.Join(parts[len(parts)-n:], "/"))
			return ok && err == nil
		})
	}
	switch {
	case is(portableFiles):
		return portable, true
	case layout.Instructions(name) || is(ruleFiles):
		return instructions, true
	}
	return 0, false
}
