package audit

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/memoryd/memoryd/pkg/hostindex"
	"github.com/memoryd/memoryd/pkg/internal/mdedit"
	"github.com/memoryd/memoryd/pkg/layout"
	"github.com/memoryd/memoryd/pkg/note"
)

// folder is a folder of notes of an agent host.
type folder struct {
	dir    string // relative to the tree
	layout layout.Layout
	files  []layout.File // Markdown, relative to it
	whole  bool          // it holds nothing else: a note without an entry was forgotten
}

// prose are the files that a folder of notes may hold.
var prose = []string{".md", ".markdown", ".json", ".jsonl", ".txt", ".png", ".jpg", ".svg", ".toml", ".yaml", ".yml", ""}

// folders finds the folders of notes in a tree: those with an index, and those that hosts make, by their path.
func folders(t *Tree, wanted func(name string) bool) (all []folder) {
	seen := map[string]bool{}
	for _, name := range t.Files {
		if path.Ext(name) != ".md" || !wanted(name) {
			continue
		}
		if dir := path.Dir(name); !seen[dir] {
			seen[dir] = true
			_, why := layout.Recognise(path.Join(t.Dir, dir), nil)
			if t.files[path.Join(dir, "MEMORY.md")] || strings.HasPrefix(why, "by its path") {
				all = append(all, readFolder(t, dir))
			}
		}
	}
	return all
}

// readFolder reads the notes of a folder. One that is next to code has only those that its index links, and those below memory/.
func readFolder(t *Tree, dir string) folder {
	d := folder{dir: dir, whole: true}
	var names []string
	for _, name := range t.Files {
		rel := name
		if dir != "." {
			ok := false
			if rel, ok = strings.CutPrefix(name, dir+"/"); !ok {
				continue
			}
		}
		if !slices.Contains(prose, strings.ToLower(path.Ext(rel))) || path.Base(rel) == "package.json" || rel == ".gitignore" {
			d.whole = d.whole && strings.HasPrefix(path.Base(rel), ".")
		}
		sub := path.Dir(rel)
		if path.Ext(rel) != ".md" || strings.HasPrefix(rel, ".") || strings.Contains(rel, "/.") || sub != "." && t.files[path.Join(dir, sub, "MEMORY.md")] || layout.Instructions(rel) && path.Base(rel) != "MEMORY.md" || strings.EqualFold(path.Base(rel), "README.md") {
			continue
		}
		names = append(names, rel)
	}
	d.whole = d.whole && !(dir == "." && t.files[".gitignore"])
	linked := map[string]bool{}
	if !d.whole {
		for _, l := range mdedit.Links(t.Text(path.Join(dir, "MEMORY.md"))) {
			linked[path.Clean(l.Name)] = true
		}
	}
	for _, rel := range names {
		if d.whole || rel == "MEMORY.md" || linked[rel] || strings.HasPrefix(rel, "memory/") {
			if text := t.Text(path.Join(dir, rel)); text != nil {
				d.files = append(d.files, layout.File{Name: rel, Text: text})
			}
		}
	}
	d.layout, _ = layout.Recognise(path.Join(t.Dir, dir), d.files)
	return d
}

