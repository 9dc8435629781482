//go:build unix

package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/memoryd/memoryd/fixtures"
)

func init() {
	if filepath.Base(os.Args[0]) == "agenthost" { // the test binary under another name
		hostMain()
		os.Exit(0)
	}
}

// hostMain is a host without a model, a process of its own: it calls the hooks that it is told, and passes on what its MCP server
// is asked. Each line of its input is "hook EVENT JSON" or "mcp JSON", and is answered by a line.
func hostMain() {
	exe, name := os.Args[1], os.Args[2]
	server := exec.Command(exe, "mcp")
	server.Stderr = os.Stderr
	in, err := server.StdinPipe()
	if err != nil {
		panic(err)
	}
	out, err := server.StdoutPipe()
	if err != nil {
		panic(err)
	}
	if err := server.Start(); err != nil {
		panic(err)
	}
	answers := bufio.NewReader(out)
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		kind, rest, _ := strings.Cut(lines.Text(), " ")
		switch kind {
		case "hook":
			event, doc, _ := strings.Cut(rest, " ")
			hook := exec.Command(exe, "hook", name, event)
			hook.Stdin = strings.NewReader(doc)
			text, err := hook.Output()
			if err != nil {
				panic(err)
			}
			fmt.Printf("%s\n", strings.TrimSpace(string(text)))
		case "mcp":
			fmt.Fprintln(in, rest)
			if !strings.Contains(rest, `"id"`) {
				continue // a notification
			}
			answer, err := answers.ReadString('\n')
			if err != nil {
				panic(err)
			}
			fmt.Print(answer)
		}
	}
	_ = in.Close()
	_ = server.Wait()
}

// testHost is such a host.
type testHost struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
	n   int
}

