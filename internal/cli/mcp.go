package cli

import (
	"log/slog"
	"sync"
	"time"

	urfave "github.com/urfave/cli/v2"

	"github.com/memoryd/memoryd/internal/app"
	"github.com/memoryd/memoryd/internal/document"
	"github.com/memoryd/memoryd/internal/fail"
	"github.com/memoryd/memoryd/internal/hook"
	"github.com/memoryd/memoryd/internal/mcp"
	"github.com/memoryd/memoryd/internal/online"
	"github.com/memoryd/memoryd/internal/op/discover"
	"github.com/memoryd/memoryd/internal/op/event"
	"github.com/memoryd/memoryd/internal/op/login"
	"github.com/memoryd/memoryd/internal/op/saving"
	"github.com/memoryd/memoryd/internal/term"
	"github.com/memoryd/memoryd/pkg/briefing"
	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/process"
	"github.com/memoryd/memoryd/pkg/workspace"
)

func mcpCommand() *command {
	return &command{
		purpose: "serve the memories to an agent over the Model Context Protocol",
		detail: `Runs a server on the standard input and output. Hosts of agents start it: see
"memory install". The workspace is found as for every command, starting from the
host's project. Without a workspace, each request says so. The server logs to the
standard error. It ends when its input ends, or on SIGTERM, after the requests in
progress are done. In a project that uses a hub ("memory login") the hub answers;
while it doesn't, each request says so, and nothing is saved.`,
		page:     "mcp-hosts.md",
		example:  "memory mcp --workspace ./memory",
		flags:    []urfave.Flag{&urfave.StringFlag{Name: "tools", Usage: "which tools are listed, `SET`: loop (seven that an agent needs while it works) or all [loop]"}},
		textOnly: true, stays: true,
		run: runMCP,
	}
}

func runMCP(c *call) error {
	level := slog.LevelWarn
	switch {
	case c.Quiet:
		level = slog.LevelError
	case c.Verbose:
		level = slog.LevelDebug
	}
	log := slog.New(slog.NewTextHandler(term.Tolerant{Writer: c.Stderr}, &slog.HandlerOptions{Level: level}))
	c.Dir = discover.ProjectDir(c.search())
	var opening sync.Mutex
	server := &mcp.Server{
		Settings: c.settings, Started: c.started, Log: log, Version: thisBuild().Version, Agent: c.env("MEMORY_AGENT"), Project: c.Dir, Brief: blockFor(c), Crossed: crossedBy(c), AllTools: c.flags.String("tools") == "all",
		Meanings: &app.Embeddings{Env: c.env, Now: clock}, Hub: func() (*online.Client, error) { return login.ClientFor(c.search()) },
		Open: func() (*workspace.FileStore, error) {
			opening.Lock()
			defer opening.Unlock()
			return openHosted(c, log)
		},
		Now: func() time.Time {
			if c.fixed {
				return c.at
			}
			return clock().UTC().Truncate(time.Second)
		},
	}
	host, _ := process.Host() // where it isn't known, only the environment names the session
	server.Session = func(begin bool) (string, error) {
		if begin {
			return hook.EnsureSession(c.store, host, c.env, server.Now())
		}
		return hook.CurrentSession(c.store, host, c.env)
	}
	return server.Run(c.ctx, c.Stdin, c.Stdout)
}

// openHosted opens the workspace of a project, as hooks find it. Hosts start the
// server in every project: where there is none, that is no reason to fail.
func openHosted(c *call, log *slog.Logger) (*workspace.FileStore, error) {
	if c.store == nil && discover.ForAgents(c.search()) == "" {
		if _, err := discover.Workspace(c.search()); err != nil {
			return nil, err // a workspace that was named, and isn't there, say
		}
		return nil, fail.Errorf(fail.ExitNotFound, "no workspace here or above %s", c.Dir)
	}
	store, err := c.open()
	if err == nil {
		store.Note = func(text string) { log.Warn(text) }
		store.Progress = nil // it tells people of one command
		if err := event.SettleAbandoned(store, c.Env, clock().UTC()); err != nil {
			log.Warn("settling the sessions whose host has ended", "error", err)
		}
	}
	return store, err
}

// crossedBy has working memories consolidated in the background when a save makes them too many.
func crossedBy(c *call) func(config.Settings, *memory.Snapshot, memory.Draft, document.Saved) error {
	return func(settings config.Settings, snap *memory.Snapshot, draft memory.Draft, out document.Saved) error {
		return saving.Crossed(c.store.Dir(), c.Env, settings, snap, draft, out)
	}
}

// blockFor writes blocks for agents that ask for one by a tool. A session gets a receipt, as by the command.
func blockFor(c *call) func(*memory.Snapshot, config.Settings, mcp.Asker, briefing.Request) (briefing.Block, error) {
	return func(snap *memory.Snapshot, settings config.Settings, who mcp.Asker, request briefing.Request) (briefing.Block, error) {
		request.Outdated = app.ReadMarks(c.store).Of
		block, request, err := app.MakeBlock(snap, wordsOf(c, c.store), settings, app.Asker(who), request, nil)
		if err != nil || block.Text == "" || who.Session == "" {
			return block, err
		}
		receipt := briefing.ReceiptOf(block, request, briefing.AtShow)
		receipt.Session = who.Session
		return block, app.KeepReceipt(c.store, receipt)
	}
}
