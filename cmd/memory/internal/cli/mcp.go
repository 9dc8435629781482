package cli

import (
	"log/slog"
	"time"

	"github.com/memoryd/memoryd/cmd/memory/internal/mcp"
)

func mcpCommand() *command {
	return &command{
		name: "mcp", group: groupOther,
		purpose: "serve the memories to an agent by the Model Context Protocol, until its host ends it",
		detail: `A server on the standard input and output, as hosts of agents start it: see
"memory install" and docs/hosts.md. What it offers can be seen with any MCP client.
Logs to the standard error. It ends with its input, or by SIGTERM, when what has
begun is done.`,
		example:  "memory mcp --workspace ./memory",
		textOnly: true,
		run:      runMCP,
	}
}

func runMCP(c *call) error {
	store, err := c.open()
	if err != nil {
		return err
	}
	if _, err := c.settings(); err != nil {
		return err
	}
	level := slog.LevelWarn
	switch {
	case c.quiet:
		level = slog.LevelError
	case c.verbose:
		level = slog.LevelDebug
	}
	log := slog.New(slog.NewTextHandler(tolerant{c.Stderr}, &slog.HandlerOptions{Level: level}))
	store.Note = func(text string) { log.Warn(text) }
	store.Progress = nil // it would tell of the time that one command takes
	server := &mcp.Server{
		Store: store, Settings: c.settings, Started: c.started, Log: log, Version: builtVersion().Version,
		Now: func() time.Time {
			if c.fixed {
				return c.at
			}
			return clock().UTC().Truncate(time.Second)
		},
	}
	return server.Run(c.ctx, c.Stdin, c.Stdout)
}
