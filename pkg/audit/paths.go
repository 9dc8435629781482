package audit

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/memoryd/memoryd/pkg/coderef"
	"github.com/memoryd/memoryd/pkg/internal/lazyregexp"
	"github.com/memoryd/memoryd/pkg/internal/mdedit"
)

// missing is a path that a file names and the tree doesn't have.
type missing struct {
	file *file
	line int // from 0
	rule string
	name string   // as it is written
	at   []string // what it may be: relative to the root and to the directory of the file
	says string   // how the file names it
	sure bool     // a link, an import or a command: no sentence around it makes it an example
}

// dirPattern is a directory in code marks.
var dirPattern = lazyregexp.New("`((?:\\./)?(?:[\\w.@+-]+/)+)`")

// paths looks for the paths that the prose of a file names.
func (c *checker) paths(f *file) {
	masked := codeSpan.Get().ReplaceAllStringFunc(string(f.masked()), func(span string) string {
		if word, _, more := strings.Cut(strings.Trim(span, "` "), " "); more && (slices.Contains(programs, word) || strings.HasPrefix(word, "./")) {
			return strings.Repeat(" ", len(span)) // a command: its arguments may be made up
		}
		return span
	})
	seen := map[string]bool{}
	add := func(name string, at int) {
		if i := f.lineAt(at); !seen[name] && !strings.Contains(f.lines[i].text, "://"+name) {
			seen[name] = true
			c.want(missing{file: f, line: i, rule: DeadPath, name: name, says: "names " + name})
		}
	}
	for _, ref := range coderef.Find(masked) {
		if ref.Kind == coderef.Path {
			add(ref.Text, ref.At)
		}
	}
	for _, m := range dirPattern.FindAllStringSubmatchIndex(masked, -1) {
		add(strings.TrimPrefix(masked[m[2]:m[3]], "./"), m[2])
	}
}

// want notes a path that may be dead.
func (c *checker) want(m missing) {
	m.at = candidates(m.file, m.name)
	name := strings.TrimSuffix(m.name, "/")
	switch {
	case len(m.at) == 0, c.tree.has(m.file, name), placeholder(name), generated(name):
		return
	case !m.sure && c.tree.variant(name):
		return
	}
	if slices.ContainsFunc(m.at, func(at string) bool { return c.tree.Ignored(at) || c.tree.below(at) }) {
		return
	}
	c.missing = append(c.missing, m)
}

// candidates are what a name may mean, inside the tree: from the file's directory up.
func candidates(f *file, name string) (all []string) {
	name = strings.TrimSuffix(name, "/")
	if strings.HasPrefix(name, "/") {
		return []string{strings.TrimPrefix(path.Clean(name), "/")}
	}
	for dir := f.dir; ; dir = path.Dir(dir) {
		if at := path.Join(dir, name); at != "." && !strings.HasPrefix(at, "..") && !slices.Contains(all, at) {
			all = append(all, at)
		}
		if dir == "." {
			return all
		}
	}
}

// has reports whether a name is there: from the file's directory up, or as the end of the path of a file or directory.
func (t *Tree) has(f *file, name string) bool {
	for _, at := range candidates(f, name) {
		if t.files[at] || t.dirs[at] > 0 || t.There(at) {
			return true
		}
	}
	name = strings.TrimLeft(path.Clean(name), "./")
	return slices.ContainsFunc(t.byBase[path.Base(name)], func(full string) bool { return full == name || strings.HasSuffix(full, "/"+name) })
}

// variant reports whether a path in a text means a file whose name differs in case, or in the extension of what is built from it or imports it.
func (t *Tree) variant(name string) bool {
	if t.folded[strings.ToLower(name)] != "" {
		return true
	}
	ext := path.Ext(name)
	bare := strings.TrimSuffix(path.Base(name), ext)
	for _, other := range variants()[ext] {
		if slices.ContainsFunc(t.byBase[bare+other], func(full string) bool {
			return full == strings.TrimSuffix(name, ext)+other || strings.HasSuffix(full, "/"+strings.TrimSuffix(name, ext)+other)
		}) {
			return true
		}
	}
	return false
}

