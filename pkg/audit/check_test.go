package audit

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/memoryd/memoryd/pkg/secrets"
)

// checked checks a tree of texts, and lists what was found as FILE:LINE RULE TEXT.
func checked(files map[string]string, past map[string]Past) (all []string) {
	t := Tree{Dir: "/work/shop", Text: func(name string) []byte {
		if text, ok := files[name]; ok {
			return []byte(text)
		}
		return nil
	}, There: func(string) bool { return false }, Ignored: func(name string) bool { return strings.HasPrefix(name, "ignored/") }, Past: func([]string) map[string]Past { return past }}
	for name := range files {
		t.Files = append(t.Files, name)
	}
	slices.Sort(t.Files)
	for _, f := range Check(t, nil, nil, secrets.Default()).Findings {
		all = append(all, fmt.Sprintf("%s:%d %s %s", f.Path, f.Line, f.Rule, f.Text))
	}
	return all
}

// A path is dead by evidence: the history, its directory, its name elsewhere. What a text calls an example, or removed, is left alone.
func TestDeadPaths(t *testing.T) {
	for _, x := range []struct{ text, want string }{
		{"The rules are in `src/app/gone.ts`.", "src/app/gone.ts"},
		{"The rules are in `src/app/gone.ts` and `src/app/gone.ts:12`.", "src/app/gone.ts"},
		{"Put it into src/app/gone.ts, for example.", ""},
		{"Avoid `src/app/utils.ts` files.", ""},
		{"We removed `src/app/gone.ts`.", ""},
		{"Run `pytest src/app/test_gone.py -k x`.", ""},
		{"`other/app/gone.ts`, `src/<name>/x.ts`, `src/app/*.ts`, `src/app/my-file.ts`, `ignored/x.ts`, `dist/app/x.js`", ""},
		{"`src/app/main.js` and `app/main.ts` and `SRC/app/Main.ts`", ""},
		{"```ts\nimport 'src/app/gone.ts'\n```", ""},
		{"<!-- `src/app/gone.ts` -->", ""},
		{"`lib/was.ts` holds it.", "lib/was.ts"},
		{"`lib/was.ts` was dropped.", ""},
		{"It is in `lib/main.ts` now.", ""},
	} {
		got := checked(map[string]string{"AGENTS.md": x.text, "src/app/main.ts": "", "src/core.ts": ""}, map[string]Past{"lib/was.ts": {Commit: "abc"}})
		var texts []string
		for _, line := range got {
			texts = append(texts, strings.Fields(line)[2])
		}
		if want := strings.Fields(x.want); !slices.Equal(texts, want) {
			t.Errorf("%s\n%q, want %q", x.text, texts, want)
		}
	}
}

// A command is dead if no file of the repository declares its name, and all of those can be read.
func TestDeadCommands(t *testing.T) {
	files := map[string]string{"package.json": `{"scripts":{"build":"x","test:unit":"y"},"devDependencies":{"vite":"1"}}`, "sub/Makefile": "all: x\n%.o: y\ndeploy-%:\n.PHONY: lint\n", "justfile": "alias b := build\nbuild a='x': dep\n  true\n",
		"Taskfile.yml": "version: 3\ntasks:\n  one: {}\n", "cmd/x/main.go": ""}
	for text, want := range map[string]string{
		"`npm run build` `npm run lint`": "npm lint", "`npm --prefix web run -s build`": "", "`pnpm test:e2e` `pnpm lint`": "npm test:e2e", "`yarn run vite` `bun run x.ts`": "", "`npm run <script>`": "",
		"`make all lint` `make a.o` `make deploy-x CC=y -j4`": "", "`make fmt`": "make fmt", "`just b` `just build x`": "", "`just fmt`": "just fmt", "`task one` `task two`": "task two",
		"`go run ./cmd/x` `go test ./...`": "", "```\nnpm run lint\n```": "npm lint", "```\nmake fmt if you like\nor not\n```": "", "There is no `npm run lint`.": "",
		"```sh\ngo test \\\n  ./cmd/gone/...\n```": "cmd/gone",
	} {
		files["AGENTS.md"] = text
		var texts []string
		for _, line := range checked(files, nil) {
			texts = append(texts, strings.Join(strings.Fields(line)[2:], " "))
		}
		if got := strings.Join(texts, "; "); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
	files["sub/Makefile"] += "include $(TOP)/more.mk\n"
	if files["AGENTS.md"] = "`make fmt`"; len(checked(files, nil)) > 0 {
		t.Error("a target that an include may declare is dead")
	}
}

// Whatever bytes a file holds, it is checked.
func FuzzCheck(f *testing.F) {
	f.Add("---\nname: x\n---\n[a](b.md) `src/x/y.go` @z/a.md [[w]]\n```sh\nmake \\\n```\n<!-- ")
	f.Fuzz(func(t *testing.T, text string) {
		files := map[string]string{"CLAUDE.md": text, "m/MEMORY.md": text, "m/a.md": text, "s/SKILL.md": text, "Makefile": text, "justfile": text, "Taskfile.yml": text, "package.json": text}
		first := checked(files, nil)
		if again := checked(files, nil); !slices.Equal(first, again) {
			t.Errorf("%q, then %q", first, again)
		}
	})
}
