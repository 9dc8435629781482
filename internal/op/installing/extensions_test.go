package installing

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"

	"github.com/memoryd/memoryd/pkg/host"
)

var updateExtensions = flag.Bool("update-extensions", false, "write the parts of extensions/ that are made from plugin/ and the hosts' table")

const (
	pluginDir     = "../../../plugin"
	extensionsDir = "../../../extensions"
)

// skill is one of the plugin's.
type skill struct {
	name, description, body string
	text                    []byte
}

func pluginSkills(t *testing.T) (all []skill) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(pluginDir, "skills", "*", "SKILL.md"))
	if err != nil || len(files) == 0 {
		t.Fatal("no skills: ", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		head, body, _ := strings.Cut(strings.TrimPrefix(string(text), "---\n"), "\n---\n")
		s := skill{name: filepath.Base(filepath.Dir(file)), body: strings.TrimSpace(body), text: text}
		for line := range strings.Lines(head) {
			if value, ok := strings.CutPrefix(line, "description: "); ok {
				s.description = strings.TrimSpace(value)
			}
		}
		all = append(all, s)
	}
	return all
}

// manifest is what all forms of the plugin say of it.
type manifest struct {
	Description, Version, Homepage, Repository, License string
	Author                                              map[string]string
	Keywords                                            []string
}

// extensionFiles are the files of extensions/ that nobody writes by hand.
func extensionFiles(t *testing.T) map[string][]byte {
	t.Helper()
	var about manifest
	text, err := os.ReadFile(filepath.Join(pluginDir, ".claude-plugin", "plugin.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &about); err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	table := hosts("linux")
	add := func(name string, v any) {
		text, err := json.MarshalIndent(v, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		text = bytes.ReplaceAll(bytes.ReplaceAll(text, []byte(`\u003e`), []byte(">")), []byte(`\u0026`), []byte("&"))
		files[name] = append(text, '\n')
	}
	hooks := func(name string, settings host.Settings) {
		text, err := host.AddSettings(nil, host.Settings{Hooks: settings.Hooks})
		if err != nil {
			t.Fatal(err)
		}
		files[name] = append(bytes.TrimSpace(text), '\n')
	}
	servers := map[string]any{"memory": map[string]any{"command": "memory", "args": []string{"mcp"}}}

	add("gemini/gemini-extension.json", map[string]any{"name": "memoryd", "version": about.Version, "description": about.Description, "mcpServers": servers})
	hooks("gemini/hooks/hooks.json", table["gemini"].settings)

	add("codex/.agents/plugins/marketplace.json", map[string]any{
		"name": "memoryd", "interface": map[string]any{"displayName": "memoryd"},
		"plugins": []any{map[string]any{
			"name": "memory", "source": map[string]any{"source": "local", "path": "./memory"},
			"policy": map[string]any{"installation": "AVAILABLE", "authentication": "ON_INSTALL"}, "category": "Productivity",
		}},
	})
	add("codex/memory/.codex-plugin/plugin.json", map[string]any{
		"name": "memory", "version": about.Version, "description": about.Description, "author": about.Author,
		"homepage": about.Homepage, "repository": about.Repository, "license": about.License, "keywords": about.Keywords,
		"skills": "./skills/", "mcpServers": "./.mcp.json", "hooks": "./hooks/hooks.json",
	})
	add("codex/memory/.mcp.json", map[string]any{"mcpServers": servers})
	hooks("codex/memory/hooks/hooks.json", table["codex"].settings)

	for _, s := range pluginSkills(t) {
		files["codex/memory/skills/"+s.name+"/SKILL.md"] = s.text
		prompt := strings.ReplaceAll(s.body, "$ARGUMENTS", "{{args}}")
		if strings.Contains(prompt, `'''`) {
			t.Fatalf("skill %s: can't stand in a TOML string", s.name)
		}
		files["gemini/commands/memoryd/"+s.name+".toml"] = fmt.Appendf(nil, "description = %q\nprompt = '''\n%s\n'''\n", s.description, prompt)
	}
	return files
}

// The Gemini extension and the Codex plugin have the hooks that "memory install" writes, and the skills of the Claude Code plugin.
func TestExtensions(t *testing.T) {
	want := extensionFiles(t)
	if *updateExtensions {
		for name, text := range want {
			file := filepath.Join(extensionsDir, name)
			if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, text, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	for name, text := range want {
		if is, err := os.ReadFile(filepath.Join(extensionsDir, name)); err != nil || string(is) != string(text) {
			t.Errorf("%s differs from its source: %v: go test ./internal/op/installing -run TestExtensions -update-extensions", name, err)
		}
		if strings.HasSuffix(name, ".toml") {
			var command struct{ Description, Prompt string }
			if err := toml.NewDecoder(bytes.NewReader(text)).DisallowUnknownFields().Decode(&command); err != nil || command.Description == "" || command.Prompt == "" {
				t.Errorf("%s: %v, %+v", name, err, command)
			}
		}
	}
	err := filepath.WalkDir(extensionsDir, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(extensionsDir, file)
		if name := filepath.ToSlash(rel); want[name] == nil && filepath.Base(name) != "README.md" {
			t.Errorf("%s has no source", name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// The hooks of the Claude Code plugin are those that "memory install" writes.
func TestPluginHooksAreInstalled(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(pluginDir, "hooks", "hooks.json"))
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Hooks map[string][]json.RawMessage }
	if err := json.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	var events []string
	for _, h := range hosts("linux")["claude"].settings.Hooks {
		events = append(events, h.Event)
		var is bytes.Buffer
		if len(file.Hooks[h.Event]) != 1 {
			t.Errorf("%s: %d entries", h.Event, len(file.Hooks[h.Event]))
		} else if err := json.Compact(&is, file.Hooks[h.Event][0]); err != nil || is.String() != h.Entry {
			t.Errorf("%s: %s, installed is %s", h.Event, is.String(), h.Entry)
		}
	}
	for event := range file.Hooks {
		if !slices.Contains(events, event) {
			t.Errorf("%s is not installed", event)
		}
	}
}
