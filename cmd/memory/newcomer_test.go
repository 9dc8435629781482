//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// readmeBlock is a code block of the README with the commands that it tells to type.
type readmeBlock struct {
	mark  string // what the comment above it says, "" for none
	lines []string
}

var commandsMark = regexp.MustCompile(`^<!-- commands: (.*) -->$`)

func readmeBlocks(t *testing.T) (blocks []readmeBlock) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	before, fenced := "", false
	for line := range strings.SplitSeq(string(readme), "\n") {
		switch {
		case strings.HasPrefix(line, "```"):
			if fenced = !fenced; fenced {
				block := readmeBlock{}
				if mark := commandsMark.FindStringSubmatch(before); mark != nil {
					block.mark = mark[1]
				}
				blocks = append(blocks, block)
			}
		case fenced:
			block := &blocks[len(blocks)-1]
			block.lines = append(block.lines, line)
		}
		if line != "" {
			before = line
		}
	}
	return blocks
}

// Every code block of the README is tried: by the gate, or by a test here.
func TestReadme(t *testing.T) {
	tried := map[string]func(t *testing.T, lines []string){
		"the memory you have": adoptedFolder,
		"from a checkout":     gateRuns,
		"the first memory":    firstMemory,
		"ten lines":           transcript,
	}
	for _, block := range readmeBlocks(t) {
		try := tried[block.mark]
		if try == nil {
			t.Errorf("nothing tries this block of the README, or it stands there twice: %q\n%s", block.mark, strings.Join(block.lines, "\n"))
			continue
		}
		delete(tried, block.mark)
		t.Run(block.mark, func(t *testing.T) { try(t, block.lines) })
	}
	for mark := range tried {
		t.Errorf("the README has no block %q", mark)
	}
}

// The gate runs them in a clone, with an empty HOME: .ci/readme. Here only: they are the two that need Go and git, and it finds them.
func gateRuns(t *testing.T, lines []string) {
	for i, line := range lines {
		lines[i] = comment.ReplaceAllString(line, "")
	}
	if want := []string{"go run ./cmd/memory demo", "go test ./..."}; !slices.Equal(lines, want) {
		t.Errorf("%q, want %q", lines, want)
	}
	out, err := exec.Command("../../.ci/readme", "--list").CombinedOutput()
	if want := strings.Join(lines, "\n") + "\n"; err != nil || string(out) != want {
		t.Errorf("the gate runs %q, %v, want %q", out, err, want)
	}
}

// transcript is what a person types in an empty folder, and lines of what is printed, in their order. Ids are others each time.
func transcript(t *testing.T, lines []string) {
	exe := program(t)
	dir := t.TempDir()
	env := append(os.Environ(), "HOME="+t.TempDir(), "MEMORY_WORKSPACE=", "MEMORY_AGENT=")
	id := regexp.MustCompile(`(?:mem|rev)_\w+`)
	real := map[string]string{} // ids by those of the README
	printed, at := "", 0
	for _, line := range lines {
		if command, ok := strings.CutPrefix(line, "$ memory "); ok {
			words := shellWords(id.ReplaceAllStringFunc(command, func(id string) string { return real[id] }))
			env := append(env, fmt.Sprintf("MEMORY_AT=2026-03-01T09:%02d:00Z", at))
			out, errs, code, err := call(exe, dir, env, words...)
			if err != nil || code != 0 {
				t.Fatalf("memory %v: exit code %d, %v\n%s%s", words, code, err, out, errs)
			}
			printed, at = out+errs, at+1
			continue
		}
		var names []string // of the ids that are new with this line
		pattern := id.ReplaceAllStringFunc(regexp.QuoteMeta(line), func(id string) string {
			if real[id] != "" {
				return real[id]
			}
			names = append(names, id)
			return id[:4] + `(\w+)`
		})
		found := regexp.MustCompile("(?m)^" + pattern + "$").FindStringSubmatchIndex(printed)
		if found == nil {
			t.Fatalf("%q is not printed, or not there:\n%s", line, printed)
		}
		for i, name := range names {
			real[name] = name[:4] + printed[found[2*i+2]:found[2*i+3]]
		}
		printed = printed[found[1]:]
	}
	if out, errs, code, err := call(exe, dir, env, "check"); err != nil || code != 0 {
		t.Errorf("check: exit code %d, %v\n%s%s", code, err, out, errs)
	}
}

