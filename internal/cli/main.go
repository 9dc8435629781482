package cli

import (
	"bufio"
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/memoryd/memoryd/internal/printer"
	"github.com/memoryd/memoryd/internal/term"
)

// Main runs the command line of this process and returns its exit code. An interrupt or a
// SIGTERM cancels what runs; a second one ends the process at once.
func Main() int { return MainOf(memoryProgram()) }

// MainOf runs the command line of a program, likewise.
func MainOf(p *Program) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop)
	// A reader that went away is a failed write, not the end of the process.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	dir, err := os.Getwd()
	if err != nil {
		dir = "." // the system resolves relative paths
	}
	return p.run(ctx, Process{
		Args: os.Args, Env: os.Environ(), Dir: dir,
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
	})
}

// Run runs the command that the arguments name and returns the exit code.
func Run(ctx context.Context, p Process) int { return memoryProgram().run(ctx, p) }

func (p *Program) run(ctx context.Context, process Process) int {
	out := bufio.NewWriterSize(term.Tolerant{Writer: process.Stdout}, 64<<10)
	c := &call{Process: process, Printer: printer.New(out, process.Stderr, term.StyleFor(process.Stdout, process.env)), ctx: ctx, program: p}
	return c.finish(c.dispatch())
}

// dispatch finds the command and runs it.
func (c *call) dispatch() error {
	if len(c.Args) > 1 && c.Args[1] == completeWord {
		return c.complete(c.Args[2:])
	}
	var rest []string
	if len(c.Args) > 0 {
		rest = c.Args[1:]
	}
	l, err := parseLine(rest, c.program)
	c.JSON, c.cmd = l.json, l.command
	switch {
	case err != nil:
		return err
	case l.help:
		return c.help(l.command)
	}
	return c.parse(l.argv())
}
