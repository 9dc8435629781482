package cli

import (
	"bytes"
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/memoryd/memoryd/cmd/memory/internal/hook"
)

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
			return out.String(), code == exitDone
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
	if code == exitDone || !strings.Contains(out.String(), recordFile) || len(differences(before, tree(t, root))) > 0 {
		t.Errorf("%d: %s", code, out.String())
	}
}
