// Command memory keeps folders of coding agents' memories healthy.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	_ "time/tzdata" // for machines that know no time zones: Windows, bare containers

	"github.com/memoryd/memoryd/cmd/memory/internal/cli"
)

func main() { os.Exit(run()) }

func run() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // the second interrupt ends it at once
	// A reader that went away is a failed write, not the end of the process.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	dir, err := os.Getwd()
	if err != nil {
		dir = "." // the system resolves relative paths
	}
	return cli.Run(ctx, cli.Process{
		Args: os.Args, Env: os.Environ(), Dir: dir,
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
	})
}
