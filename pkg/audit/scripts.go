package audit

import (
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/goccy/go-yaml"
	"github.com/tidwall/gjson"
	"github.com/tidwall/jsonc"

	"github.com/memoryd/memoryd/pkg/internal/lazyregexp"
)

// scripts are the names that a repository gives to commands, by the program that runs them. What one file of the repository declares counts
// everywhere: a command may be meant for any directory.
type scripts struct {
	declared map[string]map[string]bool // by program: npm, make, just, task, composer, deno
	patterns []string                   // rules of make with %
	open     map[string]bool            // more names may be declared where nobody can see it
	packages map[string]bool            // dependencies: what "yarn run" finds, too
}

// mostManifest bounds a file that declares commands.
const mostManifest = 4 << 20

// readScripts reads what the files of a tree declare.
func readScripts(t *Tree) *scripts {
	s := &scripts{declared: map[string]map[string]bool{}, open: map[string]bool{}, packages: map[string]bool{}}
	for _, name := range t.Files {
		base := path.Base(name)
		read := readers()[strings.ToLower(base)]
		if read == nil && (strings.HasSuffix(base, ".mk") || strings.HasPrefix(base, "Makefile.")) {
			read = readMake
		}
		if read == nil && path.Ext(base) == ".just" {
			read = readJust
		}
		if read == nil || strings.Contains(name, "node_modules/") {
			continue
		}
		if text := t.Text(name); text != nil && len(text) < mostManifest {
			read(s, t, name, string(text))
		}
	}
	return s
}

func declare(s *scripts, program string, names ...string) {
	if s.declared[program] == nil {
		s.declared[program] = map[string]bool{}
	}
	for _, name := range names {
		s.declared[program][name] = true
	}
}

var readers = sync.OnceValue(func() map[string]func(s *scripts, t *Tree, name, text string) {
	return map[string]func(s *scripts, t *Tree, name, text string){
		"package.json": readPackage, "makefile": readMake, "gnumakefile": readMake, "justfile": readJust, ".justfile": readJust,
		"taskfile.yml": readTask, "taskfile.yaml": readTask, "taskfile.dist.yml": readTask, "composer.json": readComposer, "deno.json": readDeno, "deno.jsonc": readDeno,
		// A makefile is made of these.
		"cmakelists.txt": openMake, "makefile.am": openMake, "configure.ac": openMake, "configure": openMake, "makefile.pl": openMake, "meson.build": openMake, "premake5.lua": openMake, "kbuild": openMake,
	}
})

func openMake(s *scripts, _ *Tree, _, _ string) { s.open["make"] = true }

func readPackage(s *scripts, _ *Tree, _, text string) {
	declare(s, "npm")
	doc := gjson.Parse(text)
	doc.Get("scripts").ForEach(func(k, _ gjson.Result) bool { declare(s, "npm", k.Str); return true })
	for _, list := range []string{"dependencies", "devDependencies", "peerDependencies", "optionalDependencies", "bin"} {
		doc.Get(list).ForEach(func(k, _ gjson.Result) bool {
			s.packages[k.Str] = true
			s.packages[path.Base(k.Str)] = true
			return true
		})
	}
}

func readComposer(s *scripts, _ *Tree, _, text string) {
	declare(s, "composer")
	gjson.Get(text, "scripts").ForEach(func(k, _ gjson.Result) bool { declare(s, "composer", k.Str); return true })
}

func readDeno(s *scripts, _ *Tree, _, text string) {
	declare(s, "deno")
	gjson.ParseBytes(jsonc.ToJSON([]byte(text))).Get("tasks").ForEach(func(k, _ gjson.Result) bool { declare(s, "deno", k.Str); return true })
}

func readTask(s *scripts, _ *Tree, _, text string) {
	declare(s, "task")
	var doc struct {
		Includes map[string]any `yaml:"includes"`
		Tasks    map[string]any `yaml:"tasks"`
	}
	if err := yaml.Unmarshal([]byte(text), &doc); err != nil || len(doc.Includes) > 0 {
		s.open["task"] = true
	}
	for name := range doc.Tasks {
		declare(s, "task", name)
	}
}

var (
	justRecipe = lazyregexp.New(`(?m)^@?([A-Za-z_][\w-]*)(?:[ \t][^:\n]*)?:(?:[^=\n]|$)`)
	justAlias  = lazyregexp.New(`(?m)^(?:alias|mod\??)[ \t]+([\w-]+)`)
	justImport = lazyregexp.New(`(?m)^(?:import|mod|!include)\b`)
	makeRule   = lazyregexp.New(`(?m)^([^\s#:=$][^#:=\n]*?|\$[({][^#:=\n]*?)[ \t]*&?::?(?:[^=\n]|$)(.*)`)
	makeMore   = lazyregexp.New(`(?m)^[ \t]*(?:-|s)?include[ \t]+(.+)$|\$\((?:eval|call)\b|^[ \t]*define\b`)
)

func readJust(s *scripts, _ *Tree, _, text string) {
	declare(s, "just")
	for _, m := range append(justRecipe.FindAllStringSubmatch(text, -1), justAlias.FindAllStringSubmatch(text, -1)...) {
		declare(s, "just", m[1])
	}
	s.open["just"] = s.open["just"] || justImport.MatchString(text)
}

func readMake(s *scripts, t *Tree, name, text string) {
	declare(s, "make")
	text = strings.ReplaceAll(text, "\\\r\n", " ")
	text = strings.ReplaceAll(text, "\\\n", " ")
	for _, m := range makeRule.FindAllStringSubmatch(text, -1) {
		words := strings.Fields(m[1])
		if m[1] == ".PHONY" {
			words = strings.Fields(m[2])
		}
		for _, word := range words {
			switch {
			case strings.ContainsAny(word, "$"):
				s.open["make"] = true
			case strings.Contains(word, "%"):
				s.patterns = append(s.patterns, word)
			default:
				declare(s, "make", word)
			}
		}
	}
	for _, m := range makeMore.FindAllStringSubmatch(text, -1) {
		included := strings.Fields(m[1])
		if m[1] == "" || slices.ContainsFunc(included, func(f string) bool {
			return strings.ContainsAny(f, "$*") || !t.files[path.Join(path.Dir(name), f)] && !t.files[f]
		}) {
			s.open["make"] = true
		}
	}
}

// declares reports whether a program may know a name; true where it is not known what it knows.
func declares(s *scripts, program, name string) bool {
	known := s.declared[program]
	if known == nil || known[name] || s.open[program] {
		return true
	}
	if program == "make" {
		return slices.ContainsFunc(s.patterns, func(p string) bool {
			before, after, _ := strings.Cut(p, "%")
			return len(name) > len(before)+len(after) && strings.HasPrefix(name, before) && strings.HasSuffix(name, after)
		})
	}
	return false
}