var variants = sync.OnceValue(func() map[string][]string {
	return map[string][]string{
		".js": {".ts", ".tsx", ".jsx", ".mjs", ".mts", ".coffee"}, ".jsx": {".tsx"}, ".mjs": {".mts", ".ts"}, ".cjs": {".cts", ".ts"}, ".css": {".scss", ".sass", ".less"},
		".json": {".jsonc", ".json5"}, ".html": {".md", ".mdx", ".html.tmpl"}, ".yml": {".yaml"}, ".yaml": {".yml"}, ".h": {".h.in"}, ".py": {".pyx", ".py.in"}, ".c": {".y", ".l"},
	}
})

// below reports whether a name lies in a submodule that wasn't checked out: a directory that is listed as a file.
func (t *Tree) below(name string) bool {
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if t.files[dir] {
			return true
		}
	}
	return false
}

// made are directories that programs make.
var made = sync.OnceValue(func() []string {
	return strings.Fields("node_modules dist build out target coverage vendor tmp temp logs log cache .cache __pycache__ generated gen .next .nuxt .venv venv env bin obj .git .idea site-packages output outputs results artifacts .turbo .gradle Pods DerivedData storage uploads worktrees .worktrees")
})

// generated reports whether a name is that of something that programs make.
func generated(name string) bool {
	for part := range strings.SplitSeq(name, "/") {
		if slices.Contains(made(), part) {
			return true
		}
	}
	base := path.Base(name)
	return strings.HasSuffix(base, ".log") || strings.HasSuffix(base, ".local.json") || strings.Contains(base, ".local.") || strings.HasPrefix(base, ".env") || strings.Contains(base, "generated") || strings.HasSuffix(base, ".min.js") || strings.HasSuffix(base, ".d.ts") || strings.HasSuffix(base, ".lock")
}

var (
	placeholderPart = lazyregexp.New(`^(foo|bar|baz|qux|example|sample|some|somefile|somefolder|placeholder|xx+|xyz|abc|name|file|filename|dirname|folder|feature|featurename|feature-name|new|thing|something|specific|your|my|other|another|[a-cx-z]|todo|tbd|subdir|yyyy|mm|dd|slug|test_file|test_specific|some_test|path_to)\d?$|^(foo|bar|baz|my|your|some|new|example|sample)[-_.]|[-_.](foo|bar|baz|example|sample|name|here|xxx)$`)
	placeholderCase = lazyregexp.New(`(^|[/_.-])(Foo|Bar|Baz|My|Your|Example|Sample|Some|New|Xxx|Feature|Component|Name|Thing|Module|Page|Widget|Entity)([A-Z]|\.|$|/)|(^|/)[A-Z]+_[A-Z_]+/|YYYY|NNN|XXX|\.\.\.|…|(^|[^\d])(000?[1-9]|0?123)[-_.]`)
)

// placeholder reports whether a name stands for another one.
func placeholder(name string) bool {
	if strings.ContainsAny(name, "*?<>{}[]$%|\"'`\\ ,;!()=") || placeholderCase.MatchString(name) || strings.Contains(name, "path/to") {
		return true
	}
	for part := range strings.SplitSeq(strings.ToLower(name), "/") {
		bare, _, _ := strings.Cut(strings.TrimPrefix(part, "."), ".")
		if bare = strings.TrimSuffix(strings.TrimPrefix(bare, "test_"), "_test"); placeholderPart.MatchString(bare) && bare != "" {
			return true
		}
	}
	return false
}

