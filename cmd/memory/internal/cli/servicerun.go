package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/memoryd/memoryd/pkg/host"
)

// commandPatience is how long a command of the system may take. "systemctl restart"
// waits for a run to end that must not be cut off.
const commandPatience = 2 * time.Minute

// ranCommand is a command of the system, and what became of it.
type ranCommand struct {
	Command []string `json:"command"`
	Ran     bool     `json:"ran"`
	Error   string   `json:"error,omitempty"`
}

// runAll runs commands one after the other, up to one that fails. Where the program
// is missing it says what to run, which is no error.
func (c *call) runAll(doc *serviceDoc, commands []host.Command) error {
	for i, command := range commands {
		ran := ranCommand{Command: command.Args}
		if _, ok := inPath(command.Args[0]); !ok {
			c.note("%s is not there; to bring it into force, run:", command.Args[0])
			for _, left := range commands[i:] {
				c.note("  %s", commandLine(left.Args))
				doc.Commands = append(doc.Commands, ranCommand{Command: left.Args})
			}
			return nil
		}
		_, err := c.ask(command)
		ran.Ran = true
		if err != nil && !command.Lenient {
			doc.Commands = append(doc.Commands, ran)
			var left []string
			for _, command := range commands[i:] {
				left = append(left, commandLine(command.Args))
			}
			return withHint(fmt.Errorf("%s: %w", commandLine(command.Args), err), "the file is as it should be; when the cause is mended, run: "+strings.Join(left, " && "))
		}
		if err != nil {
			ran.Error = err.Error()
		} else {
			c.say("%s: done\n", commandLine(command.Args))
		}
		doc.Commands = append(doc.Commands, ran)
	}
	return nil
}

// ask runs a command of the system and returns what it writes. It gets no input, and
// never waits for a person.
func (c *call) ask(command host.Command) (string, error) {
	return ask(c.ctx, c.Env, commandPatience, command.Args)
}

func ask(ctx context.Context, env []string, patience time.Duration, args []string) (string, error) {
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
			return stdout.String(), errors.New(printable(strings.TrimSpace(first)))
		}
	}
	return stdout.String(), err
}

// inPath finds a program; never one of the current directory.
func inPath(name string) (string, bool) {
	file, err := exec.LookPath(name)
	return file, err == nil && filepath.IsAbs(file)
}

// commandLine is a command as a person would type it.
func commandLine(args []string) string {
	words := make([]string, len(args))
	for i, arg := range args {
		words[i] = arg
		if arg == "" || strings.ContainsAny(arg, " \t\"'\\$`&|;<>()*?[]#~") {
			words[i] = "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
		}
	}
	return printable(strings.Join(words, " "))
}
