package cli

import (
	"cmp"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"github.com/memoryd/memoryd/cmd/memory/internal/hook"
	hostpkg "github.com/memoryd/memoryd/pkg/host"
)

// Every host that the hooks know can be installed for, at events that it has.
func TestHostFiles(t *testing.T) {
	if got, want := slices.Sorted(maps.Keys(hostFiles("linux"))), slices.Sorted(slices.Values(hook.Names())); !slices.Equal(got, want) {
		t.Fatalf("hosts %v, want %v", got, want)
	}
	for name, host := range hostFiles("linux") {
		servers := host.settings.Servers
		if f := host.servers; f.project != "" && f.toml.Key == "" {
			servers = append(servers, f.json)
		}
		if toml := host.servers.toml; len(servers) == 0 && (toml.Command != "memory" || !slices.Equal(toml.Args, []string{"mcp"})) {
			t.Errorf("%s: no MCP server", name)
		}
		for _, s := range servers {
			if entry := gjson.Parse(s.Entry); !gjson.Valid(s.Entry) || entry.Get("command").Str != "memory" || entry.Get("args").Raw != `["mcp"]` {
				t.Errorf("%s: %s", name, s.Entry)
			}
		}
		for _, h := range host.settings.Hooks {
			if !slices.Contains(hook.Named(name).Events(), h.Event) || strings.Count(h.Entry, h.Event) == 0 {
				t.Errorf("%s: %s: %s", name, h.Event, h.Entry)
			}
		}
	}
}

// Without the program, or when it fails, a hook ends with 0 and says nothing: its host goes on.
func TestHooksWithoutProgram(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("SKIPPED: no shell: ", err)
	}
	for name, host := range hostFiles("linux") {
		for _, h := range host.settings.Hooks {
			entry := gjson.Parse(h.Entry)
			if hooks := entry.Get("hooks.0"); hooks.Exists() {
				entry = hooks
			}
			line := cmp.Or(entry.Get("bash").Str, entry.Get("command").Str)
			if line == "memory" {
				continue // without a shell: the host says that there is no such program, and goes on
			}
			for what, program := range map[string]string{"none": "", "failing": "#!/bin/sh\necho no such command >&2\nexit 2\n"} {
				dir := t.TempDir()
				if program != "" {
					if err := os.WriteFile(filepath.Join(dir, "memory"), []byte(program), 0o755); err != nil {
						t.Fatal(err)
					}
				}
				run := exec.Command(sh, "-c", line)
				run.Env = []string{"PATH=" + dir}
				if out, err := run.CombinedOutput(); err != nil || len(out) > 0 {
					t.Errorf("%s, %s: %s: %v, %q", name, what, line, err, out)
				}
			}
		}
	}
}

// On Windows each hook is written for the shell that its host starts there.
func TestHooksOnWindows(t *testing.T) {
	hosts := hostFiles("windows")
	for host, want := range map[string]string{
		"codex":   `memory hook codex SessionEnd 2>NUL || exit /b 0`,
		"gemini":  `try { memory hook gemini SessionEnd 2>$null } catch { }; exit 0`,
		"cursor":  `memory hook cursor sessionEnd 2>NUL || exit /b 0`,
		"copilot": `try { memory hook copilot sessionEnd 2>$null } catch { }; exit 0`,
	} {
		hooks := hosts[host].settings.Hooks
		entry := gjson.Parse(hooks[len(hooks)-1].Entry)
		if got := cmp.Or(entry.Get("hooks.0.command").Str, entry.Get("powershell").Str, entry.Get("command").Str); got != want {
			t.Errorf("%s: %s, want %s", host, got, want)
		}
		doc, err := hostpkg.AddSettings(nil, hosts[host].settings)
		if err != nil {
			t.Fatal(err)
		}
		if left, bare, err := hostpkg.RemoveSettings(doc, hosts[host].settings); err != nil || !bare {
			t.Errorf("%s: taken out again: %v %s", host, err, left)
		}
	}
}

func TestCommandFileNamesCommands(t *testing.T) {
	uses := regexp.MustCompile("`memory ([a-z]+)").FindAllStringSubmatch(string(commandFile), -1)
	if len(uses) < 4 {
		t.Errorf("only %d commands", len(uses))
	}
	for _, use := range uses {
		if commands().find(use[1]) == nil {
			t.Errorf("there is no command %q", use[1])
		}
	}
}

// An edit that somebody makes while the change is shown is kept.
func TestWriteKeepsEdits(t *testing.T) {
	name := filepath.Join(t.TempDir(), "settings.json")
	if err := os.WriteFile(name, []byte("edited"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, f := range []*fileChange{
		{File: name, before: []byte("as read"), after: []byte("ours")},
		{File: name, before: []byte("as read"), Removed: true},
		{File: name, after: []byte("ours")},
	} {
		if err := f.write("now"); err == nil {
			t.Errorf("%+v: written", f)
		}
		if text, err := os.ReadFile(name); err != nil || string(text) != "edited" {
			t.Errorf("%q, %v", text, err)
		}
	}
	f := &fileChange{File: name, before: []byte("edited"), after: []byte("ours")}
	if err := f.write("now"); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(name)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	left, err := filepath.Glob(name + ".memory-new*")
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	if kept, err := os.ReadFile(f.Backup); err != nil || string(kept) != "edited" {
		t.Errorf("backup %s: %q, %v", f.Backup, kept, err)
	}
}
