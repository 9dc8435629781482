package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// usage is what a process took.
type usage struct {
	Took time.Duration
	Peak int64 // resident memory in bytes at its highest; 0 where the system doesn't tell
}

// launch runs a program as the only child of this process and writes its usage to a file.
// The bench runs itself this way for each measurement: Linux counts the memory of the
// process that starts a program as the program's own until it has started, so that process
// has to be small.
func launch(file, program string, args []string) error {
	cmd := exec.Command(program, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	started := time.Now()
	failed := cmd.Run()
	u := usage{Took: time.Since(started), Peak: peak(cmd.ProcessState)}
	doc, err := json.Marshal(u)
	if err == nil {
		err = os.WriteFile(file, doc, 0o644)
	}
	return errors.Join(failed, err)
}

// program is the built program, working on one workspace.
type program struct {
	file string // the executable
	dir  string // the workspace
	temp string // for its home and for usage
}

// command prepares a run of the program by way of launch.
func (p *program) command(args ...string) (*exec.Cmd, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return p.environment(exec.Command(self, append([]string{"launch", p.usageFile(), p.file}, args...)...)), nil
}

// environment gives a process the workspace, a home of its own and none of the caller's settings.
func (p *program) environment(cmd *exec.Cmd) *exec.Cmd {
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "MEMORY_") && !strings.HasPrefix(v, "HOME=") {
			cmd.Env = append(cmd.Env, v)
		}
	}
	cmd.Env = append(cmd.Env, "MEMORY_WORKSPACE="+p.dir, "HOME="+p.temp, "TZ=UTC")
	cmd.Dir = p.dir
	return cmd
}

func (p *program) usageFile() string { return filepath.Join(p.temp, "usage.json") }

// usage reads what the last process that launch ran has taken.
func (p *program) usage() (u usage, err error) {
	doc, err := os.ReadFile(p.usageFile())
	if err != nil {
		return u, err
	}
	return u, json.Unmarshal(doc, &u)
}

// run runs one command as of madeAt and returns what it printed and took.
func (p *program) run(input string, args ...string) (out []byte, u usage, err error) {
	cmd, err := p.command(args...)
	if err != nil {
		return nil, u, err
	}
	cmd.Env = append(cmd.Env, "MEMORY_AT="+madeAt.Format(time.RFC3339))
	var stdout, stderr bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(input), &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return nil, u, fmt.Errorf("memory %s: %w: %s", strings.Join(args, " "), err, &stderr)
	}
	u, err = p.usage()
	return stdout.Bytes(), u, err
}

// buildProgram builds the program memory of this module into dir and returns its file.
func buildProgram(dir string) (string, error) {
	root, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/memoryd/memoryd").Output()
	if err != nil {
		return "", fmt.Errorf("find the module: %w", err)
	}
	file := filepath.Join(dir, "memory.exe")
	build := exec.Command("go", "build", "-o", file, "./cmd/memory")
	build.Dir = strings.TrimSpace(string(root))
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build the program: %w: %s", err, out)
	}
	return file, nil
}
