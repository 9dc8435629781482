package main

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
)

// buildProgram builds the program memory of this module into dir and returns its file.
func buildProgram(dir string) (string, error) {
	root, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/memoryd/memoryd").Output()
	if err != nil {
		return "", fmt.Errorf("find the module: %w", err)
	}
	program := filepath.Join(dir, "memory.exe")
	build := exec.Command("go", "build", "-o", program, "./cmd/memory")
	build.Dir = strings.TrimSpace(string(root))
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build the program: %w: %s", err, out)
	}
	return program, nil
}
