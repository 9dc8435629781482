package memoryd_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Each block of Go in the documents is a whole program that compiles.
func TestDocumentedPrograms(t *testing.T) {
	documents, err := filepath.Glob("docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?s)```go\n(.*?)```")
	overlay := struct{ Replace map[string]string }{map[string]string{}}
	args := []string{"list", "-export", "-f", "{{.ImportPath}}", "-overlay", filepath.Join(t.TempDir(), "overlay.json")} // compiles, and links nothing
	for _, name := range append(documents, "README.md", "CONTRIBUTING.md", "ARCHITECTURE.md") {
		for i, block := range blocks.FindAllStringSubmatch(text(t, name), -1) {
			if !strings.HasPrefix(block[1], "package main\n") {
				t.Errorf("%s: block %d of Go isn't a whole program:\n%s", name, i+1, block[1])
				continue
			}
			dir := fmt.Sprintf("documented_%s_%d", strings.TrimSuffix(filepath.Base(name), ".md"), i+1)
			program := filepath.Join(t.TempDir(), "main.go")
			if err := os.WriteFile(program, []byte(block[1]), 0o600); err != nil {
				t.Fatal(err)
			}
			overlay.Replace[filepath.Join(here, dir, "main.go")] = program // so that it is built in this module, with no network
			args = append(args, "./"+dir)
		}
	}
	if len(overlay.Replace) == 0 {
		t.Fatal("no program is found")
	}
	doc, err := json.Marshal(overlay)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(args[5], doc, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", args...)
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=readonly", "GOPROXY=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
