package main

import (
	"bytes"
	"encoding/json"
	"image/png"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/memoryd/memoryd/internal/hook"
)

// strict decodes a manifest into v: keys that v doesn't have are errors.
func strict(t *testing.T, name string, v any) {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(v); err != nil || dec.More() {
		t.Fatalf("%s: %v", name, err)
	}
}

var bareName = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

func TestPluginManifests(t *testing.T) {
	var plugin struct {
		Name, Description, Version    string
		Icon                          string
		Author                        struct{ Name string }
		Homepage, Repository, License string
		Keywords                      []string
	}
	strict(t, "../../plugin/.claude-plugin/plugin.json", &plugin)
	if plugin.Name != "memory" { // the skills are reached as /memory:consolidate
		t.Errorf("the plugin is called %q", plugin.Name)
	}
	if !regexp.MustCompile(`^\d+\.\d+\.\d+$`).MatchString(plugin.Version) || plugin.Description == "" || plugin.License != "Apache-2.0" {
		t.Errorf("%+v", plugin)
	}
	// Claude Code's validator wants a square PNG of at least 512 pixels.
	file, err := os.Open(filepath.Join("../../plugin", plugin.Icon))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }() // it was only read
	if icon, err := png.DecodeConfig(file); err != nil || icon.Width != icon.Height || icon.Width < 512 {
		t.Errorf("icon: %v, %d by %d", err, icon.Width, icon.Height)
	}
	var market struct {
		Name string
		// The validator wants one.
		Description string
		Owner       struct{ Name string }
		Plugins     []struct{ Name, Source, Description string }
	}
	strict(t, "../../plugin/.claude-plugin/marketplace.json", &market)
	if market.Description == "" || !bareName.MatchString(market.Name) || market.Owner.Name == "" || len(market.Plugins) != 1 {
		t.Fatalf("%+v", market)
	}
	entry := market.Plugins[0]
	if !strings.HasPrefix(entry.Source, "./") || strings.Contains(entry.Source, "..") {
		t.Errorf("source %q: a path below the marketplace", entry.Source)
	}
	var there struct{ Name string }
	text, err := os.ReadFile(filepath.Join("../../plugin", entry.Source, ".claude-plugin", "plugin.json"))
	if err != nil || json.Unmarshal(text, &there) != nil || there.Name != entry.Name {
		t.Errorf("%s holds %q, %v", entry.Source, there.Name, err)
	}
	only, err := os.ReadDir("../../plugin/.claude-plugin")
	if err != nil || len(only) != 2 {
		t.Errorf("beside the manifests: %v, %v", only, err)
	}
}

// The hooks are those that do something, in the form that needs no shell, with a
// host and events that the program knows.
func TestPluginHooks(t *testing.T) {
	var file struct {
		Description string
		Hooks       map[string][]struct {
			Hooks []struct {
				Type, Command string
				Args          []string
				Timeout       int // seconds
			}
		}
	}
	strict(t, "../../plugin/hooks/hooks.json", &file)
	if len(file.Hooks) != 3 {
		t.Errorf("%d events", len(file.Hooks))
	}
	for event, groups := range file.Hooks {
		if len(groups) != 1 || len(groups[0].Hooks) != 1 {
			t.Fatalf("%s: %+v", event, groups)
		}
		h := groups[0].Hooks[0]
		if h.Type != "command" || h.Command != "memory" || !slices.Equal(h.Args, []string{"hook", "claude", event}) || h.Timeout <= 0 {
			t.Errorf("%s: %+v", event, h)
		}
		if !slices.Contains(hook.Named("claude").Events(), event) {
			t.Errorf("%s is no event", event)
		}
	}
}

// The server is started as the program knows it, in whatever directory.
func TestPluginServer(t *testing.T) {
	var file struct {
		Servers map[string]struct {
			Command string
			Args    []string
		} `json:"mcpServers"`
	}
	strict(t, "../../plugin/.mcp.json", &file)
	if s, ok := file.Servers["memory"]; len(file.Servers) != 1 || !ok || s.Command != "memory" || !slices.Equal(s.Args, []string{"mcp"}) {
		t.Errorf("%+v", file)
	}
}

