package audit

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/memoryd/memoryd/pkg/internal/lazyregexp"
)

// programs are the first words of lines that are commands.
var programs = strings.Fields("npm npx pnpm yarn bun bunx node deno make gmake just task go cargo python python3 pip pip3 uv poetry pytest tox nox ruff mypy bash sh zsh source ruby bundle rake rails php composer git docker docker-compose kubectl helm terraform cd export sudo curl mvn gradle ./gradlew dotnet swift xcodebuild flutter dart mix elixir rustup brew apt apt-get chmod cp mv rm mkdir ls cat echo")

// command is one command of a file.
type command struct {
	line  int // from 0
	words []string
	block bool
}

var codeSpans = lazyregexp.New("`([^`\n]+)`")

// commandsOf are the commands that a file gives: lines of blocks for shells, and code marks in prose.
func commandsOf(f *file) (all []command) {
	add := func(line int, text string, block bool) {
		for _, part := range separators.Get().Split(text, -1) {
			part, _, _ = strings.Cut(part, " #")
			words := strings.Fields(part)
			for len(words) > 0 && (slices.Contains([]string{"$", ">", "%", "sudo", "time", "exec", "command", "(", "{", "!", "then", "do", "PS>"}, words[0]) || assignment.MatchString(words[0])) {
				words = words[1:]
			}
			if len(words) == 0 || strings.HasPrefix(words[0], "#") {
				continue
			}
			all = append(all, command{line, words, block})
		}
	}
	joined, from := "", 0
	for i, l := range f.lines {
		switch {
		case l.shell:
			if joined == "" {
				from = i
			}
			if rest, more := strings.CutSuffix(l.text, "\\"); more {
				joined += rest + " "
				continue
			}
			add(from, joined+l.text, true)
			joined = ""
		case !l.fenced && !l.front && !l.comment:
			for _, m := range codeSpans.FindAllStringSubmatch(l.text, -1) {
				add(i, m[1], false)
			}
		}
	}
	return all
}

var (
	separators = lazyregexp.New(`&&|\|\||;|\|`)
	assignment = lazyregexp.New(`^[A-Za-z_]\w*=\S*$`)
	targetWord = lazyregexp.New(`^[A-Za-z0-9_][\w-]*(:[\w-]+)*$`)
)

// commands looks for commands that can't work: scripts and targets that nobody declares, files to run that aren't there.
func (c *checker) commands(f *file) {
	seen := map[string]bool{}
	for _, cmd := range commandsOf(f) {
		text := strings.Join(cmd.words, " ")
		if !cmd.block && tentativeCommand.MatchString(f.lines[cmd.line].text) || examplesHead.MatchString(f.lines[cmd.line].heading) && f.kind == portable {
			continue
		}
		program, name := scriptOf(c.scripts, cmd.words)
		if name != "" && !declares(c.scripts, program, name) && targetWord.MatchString(name) && !placeholder(name) && f.kind != portable {
			if key := program + " " + name; !seen[key] {
				seen[key] = true
				c.found = append(c.found, Finding{Rule: DeadCommand, Severity: Warning, Path: f.name, Line: cmd.line + 1, Text: key, Message: fmt.Sprintf(undeclared()[program], text, name)})
			}
			continue
		}
		if !cmd.block && len(cmd.words) == 1 && !strings.HasPrefix(text, "./") {
			continue // a path
		}
		if file := fileOf(cmd.words); file != "" && !seen[file] {
			seen[file] = true
			c.want(missing{file: f, line: cmd.line, rule: DeadCommand, name: file, says: "needs " + file, sure: cmd.block})
		}
	}
}

// tentativeCommand are words that say that a command doesn't exist, or not always.
var tentativeCommand = lazyregexp.New(`(?i)\b(no longer|removed?|instead of|don't|do not|doesn't|does not|never|not|isn't|aren't|no|without|old|deprecated|renamed|replaced|formerly|if|when|unless|e\.?g\.?|for example|such as|like|add|create|define|will|would|todo|future|planned)\b|→`)

// undeclared says of each program that nobody declares a name.
var undeclared = sync.OnceValue(func() map[string]string {
	return map[string]string{
		"npm": "%s: no package.json has the script %q", "make": "%s: no makefile has the target %q", "just": "%s: no justfile has the recipe %q",
		"task": "%s: no Taskfile has the task %q", "composer": "%s: no composer.json has the script %q", "deno": "%s: no deno.json has the task %q",
	}
})

// valued are options that take a value, by program.
var valued = sync.OnceValue(func() map[string][]string {
	return map[string][]string{
		"npm": {"--prefix", "-w", "--workspace", "-C"}, "pnpm": {"--filter", "-F", "--dir", "-C", "--prefix"}, "yarn": {"--cwd"}, "bun": {"--filter", "--cwd", "-F"},
		"make": {"-C", "-f", "--directory", "--file", "-I", "-o", "-W"}, "just": {"-f", "--justfile", "-d", "--working-directory", "--set"}, "task": {"-t", "--taskfile", "-d", "--dir"}, "deno": {"--config", "-c", "--cwd"},
	}
})