var (
	// tentative are words that say that a path is an example, or is made by what the sentence describes.
	tentative = lazyregexp.New(`(?i)\b(e\.?g\.?|i\.e|avoid\w*|style|don't|do not|examples?|for instance|such as|like|creat(e|es|ed|ing)|adds?|adding|new|generat\w*|outputs?|emits?|produc\w+|writ(e|es|ing|ten)|saved?|saves|saving|will|would|could|optional(ly)?|if|when present|may|might|templates?|placeholders?|suppose|patterns?|conventions?|naming|named|downloads?|downloaded|install(s|ed)?|artifacts?|copy|copies|todo|plans?|planned|propos\w+|future|later|missing|absent|scaffold\w*|put|place|store[sd]?)\b|→|->|=>`)
	// past are words that say that a path is not there any more.
	past = lazyregexp.New(`(?i)\b(remov\w+|delet\w+|deprecat\w+|moved?|moving|renam\w+|former(ly)?|used to|no longer|replac\w+|was|were|legacy|old|previous(ly)?|gone|dropp?ed|migrat\w+|merged|split|supersed\w+|obsolete|instead of|histor\w+|changelog|extracted|refactor\w+|consolidat\w+|archived?|retired|doesn't exist|does not exist|don't exist|do not exist|no such|not yet|never)\b|→|->|~~`)
	// examplesHead are headings of sections about what isn't there.
	examplesHead = lazyregexp.New(`(?i)\b(examples?|adding|creating|naming|templates?|how to (add|create|write)|new|future|planned|roadmap|todo|history|changelog|removed|deprecated|migration|archive|proposed|output)\b`)
)

// around is a line with the one before it where that introduces it.
func (f *file) around(i int) string {
	text := f.lines[i].text
	for j := i - 1; j >= 0 && j >= i-8; j-- {
		before := strings.TrimSpace(f.lines[j].text)
		if before == "" {
			continue
		}
		if strings.HasSuffix(before, ":") || strings.HasSuffix(before, ",") || len(f.lines[j].text)-len(strings.TrimLeft(f.lines[j].text, " \t")) < len(text)-len(strings.TrimLeft(text, " \t")) {
			return before + "\n" + text
		}
		if !strings.HasPrefix(before, "-") && !strings.HasPrefix(before, "*") && !strings.HasPrefix(before, "|") {
			break
		}
	}
	return text
}

// dead decides which of the missing paths are dead, and makes findings of them.
func (c *checker) dead() {
	var names []string
	for _, m := range c.missing {
		names = append(names, m.at...)
	}
	slices.Sort(names)
	var had map[string]Past
	if c.tree.Past != nil && len(names) > 0 {
		had = c.tree.Past(slices.Compact(names))
	}
	type group struct {
		missing
		detail string
		also   []string
	}
	var groups []*group
	by := map[string]*group{}
	for _, m := range c.missing {
		detail, at, ok := c.verdict(m, had)
		if !ok {
			continue
		}
		top := at
		for dir := path.Dir(at); dir != "." && c.tree.dirs[dir] == 0; dir = path.Dir(dir) {
			top = dir
		}
		key := m.file.name + "\x00" + top
		if g := by[key]; g != nil {
			if !slices.Contains(append(g.also, g.name), m.name) {
				g.also = append(g.also, m.name)
			}
			continue
		}
		by[key] = &group{m, detail, nil}
		groups = append(groups, by[key])
	}
	for _, g := range groups {
		message := g.says + ", " + g.detail
		if n := len(g.also); n > 0 {
			shown := g.also[:min(n, 3)]
			message += "; likewise " + strings.Join(shown, ", ")
			if n > 3 {
				message += fmt.Sprintf(" and %d more", n-3)
			}
		}
		c.found = append(c.found, Finding{Rule: g.rule, Severity: Warning, Path: g.file.name, Line: g.line + 1, Text: g.name, Message: message})
	}
}

