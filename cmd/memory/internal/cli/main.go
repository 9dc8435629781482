package cli

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// Main runs the command line of this process and returns its exit code. An interrupt or a
// SIGTERM cancels what runs; a second one ends the process at once.
func Main() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop)
	// A reader that went away is a failed write, not the end of the process.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	dir, err := os.Getwd()
	if err != nil {
		dir = "." // the system resolves relative paths
	}
	return Run(ctx, Process{
		Args: os.Args, Env: os.Environ(), Dir: dir,
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
	})
}
