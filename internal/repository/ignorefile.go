package repository

import (
	"bytes"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
)

// ignoreRule is one line of a .gitignore: see gitignore(5).
type ignoreRule struct {
	base    string // the directory of its file, "" for the root
	pattern *regexp.Regexp
	dirs    bool // only directories
	not     bool
}

// Ignores tells by the .gitignore files of the directory whether git would ignore a name, which needn't be there: one without an extension may be
// that of a directory.
func (r *Repository) Ignores() func(name string) bool {
	var rules []ignoreRule
	read := func(base, file string) {
		text, err := os.ReadFile(file)
		if err != nil {
			return // a file that can't be read ignores nothing
		}
		for line := range bytes.Lines(text) {
			if rule, ok := ignoreLine(strings.TrimRight(string(line), "\r\n")); ok {
				rule.base = base
				rules = append(rules, rule)
			}
		}
	}
	read("", filepath.Join(r.Dir, ".git", "info", "exclude"))
	read("", filepath.Join(r.Dir, ".gitignore"))
	for _, name := range r.Files() {
		if dir := path.Dir(name); path.Base(name) == ".gitignore" && dir != "." {
			read(dir, filepath.Join(r.Dir, filepath.FromSlash(name)))
		}
	}
	one := func(name string, dir bool) (ignored bool) {
		for _, rule := range rules {
			rel := name
			if rule.base != "" {
				ok := false
				if rel, ok = strings.CutPrefix(name, rule.base+"/"); !ok {
					continue
				}
			}
			if (dir || !rule.dirs) && rule.pattern.MatchString(rel) {
				ignored = !rule.not
			}
		}
		return ignored
	}
	return func(name string) bool {
		for i, c := range name {
			if c == '/' && one(name[:i], true) {
				return true
			}
		}
		return one(name, path.Ext(name) == "")
	}
}

// ignoreLine reads a line of a .gitignore.
func ignoreLine(line string) (rule ignoreRule, ok bool) {
	line = strings.TrimRight(line, " \t")
	if line == "" || line[0] == '#' {
		return rule, false
	}
	line, rule.not = strings.CutPrefix(line, "!")
	line, rule.dirs = strings.CutSuffix(line, "/")
	anchored := strings.Contains(line, "/")
	line = strings.TrimPrefix(line, "/")
	var b strings.Builder
	b.WriteString("^")
	if !anchored {
		b.WriteString("(?:.*/)?")
	}
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case strings.HasPrefix(line[i:], "**/"):
			b.WriteString("(?:.*/)?")
			i += 2
		case strings.HasPrefix(line[i:], "**"):
			b.WriteString(".*")
			i++
		case c == '*':
			b.WriteString("[^/]*")
		case c == '?':
			b.WriteString("[^/]")
		case c == '[' && strings.IndexByte(line[i:], ']') > 1:
			end := i + strings.IndexByte(line[i:], ']')
			b.WriteString("[" + strings.NewReplacer("!", "^", `\`, `\\`).Replace(line[i+1:end]) + "]")
			i = end
		case c == '\\' && i+1 < len(line):
			i++
			b.WriteString(regexp.QuoteMeta(line[i : i+1]))
		default:
			b.WriteString(regexp.QuoteMeta(line[i : i+1]))
		}
	}
	b.WriteString("$")
	pattern, err := regexp.Compile(b.String())
	rule.pattern = pattern
	return rule, err == nil && line != ""
}