// verdict tells whether a missing path is dead, which of the candidates it is, and what became of it.
func (c *checker) verdict(m missing, had map[string]Past) (detail, at string, ok bool) {
	text, heading := m.file.around(m.line), m.file.lines[m.line].heading
	text = strings.ReplaceAll(codeSpan.ReplaceAllString(text, "`"), m.name, " ") // the names themselves say nothing
	for _, at := range m.at {
		was, known := had[at]
		switch {
		case !known:
		case !m.sure && past.MatchString(text):
			return "", "", false
		case was.Now != "":
			return "which is " + was.Now + " now", at, true
		default:
			return "which commit " + was.Commit + " removed", at, true
		}
	}
	if m.rule == DeadLink {
		if near := c.tree.folded[strings.ToLower(m.at[0])]; near != "" {
			return "which doesn't exist; the file is called " + near, m.at[0], true
		}
		if elsewhere := c.tree.elsewhere(m.name); elsewhere != "" {
			return "which doesn't exist; there is " + elsewhere, m.at[0], true
		}
		return "which doesn't exist", m.at[0], true
	}
	if !strings.Contains(strings.TrimSuffix(m.name, "/"), "/") && !m.sure {
		return "", "", false
	}
	if !m.sure && (tentative.MatchString(text) || past.MatchString(text) || examplesHead.MatchString(heading)) {
		return "", "", false
	}
	for i, at := range m.at {
		own := i == 0 && m.file.kind != portable || m.file.kind == portable && at == path.Join(m.file.dir, m.name) || i == len(m.at)-1 && m.file.kind != portable
		if dir := path.Dir(at); own && dir != "." && c.tree.dirs[dir] > 0 {
			if elsewhere := c.tree.elsewhere(m.name); elsewhere != "" {
				return "which doesn't exist; there is " + elsewhere, at, true
			}
			return "which doesn't exist", at, true
		}
	}
	first, _, _ := strings.Cut(m.at[len(m.at)-1], "/")
	if elsewhere := c.tree.elsewhere(m.name); elsewhere != "" && c.tree.dirs[first] > 0 && m.file.kind != portable {
		return "which doesn't exist; there is " + elsewhere, m.at[len(m.at)-1], true
	}
	return "", "", false
}

// common are names that many directories have a file of.
var common = strings.Fields("README.md index.ts index.tsx index.js index.html index.md main.go main.py main.ts main.rs mod.rs lib.rs __init__.py utils.ts utils.py utils.go utils.js types.ts types.go config.ts config.py config.go config.json config.yaml config.yml config.toml package.json tsconfig.json Cargo.toml go.mod Makefile Dockerfile SKILL.md AGENTS.md CLAUDE.md page.tsx layout.tsx route.ts schema.ts models.py views.py tests.py app.py app.ts constants.ts helpers.ts server.ts client.ts settings.json setup.sh run.sh build.sh test.sh overview.md setup.md")

// elsewhere is the one file that has the name of a missing one; "" where there is none, or several.
func (t *Tree) elsewhere(name string) string {
	base := path.Base(name)
	if all := t.byBase[base]; len(all) == 1 && !slices.Contains(common, base) && !strings.HasSuffix(name, "/") {
		return all[0]
	}
	return ""
}

// links looks for links that lead nowhere.
func (c *checker) links(f *file) {
	names := noteNames{}
	for _, l := range mdedit.Links(f.text) {
		i := f.lineAt(l.Start)
		if f.lines[i].fenced || f.lines[i].comment || l.Kind == mdedit.Code {
			continue
		}
		if l.Kind == mdedit.Wiki {
			if f.kind == aNote || f.kind == anIndex {
				c.wiki(f, i, l, names)
			}
			continue
		}
		name := l.Name
		scheme, _, colon := strings.Cut(name, ":")
		switch {
		case name == "", strings.HasPrefix(name, "//"), strings.HasPrefix(name, "~"), colon && len(scheme) > 0 && !strings.Contains(scheme, "/"), placeholder(strings.NewReplacer(" ", "", "(", "", ")", "", "'", "", ",", "").Replace(name)):
			continue
		case !strings.ContainsAny(name, "./"), strings.Trim(name, ".") == "", path.Ext(name) == "" && !strings.HasSuffix(name, "/") && (strings.HasPrefix(name, "/") || !strings.Contains(name, "/")):
			continue // anybody's: f[x](y), or an address of a site
		case strings.HasPrefix(name, "/") && c.tree.dirs[strings.Split(name, "/")[1]] == 0:
			continue // of a disk or a site
		}
		at := path.Join(f.dir, name)
		if strings.HasPrefix(name, "/") {
			at = strings.TrimPrefix(path.Clean(name), "/")
		}
		if strings.HasPrefix(at, "..") || c.tree.files[at] || c.tree.dirs[at] > 0 || c.tree.There(at) || c.tree.Ignored(at) || c.tree.below(at) || c.tree.files[at+".md"] || c.tree.files[at+".mdx"] {
			continue
		}
		if tentativeLink.MatchString(l.Text) {
			continue
		}
		c.missing = append(c.missing, missing{file: f, line: i, rule: DeadLink, name: name, at: []string{at}, says: "links " + name, sure: true})
	}
}

