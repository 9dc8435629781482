//go:build unix

package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/pelletier/go-toml/v2"
)

// fence is a code block of a page: its language, and what it is about (the comment or the heading above it).
type fence struct{ about, language, text string }

var aboutMark = regexp.MustCompile(`^<!-- file: (.*) -->$`)

func fences(t *testing.T, page string) (all []fence) {
	text, err := os.ReadFile(filepath.Join("../../docs", page))
	if err != nil {
		t.Fatal(err)
	}
	about, inside := "", false
	for line := range strings.SplitSeq(string(text), "\n") {
		mark := aboutMark.FindStringSubmatch(line)
		switch {
		case strings.HasPrefix(line, "```"):
			if inside = !inside; inside {
				all = append(all, fence{about: about, language: line[3:]})
			}
		case inside:
			all[len(all)-1].text += line + "\n"
		case mark != nil:
			about = mark[1]
		case strings.HasPrefix(line, "## "):
			about = line[3:]
		}
	}
	return all
}

// What docs/mcp-hosts.md tells to paste starts a server of the workspace that it names, wherever the host starts it.
func TestPastedServers(t *testing.T) {
	exe := program(t)
	home := t.TempDir()
	project := filepath.Join(home, "project")
	if _, errs, code, err := call(exe, home, os.Environ(), "init", "--no-hosts", filepath.Join(project, "memory")); err != nil || code != 0 {
		t.Fatalf("init: exit code %d, %v\n%s", code, err, errs)
	}
	filled := strings.NewReplacer("${workspaceFolder}", project, "/home/you/project", project, "/home/you/go/bin/memory", exe)
	tried := 0
	for _, f := range fences(t, "mcp-hosts.md") {
		if f.language != "json" {
			continue
		}
		var settings map[string]map[string]struct {
			Command string
			Args    []string
			Env     map[string]string
		}
		if err := json.Unmarshal([]byte(filled.Replace(f.text)), &settings); err != nil || len(settings) != 1 {
			t.Errorf("%s: %v, %d members of the root, want 1", f.about, err, len(settings))
			continue
		}
		for _, servers := range settings {
			server := servers["memory"]
			if server.Command == "memory" { // as a shell's PATH has it
				server.Command = exe
			}
			cmd := exec.Command(server.Command, server.Args...)
			cmd.Dir, cmd.Env = t.TempDir(), append(os.Environ(), "HOME="+home)
			for name, value := range server.Env {
				cmd.Env = append(cmd.Env, name+"="+value)
			}
			client, err := sdk.NewClient(&sdk.Implementation{Name: "pasted", Version: "1"}, nil).Connect(t.Context(), &sdk.CommandTransport{Command: cmd}, nil)
			if err != nil {
				t.Errorf("%s: %v", f.about, err)
				continue
			}
			said := "The tests of " + f.about + " take long."
			result, err := client.CallTool(t.Context(), &sdk.CallToolParams{Name: "save", Arguments: object{"content": said, "type": "factual"}})
			if err != nil || result.IsError {
				t.Errorf("%s: save: %v, %+v", f.about, err, result)
			}
			if err := client.Close(); err != nil {
				t.Errorf("%s: %v", f.about, err)
			}
			if out, _, _, err := call(exe, project, os.Environ(), "list", "--json"); err != nil || !strings.Contains(out, said) {
				t.Errorf("%s: the memory is not in the project: %v\n%s", f.about, err, out)
			}
			tried++
		}
	}
	if tried < 5 {
		t.Errorf("only %d hosts were tried", tried)
	}
	if out, errs, code, err := call(exe, project, os.Environ(), "check"); err != nil || code != 0 {
		t.Errorf("check: exit code %d, %v\n%s%s", code, err, out, errs)
	}
}

// What docs/hosts.md shows for those who edit by hand is what install writes, in every file but .geminiignore.
func TestEntriesByHand(t *testing.T) {
	exe := program(t)
	shown := map[string]fence{}
	for _, f := range fences(t, "hosts.md") {
		if f.language != "" {
			shown[f.about] = f
		}
	}
	for _, host := range []string{"claude", "codex", "gemini", "cursor", "copilot"} {
		project := t.TempDir()
		env := append(os.Environ(), "HOME="+t.TempDir(), "CLAUDE_CONFIG_DIR=")
		for _, args := range [][]string{{"init", "--no-hosts"}, {"install", "--host", host}} {
			if _, errs, code, err := call(exe, project, env, args...); err != nil || code != 0 {
				t.Fatalf("%v: exit code %d, %v\n%s", args, code, err, errs)
			}
		}
		err := filepath.WalkDir(project, func(path string, entry os.DirEntry, err error) error {
			name, _ := filepath.Rel(project, path)
			if err == nil && (name == "memory" || name == ".memory-install") {
				err = filepath.SkipDir
			}
			if err != nil {
				return err
			}
			if entry.IsDir() || name == ".geminiignore" {
				return nil
			}
			written, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			parse := json.Unmarshal
			if filepath.Ext(name) == ".toml" {
				parse = toml.Unmarshal
			}
			about := host + " " + filepath.ToSlash(name)
			var have, want any
			if parse(written, &want) != nil || parse([]byte(shown[about].text), &have) != nil || !reflect.DeepEqual(have, want) {
				t.Errorf("docs/hosts.md doesn't show %s as it is written:\n%s", about, written)
			}
			delete(shown, about)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for about := range shown {
		t.Errorf("docs/hosts.md shows %s, which install does not write", about)
	}
}
