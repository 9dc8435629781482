//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestNewcomer goes the way that the README tells, from nothing to the first memory that an agent
// sees, with a host that reads its settings as Claude Code does.
func TestNewcomer(t *testing.T) {
	exe := program(t)
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, steps, ok := strings.Cut(string(readme), "<!-- the first memory -->\n\n```\n")
	steps, _, closed := strings.Cut(steps, "\n```")
	lines := strings.Split(steps, "\n")
	if !ok || !closed || len(lines) > 4 {
		t.Fatalf("the README tells no way of four lines at most:\n%s", steps)
	}
	home := t.TempDir()
	h := &mockHost{t: t, exe: exe, project: filepath.Join(home, "project"), env: []string{"HOME=" + home, "PATH=" + filepath.Dir(exe) + ":" + os.Getenv("PATH")}}
	put(t, filepath.Join(h.project, "main.go"), "package main\n")
	for _, line := range lines {
		line = comment.ReplaceAllString(line, "")
		switch words := shellWords(line); {
		case words[0] == "memory":
			if out, errs, code, err := call(exe, h.project, h.env, words[1:]...); err != nil || code != 0 {
				t.Fatalf("%s: exit code %d, %v\n%s%s", line, code, err, out, errs)
			}
		case strings.HasPrefix(line, "go install "): // the program is built already
			if want := "go install github.com/memoryd/memoryd/cmd/memory@latest"; line != want {
				t.Fatalf("%q, want %q", line, want)
			}
		case words[0] == "claude":
			h.session("first", words[1])
		default:
			t.Fatalf("nobody knows how to do this: %s", line)
		}
	}
	block := ""
	for try := 0; block == "" && try < 10; try++ { // on a busy machine a hook gives up: its host must not wait
		block = h.hook("SessionStart", fmt.Sprint("next", try), `"source":"startup"`)
	}
	if !strings.Contains(block, "port 5433") {
		t.Errorf("the next session isn't told:\n%s", block)
	}
	if out, errs, code, err := call(exe, h.project, h.env, "check"); err != nil || code != 0 {
		t.Errorf("check: exit code %d, %v\n%s%s", code, err, out, errs)
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
