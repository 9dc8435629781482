package audit

import (
	"path"
	"slices"
	"strings"

	"github.com/memoryd/memoryd/pkg/internal/parallel"
	"github.com/memoryd/memoryd/pkg/layout"
	"github.com/memoryd/memoryd/pkg/secrets"
)

// Report is what a check found.
type Report struct {
	Files    []string  // that were checked, sorted
	Findings []Finding // by file and line
}

// Check checks the files of a tree that agents read. Named are files that are checked whatever they are called; wanted tells of the others
// which are, nil for all.
func Check(t Tree, named []string, wanted func(name string) bool, rules *secrets.Rules) Report {
	t.know()
	c := checker{tree: &t}
	files := map[string]*file{}
	add := func(name string, k kind, text []byte) {
		if files[name] == nil && text != nil {
			files[name] = newFile(name, k, text)
		}
	}
	in := func(name string) bool { return !foreign(name) && (wanted == nil || wanted(name)) }
	folders := folders(&t, in)
	for _, d := range folders {
		for _, n := range d.files {
			if k := aNote; in(path.Join(d.dir, n.Name)) {
				if n.Name == d.layout.Index {
					k = anIndex
				}
				add(path.Join(d.dir, n.Name), k, n.Text)
			}
		}
	}
	for _, name := range t.Files {
		if k, ok := kindOf(name); ok && in(name) {
			add(name, k, t.Text(name))
		}
	}
	for _, name := range named {
		k, ok := kindOf(name)
		if !ok {
			k = other
		}
		add(name, k, t.Text(name))
	}
	names := make([]string, 0, len(files))
	for name := range files {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, d := range folders {
		c.found = append(c.found, d.check(in)...)
	}
	c.scripts = readScripts(&t)
	first := map[string]string{} // files of one directory with one text: its copies have the same causes
	var read []*file
	for _, name := range names {
		f := files[name]
		if f.kind == instructions {
			if key := f.dir + "\x00" + string(f.text); first[key] != "" {
				continue
			} else {
				first[key] = name
			}
		}
		read = append(read, f)
	}
	each := make([]checker, len(read))
	parallel.Tasks(len(read), func(i int) {
		each[i] = checker{tree: &t, scripts: c.scripts}
		each[i].file(read[i], rules)
	})
	for i := range each {
		c.found = append(c.found, each[i].found...)
		c.missing = append(c.missing, each[i].missing...)
	}
	c.dead()
	c.found = append(c.found, contradictions(read)...)
	return Report{names, inOrder(c.found)}
}

// checker gathers what is found.
type checker struct {
	tree    *Tree
	scripts *scripts
	found   []Finding
	missing []missing
}

// file checks one file by itself.
func (c *checker) file(f *file, rules *secrets.Rules) {
	c.found = append(c.found, hidden(f)...)
	c.found = append(c.found, concealed(f)...)
	for _, s := range rules.Find(string(f.text)) {
		c.found = append(c.found, Finding{Rule: SecretText, Severity: Error, Path: f.name, Line: s.Line, Text: s.Rule + " " + s.Preview, Message: "holds a secret: " + strings.TrimSuffix(s.What+" ("+s.Preview+")", " (…)"), Hint: "revoke it, and name the place that holds it"})
	}
	switch ext := strings.ToLower(path.Ext(f.name)); {
	case ext != ".md" && ext != ".mdc" && ext != ".markdown" && ext != ".txt" && f.kind == other:
		return
	}
	c.found = append(c.found, front(f)...)
	if loaded := 32 << 10; path.Base(f.name) == "AGENTS.md" && len(f.text) > loaded {
		c.found = append(c.found, Finding{Rule: OverCap, Severity: Warning, Path: f.name, Line: f.lineAt(loaded) + 1, Text: "codex",
			Message: "Codex loads 32 KiB: what follows this line is left out", Hint: "move parts to files of subdirectories"})
	}
	if layout.Daily(f.name) {
		return // a record of its day
	}
	c.links(f)
	c.imports(f)
	c.paths(f)
	c.commands(f)
}
