//go:build unix

package main

import (
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/memoryd/memoryd/fixtures"
	"github.com/memoryd/memoryd/internal/document"
	"github.com/memoryd/memoryd/pkg/workspace"
)

// agent is a client of the server, by the library that the server is made with.
type agent struct {
	*sdk.ClientSession
	dir     string
	log     *output
	results map[string][]*jsonschema.Resolved // of tools: one of them
	given   map[string]*jsonschema.Resolved   // arguments of tools
}

// serving copies a sample workspace and connects to a server of it. At the end the
// workspace must be sound.
func serving(t *testing.T, sample fs.FS, env ...string) *agent {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "memory")
	if err := fixtures.CopyTo(dir, sample); err != nil {
		t.Fatal(err)
	}
	return connect(t, dir, env...)
}

func serverCommand(t *testing.T, dir string, env ...string) *exec.Cmd {
	cmd := exec.Command(program(t), "mcp", "--tools", "all")
	cmd.Dir, cmd.Env = dir, append(append(os.Environ(), "MEMORY_WORKSPACE="+dir, "MEMORY_AT="+fixtures.At), env...)
	return cmd
}

func connect(t *testing.T, dir string, env ...string) *agent {
	t.Helper()
	a := &agent{dir: dir, log: &output{}, results: map[string][]*jsonschema.Resolved{}, given: map[string]*jsonschema.Resolved{}}
	cmd := serverCommand(t, dir, env...)
	cmd.Stderr = a.log
	var err error
	a.ClientSession, err = sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), &sdk.CommandTransport{Command: cmd}, nil)
	if err != nil {
		t.Fatalf("%v\n%s", err, a.log)
	}
	t.Cleanup(func() {
		if err := a.Close(); err != nil {
			t.Errorf("the server ended with %v", err)
		}
		sound(t, dir)
		if t.Failed() {
			t.Logf("the server's log:\n%s", a.log)
		}
	})
	for tool, err := range a.Tools(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		a.given[tool.Name] = compiled(t, tool.InputSchema)
		for _, name := range document.OfTool(tool.Name) {
			a.results[tool.Name] = append(a.results[tool.Name], documentSchema(t, name))
		}
	}
	return a
}

func compiled(t *testing.T, schema any) *jsonschema.Resolved {
	t.Helper()
	text, err := json.Marshal(schema)
	if err != nil {
		t.Fatal(err)
	}
	var s jsonschema.Schema
	if err := json.Unmarshal(text, &s); err != nil {
		t.Fatal(err)
	}
	resolved, err := s.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	return resolved
}

func sound(t *testing.T, dir string) {
	t.Helper()
	if out, errs, code, err := call(program(t), dir, append(os.Environ(), "MEMORY_WORKSPACE="+dir), "check"); err != nil || code != 0 {
		t.Errorf("check: exit code %d, %v\n%s%s", code, err, out, errs)
	}
}

type object = map[string]any

// use calls a tool that must do it; the result is as its schema says.
func (a *agent) use(t *testing.T, name string, args object) (result object, text string) {
	t.Helper()
	r, err := a.CallTool(t.Context(), &sdk.CallToolParams{Name: name, Arguments: args})
	if err != nil {
		t.Fatalf("%s: %v\n%s", name, err, a.log)
	}
	if text = textOf(t, r); r.IsError {
		t.Fatalf("%s %v: %s", name, args, text)
	}
	var wrong error
	for _, schema := range a.results[name] {
		if wrong = schema.Validate(r.StructuredContent); wrong == nil {
			break
		}
	}
	if wrong != nil {
		t.Errorf("%s: the result is not as its schema says: %v", name, wrong)
	}
	if len([]rune(text)) > 24_000 {
		t.Errorf("%s: a text of %d characters", name, len([]rune(text)))
	}
	return r.StructuredContent.(object), text
}

// refused calls a tool that must refuse, and say what to do.
func (a *agent) refused(t *testing.T, name string, args any, want string) {
	t.Helper()
	r, err := a.CallTool(t.Context(), &sdk.CallToolParams{Name: name, Arguments: args})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if text := textOf(t, r); !r.IsError || !strings.Contains(text, want) || strings.Count(text, ". ") == 0 || !strings.HasSuffix(text, ".") {
		t.Errorf("%s %v: error %v: %s\nwant %q", name, args, r.IsError, text, want)
	}
}

func textOf(t *testing.T, r *sdk.CallToolResult) string {
	t.Helper()
	if len(r.Content) != 1 {
		t.Fatalf("%d contents", len(r.Content))
	}
	return r.Content[0].(*sdk.TextContent).Text
}

// first is the first element of a list in a result.
func first(t *testing.T, list any) object {
	t.Helper()
	all, _ := list.([]any)
	if len(all) == 0 {
		t.Fatal("the list is empty")
	}
	return all[0].(object)
}

func (a *agent) got(t *testing.T, id string) object {
	t.Helper()
	result, _ := a.use(t, "get", object{"ids": []string{id}})
	return result
}

// must runs a command next to the server.
func (a *agent) must(t *testing.T, args ...string) string {
	t.Helper()
	out, errs, code, err := call(program(t), a.dir, append(os.Environ(), "MEMORY_WORKSPACE="+a.dir, "MEMORY_AT="+fixtures.At), args...)
	if err != nil || code != 0 {
		t.Fatalf("%v: exit code %d, %v\n%s", args, code, err, errs)
	}
	return out
}

func (a *agent) lines(t *testing.T, args ...string) []string {
	t.Helper()
	return strings.Fields(a.must(t, args...))
}

func mustJSON(t *testing.T, v any) []byte {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// hashes are the bytes of all files of a workspace but the cache, which a reader may
// write.
func hashes(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if d != nil && name == filepath.Join(dir, filepath.Dir(filepath.FromSlash(workspace.CacheFile))) {
			return filepath.SkipDir
		}
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(name)
		all[name] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