// startHost starts a host in a directory, with an MCP server that has said hello.
func startHost(t *testing.T, name, dir string, env ...string) *testHost {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Args = []string{"agenthost", program(t), name}
	cmd.Dir, cmd.Stderr = dir, &output{}
	cmd.Env = append(append(os.Environ(), "MEMORY_WORKSPACE=", "MEMORY_AT="+fixtures.At, "CLAUDE_PROJECT_DIR=", "GEMINI_PROJECT_DIR=", "CURSOR_PROJECT_DIR="), env...)
	h := &testHost{cmd: cmd}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if h.in, err = cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	h.out = bufio.NewReader(out)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = h.in.Close()
		_ = cmd.Wait()
		if t.Failed() {
			t.Logf("%s: %s", name, cmd.Stderr)
		}
	})
	h.ask(t, "initialize", object{"protocolVersion": "2025-06-18", "capabilities": object{}, "clientInfo": object{"name": name, "version": "1"}})
	h.tell(t, `mcp {"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return h
}

func (h *testHost) tell(t *testing.T, line string) {
	t.Helper()
	if _, err := fmt.Fprintln(h.in, line); err != nil {
		t.Error(err)
	}
}

func (h *testHost) answer(t *testing.T) string {
	t.Helper()
	line, err := h.out.ReadString('\n')
	if err != nil {
		t.Error(err)
	}
	return line
}

// ask asks the MCP server, and returns the whole answer.
func (h *testHost) ask(t *testing.T, method string, params object) string {
	t.Helper()
	h.n++
	h.tell(t, "mcp "+string(mustJSON(t, object{"jsonrpc": "2.0", "id": h.n, "method": method, "params": params})))
	return h.answer(t)
}

func (h *testHost) save(t *testing.T, kind, content string) {
	t.Helper()
	if got := h.ask(t, "tools/call", object{"name": "save", "arguments": object{"type": kind, "content": content}}); !strings.Contains(got, "Saved as") {
		t.Errorf("save %q: %s", content, got)
	}
}

func (h *testHost) hook(t *testing.T, event string, doc object) string {
	t.Helper()
	h.tell(t, "hook "+event+" "+string(mustJSON(t, doc)))
	return h.answer(t)
}

// Two hosts work in one workspace at the same time, both started below the project. Each session is given what is its own, and nothing twice. One is
// killed while its agent saves: nothing is half written, the other goes on, its session stays open, and the next start settles the dead one.
func TestTwoHosts(t *testing.T) {
	project := t.TempDir()
	dir, below := filepath.Join(project, "memory"), filepath.Join(project, "src", "deep")
	put(t, filepath.Join(dir, "memory.toml"), "")
	put(t, filepath.Join(dir, "global", "kiln.json"), `{"id":"kiln","type":"semantic","created_at":"2026-02-28T00:00:00Z","content":"The kiln is fired at 1240 degrees"}`)
	put(t, filepath.Join(below, "main.c"), "")

	claude := startHost(t, "claude", below, "CLAUDE_CODE_SESSION_ID=c1")
	gemini := startHost(t, "gemini", below, "CLAUDE_CODE_SESSION_ID=c1", "GEMINI_SESSION_ID=g1") // started in a shell of the other
	contains := func(what, text, want string, given bool) {
		t.Helper()
		if strings.Contains(text, want) != given {
			t.Errorf("%s: %q given: %v\n%s", what, want, !given, text)
		}
	}
	contains("start", claude.hook(t, "SessionStart", object{"session_id": "c1", "source": "startup", "cwd": below}), "1240", true)
	contains("start", gemini.hook(t, "SessionStart", object{"session_id": "g1", "source": "startup", "cwd": below}), "1240", false)
	contains("first prompt", gemini.hook(t, "BeforeAgent", object{"session_id": "g1", "prompt": "Good morning"}), "1240", true)

	var both sync.WaitGroup
	for name, h := range map[string]*testHost{"claude": claude, "gemini": gemini} {
		both.Go(func() {
			for i, thing := range []string{"anchor", "lantern", "harbour", "paddle", "oven"} {
				h.save(t, []string{"semantic", "working"}[i%2], fmt.Sprintf("For %s the %s is number %d", name, thing, i))
			}
		})
	}
	both.Wait()
	contains("prompt", claude.hook(t, "UserPromptSubmit", object{"session_id": "c1", "prompt": "What about the harbour?"}), "For gemini the harbour", true)
	contains("again", claude.hook(t, "UserPromptSubmit", object{"session_id": "c1", "prompt": "And the harbour of gemini?"}), "For gemini the harbour", false)
	contains("compaction", claude.hook(t, "SessionStart", object{"session_id": "c1", "source": "compact"}), "1240", true)
	contains("resume after it", claude.hook(t, "SessionStart", object{"session_id": "c1", "source": "resume"}), "1240", false)

	for i := range 5 { // the host is killed in the midst of these
		claude.tell(t, "mcp "+string(mustJSON(t, object{"jsonrpc": "2.0", "id": 100 + i, "method": "tools/call", "params": object{
			"name": "save", "arguments": object{"type": "semantic", "content": fmt.Sprintf("Ballast number %d lies in hold %d", i, 7*i)},
		}})))
	}
	claude.answer(t) // the first is saved
	if err := claude.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = claude.cmd.Wait() // it was killed
	gemini.save(t, "semantic", "The mast is mended by Olsen")
	gemini.hook(t, "SessionStart", object{"session_id": "g1", "source": "resume"})
	until(t, "the dead session is settled", func() bool {
		spool, err := os.ReadDir(filepath.Join(dir, "ops", "spool"))
		_, begun := os.Stat(filepath.Join(dir, "ops", "sessions", "c1.json"))
		return err == nil && len(spool) == 0 && os.IsNotExist(begun)
	})
	if _, err := os.Stat(filepath.Join(dir, "ops", "sessions", "g1.json")); err != nil {
		t.Error("the other session goes on", err)
	}
	left := map[string]int{}
	names, err := filepath.Glob(filepath.Join(dir, "sessions", "*", "mem_*.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		var m struct{ Content any }
		text, err := os.ReadFile(name)
		if err == nil {
			err = json.Unmarshal(text, &m)
		}
		if err != nil {
			t.Error(err)
		}
		left[filepath.Base(filepath.Dir(name))]++
	}
	if left["c1"] != 0 || left["g1"] != 2 {
		t.Errorf("working memories by session: %v, want those of g1", left)
	}
	sound(t, dir)
}
