package installing

import (
	"cmp"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tidwall/gjson"
	"pgregory.net/rapid"

	"github.com/memoryd/memoryd/internal/fail"
	"github.com/memoryd/memoryd/internal/hook"
	"github.com/memoryd/memoryd/internal/paths"
	hostpkg "github.com/memoryd/memoryd/pkg/host"
)

// Every host that the hooks know can be installed for, at events that it has.
func TestHosts(t *testing.T) {
	if got, want := slices.Sorted(maps.Keys(hosts("linux"))), slices.Sorted(slices.Values(hook.Names())); !slices.Equal(got, want) {
		t.Fatalf("hosts %v, want %v", got, want)
	}
	for name, host := range hosts("linux") {
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
	for name, host := range hosts("linux") {
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
	table := hosts("windows")
	for host, want := range map[string]string{
		"codex":   `memory hook codex SessionEnd 2>NUL || exit /b 0`,
		"gemini":  `try { memory hook gemini SessionEnd 2>$null } catch { }; exit 0`,
		"cursor":  `memory hook cursor sessionEnd 2>NUL || exit /b 0`,
		"copilot": `try { memory hook copilot sessionEnd 2>$null } catch { }; exit 0`,
	} {
		hooks := table[host].settings.Hooks
		entry := gjson.Parse(hooks[len(hooks)-1].Entry)
		if got := cmp.Or(entry.Get("hooks.0.command").Str, entry.Get("powershell").Str, entry.Get("command").Str); got != want {
			t.Errorf("%s: %s, want %s", host, got, want)
		}
		doc, err := hostpkg.AddSettings(nil, table[host].settings)
		if err != nil {
			t.Fatal(err)
		}
		if left, bare, err := hostpkg.RemoveSettings(doc, table[host].settings); err != nil || !bare {
			t.Errorf("%s: taken out again: %v %s", host, err, left)
		}
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
		files := hosts("linux")[host]
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

		options := Options{
			Place: Place{Dir: paths.Dir(project), Getenv: func(name string) string {
				return map[string]string{"HOME": home, "USERPROFILE": home}[name]
			}},
			Host: host, User: rapid.Bool().Draw(t, "for the person"), Workspace: filepath.Join(project, "memory"), Note: func(string) {},
		}
		if rapid.Bool().Draw(t, "another name") {
			options.ServerName = "ours"
		}
		do := func(decide func(Options) (*Installation, error)) error {
			i, err := decide(options)
			if err != nil {
				return err
			}
			return i.Apply()
		}
		if err := do(Install); err != nil { // refused: an empty object with a comment, say. Nothing has happened.
			if diff := differences(before, tree(t, root)); len(diff) > 0 {
				t.Fatalf("refused, and changed %v: %v", diff, err)
			}
			return
		}
		once := tree(t, root)
		if len(differences(before, once)) == 0 {
			t.Fatal("nothing was installed")
		}
		if err := do(Install); err != nil || len(differences(once, tree(t, root))) > 0 {
			t.Fatalf("twice: %v: %v", differences(once, tree(t, root)), err)
		}
		if err := do(Uninstall); err != nil {
			t.Fatal(err)
		}
		after := tree(t, root)
		if diff := differences(before, after); len(diff) > 0 {
			t.Fatalf("not as before: %v\nwas %q\nis  %q", diff, before[diff[0]], after[diff[0]])
		}
	})
}

// A record that can't be read is an error that says what to do; nothing is changed.
func TestBrokenRecord(t *testing.T) {
	root := t.TempDir()
	if err := os.MkdirAll(filepath.Join(root, recordDir), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(root, recordDir, recordFile), []byte("{"), 0o644); err != nil {
		t.Fatal(err)
	}
	before := tree(t, root)
	_, err := Install(Options{Place: Place{Dir: paths.Dir(root), Getenv: func(string) string { return root }}, Host: "codex"})
	if err == nil || !strings.Contains(err.Error(), recordFile) || fail.Hint(err) == "" || len(differences(before, tree(t, root))) > 0 {
		t.Errorf("%v; hint %q", err, fail.Hint(err))
	}
}

// What can't be set up is refused before anything is written, with the exit code of a wrong command line.
func TestRefused(t *testing.T) {
	for what, o := range map[string]Options{
		"unknown host":  {Host: "emacs"},
		"--server-name": {Host: "claude", ServerName: "a b"},
	} {
		o.Place = Place{Dir: paths.Dir(t.TempDir()), Getenv: func(string) string { return "" }}
		if _, err := Install(o); err == nil || !strings.Contains(err.Error(), what) || fail.Code(err) != fail.ExitUsage {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// A host is found by its mark in the project or its program on the PATH, once: not any more when it is set up.
func TestFind(t *testing.T) {
	root := t.TempDir()
	project, bin := filepath.Join(root, "project"), filepath.Join(root, "bin")
	for _, dir := range []string{filepath.Join(project, ".codex"), bin} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	options := Options{Place: Place{Dir: paths.Dir(project), Getenv: func(name string) string {
		return map[string]string{"HOME": root, "USERPROFILE": root, "PATH": bin}[name]
	}}, Note: func(string) {}}
	found, err := Find(options)
	if err != nil || len(found) != 1 || found[0].Host != "codex" || found[0].Found != ".codex" {
		t.Fatalf("%+v, %v", found, err)
	}
	var done []string
	if err := SetUp(found, func(f Found) { done = append(done, f.Host) }); err != nil || !found[0].Installed || len(done) != 1 {
		t.Fatalf("%v: %+v, %v", err, found, done)
	}
	if found, err := Find(options); err != nil || len(found) > 0 {
		t.Errorf("%+v, %v", found, err)
	}
	findings, err := Check(options.Place, "codex")
	if err != nil {
		t.Fatal(err)
	}
	states := map[string]string{}
	for _, f := range findings {
		states[f.What] = f.State
	}
	if want := map[string]string{"program": Failed, "hooks": OK, "server": OK, "trust": Unknown}; !maps.Equal(states, want) {
		t.Errorf("%v, want %v", states, want)
	}
}
