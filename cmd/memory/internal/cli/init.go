package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"github.com/memoryd/memoryd/cmd/memory/internal/hook"
	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/workspace"
)

func initCommand() *command {
	return &command{
		args:    "[DIR] [options]",
		purpose: "make a folder for memories, and connect the agents found",
		detail: `DIR is ./memory if it isn't given. Nothing is overwritten. A folder that has
settings is left as it is; a folder that has memories only gets settings. Hosts
of agents that are found in the project or on the PATH can be set up in the same
step, as "memory install" does it: on a terminal you are asked once.`,
		example: "memory init --preset careful",
		flags: []urfave.Flag{
			&urfave.BoolFlag{Name: "yes", Usage: "set up the hosts that are found, without asking"},
			&urfave.BoolFlag{Name: "no-hosts", Usage: "set up no host, and don't look for any"},
			&urfave.StringFlag{Name: "preset", Usage: "settings to begin with, `PRESET`: seed (the rules as written), careful (archive nothing used in the last 90 days) or subcog (scores and tiers as subcog has them)", Value: "seed"},
		},
		most: 1, run: runInit,
	}
}

func runInit(c *call) error {
	preset := c.flags.String("preset")
	settings := config.Template(preset)
	if settings == nil {
		return usagef("--preset: there is no %q: write one of %s", preset, strings.Join(config.Presets(), ", "))
	}
	dir := c.initDir()
	if hasSettings(dir) {
		return c.initialised(dir, []string{}, "is a workspace already: left as it is")
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	var err error
	if c.store, err = workspace.Open(dir); err != nil {
		return err
	}
	snap, err := c.store.Load(c.at)
	if err != nil {
		return err
	}
	what, made := "is a workspace now", []string{}
	if n := len(snap.Memories()) + len(snap.Archived()); n > 0 {
		what = fmt.Sprintf("holds %s: added settings, changed nothing else", quantity(n, "memory"))
	} else if made, err = makeRooms(dir); err != nil {
		return err
	}
	if err := workspace.Create(dir, settings); err != nil {
		return err
	}
	return c.initialised(dir, append(made, memory.ConfigFile), what)
}

// initDir is the directory to make: the argument, --workspace, the current one if
// it is a workspace, else ./memory.
func (c *call) initDir() string {
	switch {
	case len(c.args) > 0:
		return c.path(c.args[0])
	case c.flags.String("workspace") != "":
		return c.path(c.flags.String("workspace"))
	case hasSettings(c.Dir):
		return c.Dir
	}
	return c.path("memory")
}

// makeRooms makes the directories that a new workspace has, and lists those that
// were missing.
func makeRooms(dir string) (made []string, err error) {
	for _, room := range []string{"global", memory.ArchiveDir, memory.OpsDir} {
		err := os.Mkdir(filepath.Join(dir, room), 0o755)
		switch {
		case err == nil:
			made = append(made, room+"/")
		case !os.IsExist(err):
			return made, err
		}
	}
	return made, nil
}

func (c *call) initialised(dir string, made []string, what string) error {
	c.say("%s %s\n", printable(c.brief(dir)), what)
	hosts, err := c.offerHosts(dir)
	if c.json {
		return errors.Join(c.printJSON(struct {
			Workspace string      `json:"workspace"`
			Created   []string    `json:"created"`
			Message   string      `json:"message"`
			Hosts     []foundHost `json:"hosts"`
		}{dir, made, what, hosts}), err)
	}
	if len(made) > 0 {
		connect := "memory install --host HOST    connect an agent: " + strings.Join(hook.Names(), ", ")
		for _, h := range hosts {
			if h.Installed {
				connect = fmt.Sprintf("memory check --host %-8s   after a session: see whether it works", h.Host)
				break
			}
		}
		c.say(`
What now:
  memory add "…"                write a memory
  %s
  memory plan                   see what consolidation would do
`, connect)
	}
	return err
}
