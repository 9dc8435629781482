package cli

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/memoryd/memoryd/internal/app"
	"github.com/memoryd/memoryd/internal/hook"
	"github.com/memoryd/memoryd/pkg/process"
	"github.com/memoryd/memoryd/pkg/recall"
	"github.com/memoryd/memoryd/pkg/workspace"
)

func hookCommand() *command {
	return &command{
		args:    "HOST EVENT",
		purpose: "handle an event of a coding agent's host",
		detail: `HOST is claude, codex, gemini, cursor or copilot. EVENT is the host's name for the
event, which is read as JSON from the standard input. When a session starts,
the agent is given the memories that matter; at a prompt, those that are relevant
to it. At the end of a session, a background process settles its working
memories. "memory receipts" shows what was given. A hook never fails its host:
the exit code is always 0, and ops/hook.log says what went wrong. In a project
that uses a hub ("memory login") the event goes to the hub; without an answer
within 700 ms nothing is given, and the person is told once a session.
"memory install" adds the hooks to a host's settings.`,
		page:    "hosts.md",
		example: "memory hook claude SessionEnd",
		least:   2, most: 2, failOpen: true, unasked: true, run: runHook,
		words: func(c *call) []string {
			if len(c.args) == 0 {
				return hook.Names()
			}
			if host := hook.Named(c.args[0]); host != nil {
				return host.Events()
			}
			return nil
		},
	}
}

func runHook(c *call) error {
	host := hook.Named(c.args[0])
	if host == nil {
		return choice{"host", hook.Names()}.unknown("", c.args[0])
	}
	event := &hook.Call{
		Host: host, Event: c.args[1], Input: c.Stdin, Env: c.env, Dir: c.Dir, At: c.at, Hub: c.hookHub, Once: c.once,
		Find: c.hookWorkspace, Open: c.openFor, Brief: c.give,
		Late: c.late, Settle: c.settleInBackground,
	}
	event.Process, _ = process.Host() // where it isn't known, the session is open for as long as the settings say
	if !c.fixed {
		event.At = clock().UTC()
	}
	c.printf("%s", event.Run())
	return nil
}

// give writes what a session is given.
func (c *call) give(store *workspace.FileStore, to hook.Recipient) (string, error) {
	at := &call{Process: c.Process, printer: printer{stderr: c.Stderr}, store: store, cmd: c.cmd}
	conf, err := at.settings()
	if err != nil {
		return "", hook.Notice{Err: fmt.Errorf("memory: no memories are given: %w", err)}
	}
	when := c.at
	if !c.fixed {
		when = clock()
	}
	text, err := app.GiveBlock(store, conf.Settings, when, app.BlockSession{
		ID: to.Session, Host: to.Host, Agent: to.Agent, Project: to.Project, Prompt: to.Prompt, Starts: to.Starts, Resumes: to.Resumes, Late: to.Late,
	})
	if errors.Is(err, recall.ErrTooMuch) {
		err = errors.Join(err, c.readAhead(store.Dir()))
	}
	return text, err
}

// readAhead starts a process of its own that leaves what is read and indexed in the cache,
// for the prompts to come.
func (c *call) readAhead(dir string) error {
	return hook.Detach(dir, c.Env, "--workspace", dir, "--quiet", "recall", "--limit", "1")
}

// settleInBackground starts a process that settles the ends of sessions that wait.
func (c *call) settleInBackground(dir string) error {
	return hook.Detach(dir, c.Env, "--workspace", dir, "--quiet", "session", "end", "--spooled", "--wait", "5m")
}

// late does so where there is no index of words.
func (c *call) late(dir string) error {
	store, err := c.openFor(dir)
	if err != nil {
		return err
	}
	defer func() { _ = store.Close() }() // nothing is written by closing
	if _, err := store.Cache().Read(recall.CacheName); errors.Is(err, fs.ErrNotExist) {
		return c.readAhead(dir)
	}
	return nil
}

// hookWorkspace finds a workspace for a directory: the one that is named by an
// option or the environment, else one that is it beyond doubt. A directory that
// merely has the right name is none: hooks run in every project.
func (c *call) hookWorkspace(dir string) string {
	at := *c
	at.Dir = dir
	found, err := at.findWorkspace()
	named := c.flags.String("workspace") != "" || c.env("MEMORY_WORKSPACE") != ""
	if err == nil && (named || hasSettings(found) || hasRooms(found) || hasIndex(found)) {
		return found
	}
	return ""
}

// openFor opens a workspace beside the one that the command works in.
func (c *call) openFor(dir string) (*workspace.FileStore, error) {
	store, err := workspace.Open(dir)
	if err != nil {
		return nil, err
	}
	store.Derive = app.Deriver // else the cache isn't one for us
	at := &call{Process: c.Process, printer: printer{stderr: c.Stderr}, store: store}
	at.setStore()
	return store, nil
}