// tentativeLink is the text of a link that shows how to write one.
var tentativeLink = lazyregexp.New(`(?i)^(link|link text|text|title|name|label|example|description|alt|alt text)$`)

// noteNames are the names of the notes around a file, in small letters, by its directory.
type noteNames map[string]map[string]bool

// wiki looks for the note that [[name]] means. Claude Code's own instructions say that a name without a note marks something worth writing:
// that is advice.
func (c *checker) wiki(f *file, i int, l mdedit.Link, names noteNames) {
	name := strings.TrimSpace(l.Name)
	if name == "" || strings.ContainsAny(name, `$"=&<>`) || strings.HasPrefix(name, "-") || strings.Contains(name, "://") || placeholder(strings.ReplaceAll(name, " ", "")) {
		return
	}
	if names[f.dir] == nil {
		names[f.dir] = c.tree.noteNames(f.dir)
	}
	bare := simple(path.Base(strings.TrimSuffix(name, ".md")))
	if names[f.dir][bare] || c.tree.has(f, name) || c.tree.has(f, name+".md") {
		return
	}
	for _, other := range c.found {
		if other.Rule == DeadLink && other.Path == f.name && other.Text == "[["+l.Name+"]]" {
			return
		}
	}
	c.found = append(c.found, Finding{Rule: DeadLink, Severity: Advice, Path: f.name, Line: i + 1, Text: "[[" + l.Name + "]]", Message: "links [[" + name + "]]: no note has this name"})
}

// noteNames are what notes of a directory and below it are called.
func (t *Tree) noteNames(dir string) map[string]bool {
	all := map[string]bool{}
	for _, name := range t.Files {
		if dir != "." && !strings.HasPrefix(name, dir+"/") && !strings.HasPrefix(dir, path.Dir(name)) || path.Ext(name) != ".md" {
			continue
		}
		all[simple(strings.TrimSuffix(path.Base(name), ".md"))] = true
		if front := mdedit.FrontOf(t.Text(name)); front != nil {
			for _, key := range []string{"name", "title", "permalink", "aliases"} {
				all[simple(front.Value(key))] = true
			}
		}
	}
	return all
}

// simple is a name without regard to case, "-", "_" and blanks.
func simple(name string) string {
	return strings.NewReplacer("-", "", "_", "", " ", "").Replace(strings.ToLower(name))
}

// importPattern is an import of CLAUDE.md and GEMINI.md: @path.
var importPattern = lazyregexp.New(`(?m)(?:^|[\s(])@((?:\.{1,2}/)*(?:[\w.-]+/)*[\w.-]+\.(?:md|mdc|txt))\b`)

// imports looks for imports of files that aren't there.
func (c *checker) imports(f *file) {
	if f.kind != instructions {
		return
	}
	masked := codeSpan.ReplaceAllString(string(f.masked()), "")
	for _, m := range importPattern.FindAllStringSubmatch(masked, -1) {
		name := m[1]
		i := slices.IndexFunc(f.lines, func(l line) bool { return !l.fenced && strings.Contains(l.text, "@"+name) })
		at := path.Join(f.dir, name)
		if i < 0 || strings.HasPrefix(at, "..") || c.tree.There(at) || c.tree.has(f, name) || placeholder(name) || c.tree.Ignored(at) {
			continue
		}
		c.missing = append(c.missing, missing{file: f, line: i, rule: DeadLink, name: "@" + name, at: []string{at}, says: "imports @" + name, sure: true})
	}
}

var codeSpan = lazyregexp.New("`[^`\n]*`")
