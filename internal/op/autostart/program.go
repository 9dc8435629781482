package autostart

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/memoryd/memoryd/internal/term"
)

// Program is the path of this program: by the name under which it is found, which outlives an update, else by that of its file.
func Program() (string, error) {
	file, err := os.Executable()
	if err != nil {
		return "", err
	}
	real, err := filepath.EvalSymlinks(file)
	if err != nil {
		return file, nil
	}
	if named, ok := inPath(filepath.Base(os.Args[0])); ok {
		if target, err := filepath.EvalSymlinks(named); err == nil && target == real {
			return named, nil
		}
	}
	return real, nil
}

// inPath finds a program; never one of the current directory.
func inPath(name string) (string, bool) {
	file, err := exec.LookPath(name)
	return file, err == nil && filepath.IsAbs(file)
}

// patience is how long a command of the system may take. "systemctl restart" waits for a run to end that must not be cut off.
const patience = 2 * time.Minute

// run runs a command of the system and returns what it writes. It gets no input, and never waits for a person.
func run(ctx context.Context, env []string, patience time.Duration, args []string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Env = append(env[:len(env):len(env)], "LC_ALL=C", "SYSTEMD_PAGER=", "SYSTEMD_COLORS=0")
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = &stdout, &stderr, time.Second
	err := cmd.Run()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return stdout.String(), nil
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return "", fmt.Errorf("no answer after %s", patience)
	case errors.As(err, &exit):
		if said := strings.TrimSpace(stderr.String()); said != "" {
			first, _, _ := strings.Cut(said, "\n")
			return stdout.String(), errors.New(term.Printable(strings.TrimSpace(first)))
		}
	}
	return stdout.String(), err
}