// arguments are the words of a command behind its program that are not options.
func arguments(words []string) (rest []string) {
	for i := 1; i < len(words); i++ {
		switch w := words[i]; {
		case w == "--":
			return rest
		case slices.Contains(valued()[words[0]], w):
			i++
		case !strings.HasPrefix(w, "-"):
			rest = append(rest, w)
		}
	}
	return rest
}

// scriptOf is the name that a command needs to be declared, and the program that declares it.
func scriptOf(s *scripts, words []string) (program, name string) {
	args := arguments(words)
	if len(args) == 0 {
		return "", ""
	}
	switch words[0] {
	case "npm", "pnpm", "yarn", "bun":
		if words[0] == "yarn" && args[0] == "workspace" && len(args) > 2 {
			args = args[2:]
		}
		switch {
		case (args[0] == "run" || args[0] == "run-script" && words[0] == "npm") && len(args) > 1:
			if words[0] != "npm" && words[0] != "pnpm" && (s.packages[args[1]] || slices.Contains(binaries, args[1]) || strings.ContainsAny(args[1], "./")) {
				return "", ""
			}
			if args[1] == "env" || args[1] == "start" {
				return "", ""
			}
			return "npm", args[1]
		case args[0] == "test" && words[0] != "bun", args[0] == "t" && words[0] == "npm":
			return "npm", "test"
		case words[0] != "npm" && strings.Contains(args[0], ":") && targetWord.MatchString(args[0]):
			return "npm", args[0]
		}
	case "make", "gmake":
		for _, a := range args {
			if strings.Contains(a, "=") || strings.ContainsAny(a, "./%") {
				continue
			}
			if len(args) > 3 && !targetWord.MatchString(a) {
				return "", ""
			}
			if !declares(s, "make", a) {
				return "make", a
			}
		}
	case "just", "task":
		if slices.Contains([]string{"run", "it", "the", "a", "--list"}, args[0]) && len(args) > 2 {
			return "", ""
		}
		return words[0], args[0]
	case "composer":
		if (args[0] == "run" || args[0] == "run-script") && len(args) > 1 {
			return "composer", args[1]
		}
	case "deno":
		if args[0] == "task" && len(args) > 1 {
			return "deno", args[1]
		}
	}
	return "", ""
}

// binaries are programs of packages that have another name than these.
var binaries = strings.Fields("tsc tsserver eslint prettier jest vitest vite webpack rollup esbuild mocha playwright cypress next nuxt turbo nx tsx ts-node prisma storybook wrangler biome")

// interpreters run the file that is their first argument.
var interpreters = strings.Fields("python python3 node bash sh zsh ruby php perl tsx ts-node source . bun deno pwsh Rscript julia lua")

var scriptName = lazyregexp.New(`^(\.{1,2}/)*[\w.@+-]+(/[\w.@+-]+)*\.(sh|bash|zsh|py|js|mjs|cjs|ts|mts|tsx|rb|php|pl|ps1|bat|cmd|lua|r|R|jl)$`)

// fileOf is the file that a command runs, or the directory of a Go package; "" where that isn't known.
func fileOf(words []string) string {
	first := words[0]
	switch {
	case strings.HasPrefix(first, "./") && (scriptName.MatchString(first) || strings.HasSuffix(first, "gradlew") || strings.HasSuffix(first, "mvnw")):
		return strings.TrimPrefix(first, "./")
	case scriptName.MatchString(first) && strings.Contains(first, "/") && !strings.HasPrefix(first, ".."):
		return first
	case (first == "uv" || first == "poetry") && len(words) > 2 && words[1] == "run":
		return fileOf(words[2:])
	case (first == "npx" || first == "bunx") && len(words) > 2:
		return fileOf(words[1:])
	case slices.Contains(interpreters, path.Base(first)) && len(words) > 1:
		for _, w := range words[1:] {
			switch {
			case w == "-m" || w == "-c" || w == "-e" || w == "--eval":
				return ""
			case w == "run" && (first == "bun" || first == "deno"), strings.HasPrefix(w, "-"):
				continue
			case scriptName.MatchString(w) && strings.Contains(w, "/"):
				return strings.TrimPrefix(path.Clean(w), "../")
			}
			return ""
		}
	case first == "go" && len(words) > 2 && slices.Contains([]string{"run", "test", "build", "vet", "install"}, words[1]):
		for _, w := range words[2:] {
			dir := strings.TrimSuffix(strings.TrimSuffix(w, "..."), "/")
			if strings.HasPrefix(dir, "./") && len(dir) > 2 && !strings.ContainsAny(dir, "*<>{}$[]") {
				return strings.TrimPrefix(dir, "./")
			}
		}
	}
	return ""
}
