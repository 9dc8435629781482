package discover

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memoryd/memoryd/internal/fail"
	"github.com/memoryd/memoryd/internal/online"
	"github.com/memoryd/memoryd/pkg/memory"
)

func put(t *testing.T, root string, names ...string) {
	t.Helper()
	for _, name := range names {
		file := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func looking(root, dir string, env map[string]string) Options {
	return Options{Dir: filepath.Join(root, filepath.FromSlash(dir)), Getenv: func(name string) string { return env[name] }}
}

// The nearest directory that is a workspace beyond doubt comes first, then the nearest folder of the usual name.
func TestWorkspace(t *testing.T) {
	for what, test := range map[string]struct {
		files            []string
		from, want, host string // host: what agents use
	}{
		"settings here":            {[]string{"a/memory.toml", "memory.toml"}, "a", "a", "a"},
		"settings above":           {[]string{"memory.toml", "a/b/x"}, "a/b", ".", "."},
		"settings before indexes":  {[]string{"memory.toml", "a/_index.json"}, "a", ".", "."},
		"rooms before an index":    {[]string{"global/_index.json", "a/_index.json"}, "a", ".", "."},
		"rooms one level deeper":   {[]string{"agents/bob/_index.json"}, "agents/bob", ".", "."},
		"a folder beside":          {[]string{"memory/memory.toml", "a/x"}, "a", "memory", "memory"},
		"a hidden folder":          {[]string{".memory/memory.toml", "memory/memory.toml"}, ".", ".memory", ".memory"},
		"hidden without settings":  {[]string{".memory/_index.json", "memory/_index.json"}, ".", "memory", "memory"},
		"a log in a folder":        {[]string{"memory/" + memory.LogFile}, ".", "memory", ""},
		"a package of the name":    {[]string{"memory/main.go"}, ".", "", ""},
		"nothing":                  {[]string{"a/x"}, "a", "", ""},
		"a directory of that name": {[]string{"memory.toml/x"}, ".", "", ""},
	} {
		root := t.TempDir()
		put(t, root, test.files...)
		o := looking(root, test.from, nil)
		got, err := Workspace(o)
		if want := filepath.Join(root, filepath.FromSlash(test.want)); test.want != "" && (err != nil || got != want) {
			t.Errorf("%s: %q, %v, want %q", what, got, err, want)
		}
		if test.want == "" && (fail.Code(err) != fail.ExitNotFound || fail.Hint(err) == "") {
			t.Errorf("%s: %q, %v", what, got, err)
		}
		agents, want := ForAgents(o), ""
		if test.host != "" {
			want = filepath.Join(root, filepath.FromSlash(test.host))
		}
		if agents != want {
			t.Errorf("%s: agents use %q, want %q", what, agents, want)
		}
	}
}

// One that is named is used, or refused; the option goes before the environment.
func TestNamed(t *testing.T) {
	root := t.TempDir()
	put(t, root, "memory.toml", "one/memory.toml", "two/memory/memory.toml", "empty/x", "file")
	for _, test := range []struct{ option, variable, want, wrong string }{
		{"one", "two", "one", ""},
		{"", "two", "two/memory", ""},
		{"", "", ".", ""},
		{"none", "", "", "--workspace"},
		{"", "none", "", "MEMORY_WORKSPACE"},
		{"empty", "", "", "is not a workspace"},
		{"file", "", "", "is not a directory"},
	} {
		o := looking(root, ".", map[string]string{"MEMORY_WORKSPACE": test.variable})
		o.Workspace = test.option
		got, err := Workspace(o)
		if test.wrong == "" && (err != nil || got != filepath.Join(root, filepath.FromSlash(test.want))) {
			t.Errorf("%+v: %q, %v", test, got, err)
		}
		if test.wrong != "" && (err == nil || !strings.Contains(err.Error(), test.wrong)) {
			t.Errorf("%+v: %q, %v", test, got, err)
		}
	}
}

// A project that has logged in uses its hub, unless a workspace is named; commands say so where there is no folder.
func TestHubProject(t *testing.T) {
	root := t.TempDir()
	env := map[string]string{"HOME": root}
	o := looking(root, "shop/cmd", env)
	if err := os.MkdirAll(o.Dir, 0o755); err != nil {
		t.Fatal(err)
	}
	hub, err := online.ParseHub("https://hub.example:7421", "acme")
	if err != nil {
		t.Fatal(err)
	}
	notes, err := Notes(o.Getenv)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := notes.Add(filepath.Join(root, "shop"), hub); err != nil {
		t.Fatal(err)
	}
	if p, ok, err := HubProject(o); err != nil || !ok || p.Hub.String() != hub.String() {
		t.Errorf("%+v, %v, %v", p, ok, err)
	}
	if _, err := Workspace(o); fail.Code(err) != fail.ExitNotFound || !strings.Contains(err.Error(), "use the workspace "+hub.String()) {
		t.Error(err)
	}
	o.Workspace = "x"
	if _, ok, err := HubProject(o); ok || err != nil {
		t.Error("a workspace that is named comes first: ", err)
	}
	if _, err := Notes(func(string) string { return "" }); err == nil {
		t.Error("notes without a home")
	}
}