// adoptedFolder takes over a folder as Claude Code writes it, merges a copy there, undoes that and gives the folder back: it is as it was.
func adoptedFolder(t *testing.T, lines []string) {
	exe, home := program(t), t.TempDir()
	dir := filepath.Join(home, ".claude/projects/app/memory")
	note := "---\nname: %s\ndescription: where the tests find the database\ntype: project\n---\n\nThe tests need the database on port 5433.\n"
	files := map[string]string{
		"MEMORY.md":   "# Memory\n\n- [Database](database.md) — where the tests find the database\n",
		"database.md": fmt.Sprintf(note, "database"), "copy.md": fmt.Sprintf(note, "copy"),
	}
	for name, text := range files {
		put(t, filepath.Join(dir, name), text)
	}
	run := func(in string, words ...string) string {
		t.Helper()
		out, errs, code, err := call(exe, in, append(os.Environ(), "HOME="+home, "XDG_STATE_HOME=", "MEMORY_WORKSPACE=", "MEMORY_AGENT="), words...)
		if err != nil || code != 0 {
			t.Fatalf("memory %v: exit code %d, %v\n%s%s", words, code, err, out, errs)
		}
		return out + errs
	}
	var then []string // what a comment of the last line says comes next
	for _, line := range lines {
		command, note, _ := strings.Cut(line, "#")
		run(home, shellWords(strings.ReplaceAll(strings.TrimPrefix(strings.TrimSpace(command), "memory "), "~", home))...)
		if _, list, ok := strings.Cut(note, "then there: "); ok {
			then = strings.Split(list, ", ")
		}
	}
	if len(then) == 0 {
		t.Fatal("the README names no command to go on with")
	}
	for _, command := range then {
		printed := run(dir, strings.Fields(strings.TrimPrefix(command, "memory "))...)
		if command == "memory consolidate" && !strings.Contains(printed, "1 merged") {
			t.Errorf("%s:\n%s", command, printed)
		}
	}
	run(dir, "check")
	run(home, "unadopt", dir, "--apply")
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != len(files) {
		t.Fatalf("%d entries are left, %v", len(entries), err)
	}
	for name, want := range files {
		if text, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(text) != want {
			t.Errorf("%s: %v\n%s", name, err, text)
		}
	}
}

// firstMemory goes from a checkout to the first memory that an agent sees, with a host that reads its settings as Claude Code does.
func firstMemory(t *testing.T, lines []string) {
	if testing.Short() {
		t.Skip("SKIPPED with -short: installs the program")
	}
	home := t.TempDir()
	bin := filepath.Join(home, "go/bin")
	h := &mockHost{t: t, exe: filepath.Join(bin, "memory"), project: filepath.Join(home, "project"), env: []string{"HOME=" + home, "PATH=" + bin + ":" + os.Getenv("PATH")}}
	put(t, filepath.Join(h.project, "main.go"), "package main\n")
	put(t, filepath.Join(bin, "claude"), "#!/bin/sh\n")
	if err := os.Chmod(filepath.Join(bin, "claude"), 0o755); err != nil {
		t.Fatal(err)
	}
	if len(lines) > 4 {
		t.Errorf("it takes %d lines, want 4 at most", len(lines))
	}
	for _, line := range lines {
		line = comment.ReplaceAllString(line, "")
		switch words := shellWords(line); words[0] {
		case "memory":
			if out, errs, code, err := call(h.exe, h.project, h.env, words[1:]...); err != nil || code != 0 {
				t.Fatalf("%s: exit code %d, %v\n%s%s", line, code, err, out, errs)
			}
		case "go": // in the checkout
			install := exec.Command("go", words[1:]...)
			install.Dir, install.Env = "../..", append(os.Environ(), "GOBIN="+bin)
			if out, err := install.CombinedOutput(); err != nil {
				t.Fatalf("%s: %v\n%s", line, err, out)
			}
		case "claude":
			h.session("first", words[1])
		default:
			t.Fatalf("no step of a newcomer: %s", line)
		}
	}
	block := ""
	for try := 0; block == "" && try < 10; try++ { // on a busy machine a hook gives up: its host must not wait
		block = h.hook("SessionStart", fmt.Sprint("next", try), `"source":"startup"`)
	}
	if !strings.Contains(block, "port 5433") {
		t.Errorf("the next session is not given it:\n%s", block)
	}
	if out, errs, code, err := call(h.exe, h.project, h.env, "check"); err != nil || code != 0 {
		t.Errorf("check: exit code %d, %v\n%s%s", code, err, out, errs)
	}
}

// Every line that docs/install.md tells to type is tried somewhere, or stands where it says that it needs a release.
func TestInstallPage(t *testing.T) {
	elsewhere := map[string]string{
		"go install ./cmd/memory": "TestReadme",
		`CGO_ENABLED=0 go build -trimpath -tags urfave_cli_no_docs -ldflags "-s -w -buildid=" ./cmd/memory`: "packaging/reproduce.sh",
		"sha256sum --check --ignore-missing checksums.txt":                                                  "needs the files of a release",
	}
	text, err := os.ReadFile("../../docs/install.md")
	if err != nil {
		t.Fatal(err)
	}
	section, fenced, lines := "", false, 0
	for line := range strings.SplitSeq(string(text), "\n") {
		switch title, ok := strings.CutPrefix(line, "## "); {
		case strings.HasPrefix(line, "```"):
			fenced = !fenced
		case !fenced && ok:
			section = title
		case fenced:
			lines++
			// Lines of memory are run by TestDocumentedLines.
			if !strings.HasPrefix(line, "memory ") && elsewhere[line] == "" && section != "After the first release" {
				t.Errorf("nothing tries %q in the section %q", line, section)
			}
		}
	}
	if lines < 8 {
		t.Errorf("only %d lines were found", lines)
	}
}

