package cli

import (
	"time"

	"github.com/memoryd/memoryd/internal/hook"
	"github.com/memoryd/memoryd/internal/op/event"
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
		least:   2, most: 2, failOpen: true, unasked: true, text: true, run: runHook,
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
	c.Printf("%s", event.Handle(event.Options{Options: c.search(), Host: host, Event: c.args[1], Input: c.Stdin, Now: c.now, Clock: clock}))
	return nil
}

// now is as of when the command works at the moment that it is called, for those that last.
func (c *call) now() time.Time {
	if c.fixed {
		return c.at
	}
	return clock()
}