// The agent names commands that there are, and has the keys of an agent.
func TestPluginAgent(t *testing.T) {
	text, err := os.ReadFile("../../plugin/agents/memory-curator.md")
	if err != nil {
		t.Fatal(err)
	}
	head, body, ok := strings.Cut(strings.TrimPrefix(string(text), "---\n"), "\n---\n")
	if !ok || !regexp.MustCompile(`(?s)^name: memory-curator\ndescription: .+\ntools: [A-Za-z, ]+$`).MatchString(head) {
		t.Errorf("frontmatter: %s", head)
	}
	uses := regexp.MustCompile("`memory ([a-z]+)").FindAllStringSubmatch(body, -1)
	if len(uses) < 5 {
		t.Errorf("%d commands", len(uses))
	}
	table := commandTable(t)
	for _, use := range uses {
		if !strings.Contains(table, `{"`+use[1]+`", group`) {
			t.Errorf("there is no command %q", use[1])
		}
	}
}

// commandTable is the source of the table of commands, in which a row begins with the name of its command.
func commandTable(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../internal/cli/commands.go")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// portable are the keys of a skill's frontmatter that all clients understand.
var portable = []string{"name", "description", "license", "compatibility", "metadata", "allowed-tools"}

func TestPluginSkills(t *testing.T) {
	dirs, err := os.ReadDir("../../plugin/skills")
	if err != nil {
		t.Fatal(err)
	}
	table := commandTable(t)
	var names []string
	for _, dir := range dirs {
		names = append(names, dir.Name())
		t.Run(dir.Name(), func(t *testing.T) {
			text, err := os.ReadFile(filepath.Join("../../plugin/skills", dir.Name(), "SKILL.md"))
			if err != nil {
				t.Fatal(err)
			}
			head, body, ok := strings.Cut(strings.TrimPrefix(string(text), "---\n"), "\n---\n")
			if !ok || !strings.HasPrefix(string(text), "---\n") || strings.TrimSpace(body) == "" {
				t.Fatal("no frontmatter, or nothing behind it")
			}
			keys := map[string]string{}
			for _, line := range strings.Split(head, "\n") {
				key, value, ok := strings.Cut(line, ": ")
				if !ok || keys[key] != "" || !slices.Contains(portable, key) {
					t.Errorf("line %q", line)
				}
				if strings.ContainsAny(value, "#") || strings.Contains(value, ": ") {
					t.Errorf("%s would have to be quoted in YAML", key)
				}
				keys[key] = value
			}
			if keys["name"] != dir.Name() || !bareName.MatchString(keys["name"]) || len(keys["name"]) > 64 {
				t.Errorf("name %q", keys["name"])
			}
			if n := len(keys["description"]); n == 0 || n > 1024 {
				t.Errorf("a description of %d characters", n)
			}
			if strings.Contains(body, "!`") {
				t.Error("runs a command while it is read, which can be switched off and fails it")
			}
			for _, command := range regexp.MustCompile("`memory ([a-z]+)").FindAllStringSubmatch(body, -1) {
				if !strings.Contains(table, `{"`+command[1]+`", group`) {
					t.Errorf("there is no command %q", command[1])
				}
			}
			for _, tool := range strings.Split(keys["allowed-tools"], ", ") {
				command := regexp.MustCompile(`^Bash\(memory ([a-z]+):\*\)$`).FindStringSubmatch(tool)
				if command == nil || !strings.Contains(body, "`memory "+command[1]) {
					t.Errorf("allowed tool %q is not one that it uses", tool)
				}
			}
		})
	}
	if !slices.Equal(names, []string{"consolidate", "forget", "recall", "remember", "review", "search", "status"}) {
		t.Errorf("skills %v", names)
	}
}