// check looks at the folder as its host does.
func (d *folder) check(wanted func(name string) bool) (found []Finding) {
	at := func(rel string) string { return path.Join(d.dir, rel) }
	f := hostindex.Folder{Name: d.layout.Index, Lines: d.layout.Lines, Units: d.layout.Units, Pages: map[string][]byte{}}
	byText := map[string][]string{}
	var bodies []string
	for _, n := range d.files {
		if n.Name == d.layout.Index {
			f.Index = n.Text
			continue
		}
		if hostindex.IsPage(n.Name, n.Text) {
			f.Pages[n.Name] = n.Text
			continue
		}
		f.Notes = append(f.Notes, hostindex.Note{Path: n.Name})
		body := note.Body(n.Text)
		if len(strings.Fields(body)) < 4 {
			continue
		}
		if byText[body] == nil {
			bodies = append(bodies, body)
		}
		byText[body] = append(byText[body], n.Name)
		if front := mdedit.FrontOf(n.Text); d.layout.TypeKey && wanted(at(n.Name)) && (front == nil || !layout.HostType(front.Value("type"))) {
			found = append(found, Finding{Rule: FrontMatter, Severity: Warning, Path: at(n.Name), Text: "type",
				Message: d.layout.Host + " doesn't see this note: its front matter has no type", Hint: "add type: user, feedback, project or reference"})
		}
	}
	for _, body := range bodies {
		if same := byText[body]; len(same) > 1 {
			found = append(found, Finding{Rule: ExactCopy, Severity: Warning, Path: at(same[len(same)-1]), Text: strings.Join(same, " "),
				Message: "has the same text as " + strings.Join(same[:len(same)-1], " and "), Hint: `"memory adopt" and "memory consolidate" merge copies`})
		}
	}
	if f.Index == nil {
		return found
	}
	listed, reached, mentioned := f.Listed(), f.Reached(), f.Mentioned()
	if end := hostindex.Loaded(f.Index, f.Lines, f.Units); (f.Lines > 0 || f.Units > 0) && end < len(strings.TrimRight(string(f.Index), "\r\n\t ")) {
		unseen := 0
		for _, n := range f.Notes {
			if (listed[n.Path] || mentioned[n.Path]) && !reached[n.Path] {
				unseen++
			}
		}
		host := d.layout.Host
		if d.layout.Name == "plain" {
			host = "Claude Code" // whose limits it has
		}
		what := fmt.Sprintf("%s loads %s: what follows isn't loaded", host, capOf(d.layout))
		if unseen > 0 {
			what += fmt.Sprintf(", and %d notes are named only there", unseen)
		}
		found = append(found, Finding{Rule: OverCap, Severity: Warning, Path: at(d.layout.Index), Line: strings.Count(string(f.Index[:end]), "\n") + 1, Text: d.layout.Name, Message: what,
			Hint: `"memory adopt" keeps an index within what its host loads`})
	}
	if d.whole && d.layout.Level == layout.Tend && d.layout.Ours {
		var names []string
		for _, n := range f.Notes {
			if !listed[n.Path] && !reached[n.Path] && !mentioned[n.Path] {
				names = append(names, n.Path)
			}
		}
		if n := len(names); n > 0 {
			what := "has no entry for " + strings.Join(names[:min(n, 5)], ", ")
			if n > 5 {
				what += fmt.Sprintf(" and %d more", n-5)
			}
			found = append(found, Finding{Rule: Orphan, Severity: Warning, Path: at(d.layout.Index), Text: strings.Join(names, " "), Message: what, Hint: `"memory adopt" adds entries`})
		}
	}
	return found
}

// capOf says how much of its index a host loads.
func capOf(l layout.Layout) string {
	switch {
	case l.Lines == 0:
		return fmt.Sprintf("%d characters", l.Units)
	case l.Units == 0:
		return fmt.Sprintf("%d lines", l.Lines)
	}
	return fmt.Sprintf("%d lines, and %d characters of them", l.Lines, l.Units)
}

// front looks at the front matter that a host needs.
func front(f *file) []Finding {
	text := strings.TrimPrefix(string(f.text), "\ufeff")
	finding := func(line int, about, message string) []Finding {
		return []Finding{{Rule: FrontMatter, Severity: Warning, Path: f.name, Line: line, Text: about, Message: message}}
	}
	skill := path.Base(f.name) == "SKILL.md"
	if !strings.HasPrefix(text, "---\n") && !strings.HasPrefix(text, "---\r\n") {
		if skill && strings.TrimSpace(text) != "" {
			return finding(1, "none", "a skill without front matter isn't loaded: it needs name and description")
		}
		return nil
	}
	if mdedit.BodyAt(f.text) == 0 || mdedit.FrontOf(f.text) == nil {
		if second, _, _ := strings.Cut(strings.TrimLeft(text[4:], "\r\n"), "\n"); keyLine(second) {
			return finding(1, "open", "the front matter has no end: a line --- is missing")
		}
		return nil
	}
	if !skill {
		return nil
	}
	at := mdedit.FrontOf(f.text)
	inner := at.Span.Of(f.text)
	if len(inner) > mdedit.MaxFront {
		return nil
	}
	var doc map[string]any
	if err := yaml.Unmarshal([]byte(inner), &doc); err != nil {
		line := 2
		if e, ok := err.(yaml.Error); ok && e.GetToken() != nil && e.GetToken().Position != nil {
			line = e.GetToken().Position.Line + 1
			return finding(line, "yaml", "the front matter isn't valid YAML, so that hosts may not load the skill: "+e.GetMessage())
		}
		return finding(line, "yaml", "the front matter isn't valid YAML, so that hosts may not load the skill")
	}
	for _, key := range []string{"name", "description"} {
		if v, ok := doc[key]; !ok || v == nil || v == "" {
			return finding(1, key, "a skill without "+key+" isn't loaded")
		}
	}
	if v, _ := doc["description"].(string); len([]rune(v)) > 1024 {
		return []Finding{{Rule: OverCap, Severity: Warning, Path: f.name, Line: 1, Text: "description", Message: fmt.Sprintf("the description has %d characters: hosts take 1,024", len([]rune(v)))}}
	}
	return nil
}

// keyLine reports whether a line looks like one of front matter.
func keyLine(line string) bool {
	key, _, ok := strings.Cut(line, ":")
	return ok && key != "" && !strings.ContainsAny(key, " *#`[")
}
