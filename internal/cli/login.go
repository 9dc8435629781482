package cli

import (
	"os"

	urfave "github.com/urfave/cli/v2"

	"github.com/memoryd/memoryd/internal/fail"
	"github.com/memoryd/memoryd/internal/online"
	"github.com/memoryd/memoryd/internal/op/discover"
	"github.com/memoryd/memoryd/internal/op/login"
	"github.com/memoryd/memoryd/internal/term"
)

func loginCommand() *command {
	return &command{
		args:    "URL WORKSPACE [--token-file F]",
		purpose: "have the agents of this project use a workspace of a hub",
		detail: `From then on "memory mcp" and the hooks of this project ask the hub, while it
answers; nothing is kept here for later. The project is the repository around the
current directory, or the directory itself.

Reads a token of "memory-hub token add" from the standard input, or from a file.
The hub is asked whether it takes the token. The token and the hub of the project
are kept below your directory of settings, not in the project; only you can read
the file of the token. MEMORY_HUB_TOKEN, if set, overrides the stored token.
"memory logout" ends it.`,
		page:    "teams.md",
		example: "memory login https://hub.example:7421 acme --token-file token.txt",
		flags:   []urfave.Flag{&urfave.StringFlag{Name: "token-file", Usage: "read the token from `F`"}, dryRunFlag()},
		least:   2, most: 2, run: runLogin,
	}
}

func runLogin(c *call) error {
	hub, err := online.ParseHub(c.args[0], c.args[1])
	if err != nil {
		return fail.Usagef("login: %w", err)
	}
	if _, err := discover.Notes(c.env); err != nil { // before the token is waited for
		return err
	}
	var text []byte
	if file := c.flags.String("token-file"); file != "" {
		if text, err = os.ReadFile(c.path(file)); err != nil {
			return fail.File("--token-file", err)
		}
	} else if text, err = c.readStdin(); err != nil {
		return err
	}
	done, err := login.Login(c.ctx, c.search(), hub, string(text), c.dryRun())
	if err != nil {
		return err
	}
	if c.JSON {
		return c.PrintJSON(done)
	}
	if c.dryRun() {
		c.Say("the hub takes the token of %s; agents in %s would use the workspace %s; nothing was written\n",
			term.Printable(done.Principal), term.Printable(done.Dir), term.Printable(hub.String()))
		return nil
	}
	c.Say("agents in %s now use the workspace %s, as %s\n", term.Printable(done.Dir), term.Printable(hub.String()), term.Printable(done.Principal))
	c.Say("the token is kept in %s\n", c.brief(done.File))
	if done.Folder != "" {
		c.Note("%s stays as it is: commands such as \"memory recall\" work on that folder, agents no longer do", done.Folder)
	}
	return nil
}

func logoutCommand() *command {
	return &command{
		purpose: "have the agents of this project no longer use a hub",
		detail: `Ends what "memory login" began: "memory mcp" and the hooks of this project use the
workspace in its folder again, if there is one. The token goes too, unless another
project of yours uses the same workspace of the hub. On the hub it stays valid
until it ends, or until "memory-hub token revoke".`,
		page:    "teams.md",
		example: "memory logout",
		flags:   []urfave.Flag{dryRunFlag()},
		run:     runLogout,
	}
}

func runLogout(c *call) error {
	done, err := login.Logout(c.search(), c.dryRun())
	if err != nil {
		return err
	}
	if c.JSON {
		return c.PrintJSON(done)
	}
	if c.dryRun() {
		c.Say("agents in %s would no longer use the workspace %s; nothing was changed\n", term.Printable(done.Dir), term.Printable(done.Hub.String()))
		if done.Forgotten {
			c.Say("the token would be removed\n")
		}
		return nil
	}
	c.Say("agents in %s no longer use the workspace %s\n", term.Printable(done.Dir), term.Printable(done.Hub.String()))
	if done.Forgotten {
		c.Say("the token was removed\n")
	}
	return nil
}
