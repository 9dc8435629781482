package cli

import (
	"bytes"
	"cmp"
	"context"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tidwall/gjson"
	"pgregory.net/rapid"

	"github.com/memoryd/memoryd/internal/fail"
	"github.com/memoryd/memoryd/internal/hook"
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

// tree reads a directory: its files with their content, and its subdirectories.
func tree(t interface{ Fatal(...any) }, root string) map[string]string {
	all := map[string]string{}
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		if d.IsDir() {
			all[rel] = "directory"
			return nil
		}
		text, err := os.ReadFile(name)
		info, _ := d.Info()
		all[rel] = info.Mode().String() + " " + string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// differences of two trees, by name.
func differences(a, b map[string]string) (names []string) {
	for name, text := range a {
		if b[name] != text {
			names = append(names, name)
		}
	}
	for name := range b {
		if _, ok := a[name]; !ok {
			names = append(names, name)
		}
	}
	return names
}

// configs are settings as people have them; % is a place for hooks.
var (
	jsonConfigs = []string{
		"", "{}", "{ }\n", "{\n}\n", "\ufeff{}", "{\"hooks\": {}}", "{\"hooks\": {\"SessionStart\": []}, \"mcpServers\": {}}\n",
		"{\r\n\t\"model\": \"x\",\r\n\t\"hooks\": {\r\n\t\t\"Stop\": []\r\n\t}\r\n}", "{\"n\":1e400,\"mcpServers\":{\"x\":{\"command\":\"x\"}}}",
		"// mine\n{\n  \"model\": \"x\", // why\n  /* so */ \"list\": [1, 2,],\n}\n", "{\"version\": 1, \"hooks\": {\"sessionStart\": [{\"command\": \"x\"}]}}",
		"{\"mcpServers\": {\"memory\": {\"command\": \"npx\"}}}\n", "{\n    \"permissions\": {\"allow\": [\"Bash(ls:*)\"]}\n}",
	}
	tomlConfigs = []string{
		"", "model = \"x\"", "# mine\nmodel = 'x' # why\r\n[tui]\r\nn = 0x10", "[mcp_servers]\n", "[mcp_servers.x]\ncommand = \"x\"\n# end",
		"[mcp_servers.memory]\ncommand = \"npx\"\n", "[projects.\"/p\"]\ntrust_level = \"trusted\"\n\n\n", "a = 1\r\n",
	}
	ignoreConfigs = []string{"", "*.log", "# mine\r\nbuild/\r\n", "\n\nmemory/\n"}
)

// Whatever a project holds: what was installed can be uninstalled, and then every file is as it was, byte for byte, and every
// directory that was made is gone. Installing twice is installing once.
func TestUninstallUndoesInstall(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		root, err := os.MkdirTemp("", "install-")
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = os.RemoveAll(root) }()
		project, home := filepath.Join(root, "project"), filepath.Join(root, "home")
		host := rapid.SampledFrom(hook.Names()).Draw(t, "host")
		files := hostFiles("linux")[host]
		put := func(name string, configs []string) {
			if name == "" || rapid.IntRange(0, 2).Draw(t, "state of "+name) == 0 {
				return
			}
			dir := filepath.Dir(filepath.Join(project, name))
			if err := os.MkdirAll(dir, 0o755); err != nil {
				t.Fatal(err)
			}
			if text := rapid.SampledFrom(configs).Draw(t, name); rapid.Bool().Draw(t, "a file") {
				mode := rapid.SampledFrom([]os.FileMode{0o600, 0o644}).Draw(t, "mode")
				if err := os.WriteFile(filepath.Join(dir, filepath.Base(name)), []byte(text), mode); err != nil {
					t.Fatal(err)
				}
			}
		}
		for _, dir := range []string{filepath.Join(project, "memory"), home} {
			if err := os.MkdirAll(dir, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.WriteFile(filepath.Join(project, "memory", "memory.toml"), nil, 0o644); err != nil {
			t.Fatal(err)
		}
		servers := jsonConfigs
		if files.servers.toml.Key != "" {
			servers = tomlConfigs
		}
		put(files.project, jsonConfigs)
		put(files.servers.project, servers)
		put(files.ignore, ignoreConfigs)
		before := tree(t, root)

		memory := func(args ...string) (string, bool) {
			var out bytes.Buffer
			code := Run(context.Background(), Process{
				Args: append([]string{"memory"}, args...), Env: []string{"HOME=" + home, "USERPROFILE=" + home}, Dir: project,
				Stdin: strings.NewReader(""), Stdout: &out, Stderr: &out,
			})
			return out.String(), code == fail.ExitDone
		}
		args := []string{"install", "--host", host}
		if rapid.Bool().Draw(t, "for the person") {
			args = append(args, "--user")
		}
		if rapid.Bool().Draw(t, "another name") {
			args = append(args, "--server-name", "ours")
		}
		out, ok := memory(args...)
		if !ok { // refused: an empty object with a comment, say. Nothing has happened.
			if diff := differences(before, tree(t, root)); len(diff) > 0 {
				t.Fatalf("refused, and changed %v: %s", diff, out)
			}
			return
		}
		once := tree(t, root)
		if len(differences(before, once)) == 0 {
			t.Fatalf("nothing was installed: %s", out)
		}
		if out, ok := memory(args...); !ok || len(differences(once, tree(t, root))) > 0 {
			t.Fatalf("twice: %v %v: %s", ok, differences(once, tree(t, root)), out)
		}
		args[0] = "uninstall"
		if out, ok := memory(args...); !ok {
			t.Fatal(out)
		}
		after := tree(t, root)
		if diff := differences(before, after); len(diff) > 0 {
			t.Fatalf("not as before: %v\nwas %q\nis  %q", diff, before[diff[0]], after[diff[0]])
		}
	})
}

func TestIsYes(t *testing.T) {
	for answer, want := range map[string]bool{"\n": true, "y\n": true, "YES\r\n": true, "n\n": false, "no": false, "maybe\n": false} {
		if isYes(answer) != want {
			t.Errorf("%q is %v", answer, !want)
		}
	}
}

// A record that can't be read is told, with what to do; nothing is changed.
func TestBrokenRecord(t *testing.T) {
	root := t.TempDir()
	if err := os.MkdirAll(filepath.Join(root, recordDir), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(root, recordDir, recordFile), []byte("{"), 0o644); err != nil {
		t.Fatal(err)
	}
	before := tree(t, root)
	var out bytes.Buffer
	code := Run(context.Background(), Process{Args: []string{"memory", "install", "--host", "codex"}, Env: []string{"HOME=" + root}, Dir: root, Stdin: strings.NewReader(""), Stdout: &out, Stderr: &out})
	if code == fail.ExitDone || !strings.Contains(out.String(), recordFile) || len(differences(before, tree(t, root))) > 0 {
		t.Errorf("%d: %s", code, out.String())
	}
}
