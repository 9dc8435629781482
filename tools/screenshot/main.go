// Command screenshot draws docs/run.svg, the picture of a session in README.md.
//
//	go run ./tools/screenshot
//
// It builds the program memory, runs a few commands on a copy of the small sample workspace
// in a pseudo terminal, and draws what they print, colours included. Nothing is written by
// hand: a line "…" stands for paragraphs of the output that are left out. The same program
// gives the same picture, byte for byte; a test says when the picture is out of date.
//
// Limits: Linux only, because of the pseudo terminal.
package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/memoryd/memoryd/fixtures"
)

// columns is the width of the terminal.
const columns = 98

// step is a command of the session. Of its output the paragraphs are drawn that contain one
// of the texts in show, or all where it is empty.
type step struct {
	args []string
	show []string
}

var session = []step{
	{[]string{"plan"}, []string{"as of", "merge 2 duplicates", "takes 12 seconds", "promote mem_flaky", "archive mem_cookies", "In all:"}},
	{[]string{"consolidate"}, []string{"tells more"}},
	{[]string{"review", "mem_sandbox00001"}, []string{"slow on purpose"}},
	{[]string{"undo", "last", "--memory", "mem_cookies00001"}, nil},
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "screenshot:", err)
		os.Exit(1)
	}
}

func run() error {
	picture, err := draw(".")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join("docs", "run.svg"), picture, 0o644)
}

// draw runs the session with the program of the module in root and draws it.
func draw(root string) (picture []byte, err error) {
	temp, err := os.MkdirTemp("", "memory-screenshot-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(temp)) }()
	program := filepath.Join(temp, "memory")
	build := exec.Command("go", "build", "-o", program, "./cmd/memory")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("build the program: %w: %s", err, out)
	}
	if err := fixtures.CopyTo(filepath.Join(temp, "lantern"), fixtures.Small); err != nil {
		return nil, err
	}
	var lines []string
	for _, s := range session {
		cmd := exec.Command(program, s.args...)
		cmd.Dir = temp
		cmd.Env = []string{"HOME=" + temp, "TZ=UTC", "TERM=xterm", "MEMORY_WORKSPACE=lantern", "MEMORY_AT=" + fixtures.At}
		out, err := onTerminal(cmd, columns)
		if err != nil {
			return nil, fmt.Errorf("memory %s: %w: %s", strings.Join(s.args, " "), err, out)
		}
		if len(lines) > 0 {
			lines = append(lines, "")
		}
		lines = append(lines, prompt+strings.Join(s.args, " "))
		lines = append(lines, selected(out, s.show)...)
	}
	return svg(lines, columns), nil
}

// prompt begins the line of a command: a dim dollar, and the command in bold.
const prompt = "\x1b[2m$\x1b[0m \x1b[1mmemory "

// selected splits an output into lines and keeps the paragraphs that contain one of the
// texts, with "…" for each gap.
func selected(out string, show []string) (lines []string) {
	gap := false
	for _, paragraph := range strings.Split(strings.TrimRight(out, "\n"), "\n\n") {
		if !wanted(paragraph, show) {
			gap = true
			continue
		}
		if gap {
			lines = append(lines, "\x1b[2m…\x1b[0m")
		} else if len(lines) > 0 {
			lines = append(lines, "")
		}
		gap = false
		lines = append(lines, strings.Split(paragraph, "\n")...)
	}
	if gap {
		lines = append(lines, "\x1b[2m…\x1b[0m")
	}
	return lines
}

func wanted(paragraph string, show []string) bool {
	for _, text := range show {
		if strings.Contains(paragraph, text) {
			return true
		}
	}
	return len(show) == 0
}