// Every command is in the README's table, and what it names as a command is one.
func TestReadmeNamesEachCommand(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(readme), "## Commands")
	table, _, _ = strings.Cut(table, "\n## ")
	named := map[string]bool{}
	for row := range strings.Lines(table) {
		if cells := strings.Split(row, "|"); len(cells) == 4 {
			for _, found := range regexp.MustCompile("`([a-z-]+)`").FindAllStringSubmatch(cells[1], -1) {
				named[found[1]] = true
			}
		}
	}
	overview, _, _, err := call(program(t), t.TempDir(), os.Environ(), "help", "--man")
	if err != nil {
		t.Fatal(err)
	}
	commands := map[string]bool{}
	for _, found := range regexp.MustCompile(`"memory\\-([a-z\\-]+)\(1\)"`).FindAllStringSubmatch(overview, -1) {
		commands[strings.ReplaceAll(found[1], `\-`, "-")] = true
	}
	delete(commands, "help")
	if len(commands) < 40 {
		t.Fatalf("only %v are commands", commands)
	}
	for name := range commands {
		if !named[name] {
			t.Errorf("the README's table lacks %s", name)
		}
	}
	for name := range named {
		if _, _, code, err := call(program(t), t.TempDir(), os.Environ(), "help", name); err != nil || code != 0 {
			t.Errorf("the README's table names %s, which is not a command", name)
		}
	}
}

// mockHost does what its settings in a project say.
type mockHost struct {
	t            *testing.T
	exe, project string
	env          []string
}

// session is a session in which a person asks to remember something.
func (h *mockHost) session(id, prompt string) {
	said, ok := strings.CutPrefix(prompt, "Remember: ")
	if !ok {
		h.t.Fatalf("a model would not know what to save of %q", prompt)
	}
	h.hook("SessionStart", id, `"source":"startup"`)
	h.hook("UserPromptSubmit", id, `"prompt":`+string(mustJSON(h.t, prompt)))
	h.save(id, said)
	h.hook("SessionEnd", id, `"reason":"prompt_input_exit"`)
}

// hook runs the commands of an event, and returns what they add to the context.
func (h *mockHost) hook(event, session, more string) (context string) {
	h.t.Helper()
	var settings struct {
		Hooks map[string][]struct {
			Hooks []struct {
				Command string
				Args    []string
			}
		}
	}
	h.read(".claude/settings.json", &settings)
	for _, group := range settings.Hooks[event] {
		for _, hook := range group.Hooks {
			cmd := h.command(session, hook.Command, hook.Args)
			if hook.Args == nil {
				cmd = h.command(session, "sh", []string{"-c", hook.Command})
			}
			cmd.Stdin = strings.NewReader(`{"session_id":"` + session + `","cwd":` + string(mustJSON(h.t, h.project)) + `,"hook_event_name":"` + event + `",` + more + `}`)
			out, err := cmd.Output()
			if err != nil {
				h.t.Fatalf("%s: %v", event, err)
			}
			var given struct {
				HookSpecificOutput struct{ AdditionalContext string }
			}
			if len(out) > 0 && json.Unmarshal(out, &given) != nil {
				h.t.Fatalf("%s prints no JSON: %s", event, out)
			}
			context += given.HookSpecificOutput.AdditionalContext
		}
	}
	return context
}

// save calls the tool by the server that the settings name.
func (h *mockHost) save(session, text string) {
	var settings struct {
		MCPServers map[string]struct {
			Command string
			Args    []string
		}
	}
	h.read(".mcp.json", &settings)
	server, ok := settings.MCPServers["memory"]
	if !ok {
		h.t.Fatal("no server is set up")
	}
	client, err := sdk.NewClient(&sdk.Implementation{Name: "claude-code", Version: "1"}, nil).Connect(h.t.Context(), &sdk.CommandTransport{Command: h.command(session, server.Command, server.Args)}, nil)
	if err != nil {
		h.t.Fatal(err)
	}
	result, err := client.CallTool(h.t.Context(), &sdk.CallToolParams{Name: "save", Arguments: object{"content": text, "type": "factual"}})
	if err != nil || result.IsError {
		h.t.Fatalf("save: %v, %+v", err, result)
	}
	if err := client.Close(); err != nil {
		h.t.Error(err)
	}
}

func (h *mockHost) read(name string, v any) {
	h.t.Helper()
	text, err := os.ReadFile(filepath.Join(h.project, name))
	if err == nil {
		err = json.Unmarshal(text, v)
	}
	if err != nil {
		h.t.Fatalf("%s: %v", name, err)
	}
}

// command is a program that the settings name, run in the project.
func (h *mockHost) command(session, name string, args []string) *exec.Cmd {
	if name == "memory" { // the one on its PATH, not on that of the test
		name = h.exe
	}
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = h.project, append([]string{"CLAUDE_PROJECT_DIR=" + h.project, "CLAUDE_CODE_SESSION_ID=" + session}, h.env...)
	return cmd
}
