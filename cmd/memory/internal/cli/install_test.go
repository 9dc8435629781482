package cli

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"github.com/memoryd/memoryd/cmd/memory/internal/hook"
)

// Every host that the hooks know can be installed for, at events that it has.
func TestHostFiles(t *testing.T) {
	if got, want := slices.Sorted(maps.Keys(hostFiles())), slices.Sorted(slices.Values(hook.Names())); !slices.Equal(got, want) {
		t.Fatalf("hosts %v, want %v", got, want)
	}
	for name, host := range hostFiles() {
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

func TestCommandFileNamesCommands(t *testing.T) {
	uses := regexp.MustCompile("`memory ([a-z]+)").FindAllStringSubmatch(string(commandFile), -1)
	if len(uses) < 4 {
		t.Errorf("only %d commands", len(uses))
	}
	for _, use := range uses {
		if find(commands(), use[1]) == nil {
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
