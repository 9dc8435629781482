package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	urfave "github.com/urfave/cli/v2"

	"github.com/memoryd/memoryd/internal/fail"
	"github.com/memoryd/memoryd/internal/hook"
	"github.com/memoryd/memoryd/internal/online"
	"github.com/memoryd/memoryd/internal/term"
	"github.com/memoryd/memoryd/internal/worktree"
)

// tokenVariable is the environment's token for a hub, in place of the kept one.
const tokenVariable = "MEMORY_HUB_TOKEN"

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
		flags:   []urfave.Flag{&urfave.StringFlag{Name: "token-file", Usage: "read the token from `F`"}},
		least:   2, most: 2, run: runLogin,
	}
}

func runLogin(c *call) error {
	hub, err := online.ParseHub(c.args[0], c.args[1])
	if err != nil {
		return fail.Usagef("login: %w", err)
	}
	notes, err := c.notes()
	if err != nil {
		return err
	}
	var text []byte
	if file := c.flags.String("token-file"); file != "" {
		if text, err = os.ReadFile(c.path(file)); err != nil {
			return fail.File("--token-file", err)
		}
	} else {
		text, err = c.readStdin()
	}
	if err != nil {
		return err
	}
	token, ok := oneWord(string(text))
	if !ok {
		return fail.WithHint(fail.Usagef("login: the token has to be one word"), "memory-hub token add WORKSPACE WHO | memory login URL WORKSPACE")
	}
	who, err := (&online.Client{Hub: hub, Token: token}).Principal(c.ctx)
	switch {
	case errors.Is(err, online.ErrToken):
		return fail.WithHint(err, "nothing was kept: \"memory-hub token list "+hub.Workspace+"\" on the hub shows which tokens there are")
	case err != nil:
		return fail.WithHint(err, "nothing was kept: log in once the hub answers")
	}
	file, err := notes.WriteToken(hub, token)
	if err != nil {
		return err
	}
	project, err := notes.Add(projectRoot(c.Dir), hub)
	if err != nil {
		return err
	}
	here := c.hookWorkspace(c.Dir)
	if c.json {
		return c.printJSON(struct {
			online.Project
			Principal string `json:"principal"`
			File      string `json:"file"`
			Folder    string `json:"folder,omitempty"`
		}{project, who, file, here})
	}
	c.say("agents in %s now use the workspace %s, as %s\n", term.Printable(project.Dir), term.Printable(hub.String()), term.Printable(who))
	c.say("the token is kept in %s\n", c.brief(file))
	if here != "" {
		c.note("%s stays as it is: commands such as \"memory recall\" work on that folder, agents no longer do", here)
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
		run:     runLogout,
	}
}

func runLogout(c *call) error {
	notes, err := c.notes()
	if err != nil {
		return err
	}
	project, ok, err := notes.Find(projectRoot(c.Dir))
	if err != nil {
		return err
	}
	if !ok {
		return fail.WithHint(fail.Errorf(fail.ExitNotFound, "%s uses no hub", c.Dir), "memory login URL WORKSPACE")
	}
	forgotten, err := notes.Remove(project)
	if err != nil {
		return err
	}
	if c.json {
		return c.printJSON(struct {
			online.Project
			Forgotten bool `json:"token_removed"`
		}{project, forgotten})
	}
	c.say("agents in %s no longer use the workspace %s\n", term.Printable(project.Dir), term.Printable(project.Hub.String()))
	if forgotten {
		c.say("the token was removed\n")
	}
	return nil
}

// projectRoot is the project that a directory is of: the top of its repository, of the main one where it lies in a linked worktree; else the
// directory itself.
func projectRoot(dir string) string {
	if linked, ok := worktree.Find(dir); ok {
		return linked.Main
	}
	for at := dir; ; at = filepath.Dir(at) {
		if _, err := os.Lstat(filepath.Join(at, ".git")); err == nil {
			return at
		}
		if at == filepath.Dir(at) {
			return dir
		}
	}
}

// notes are what is kept of projects and their hubs.
func (c *call) notes() (online.Notes, error) {
	dir := c.env("XDG_CONFIG_HOME")
	if !filepath.IsAbs(dir) { // which counts as none
		home := cmp.Or(c.env("HOME"), c.env("USERPROFILE"))
		if home == "" {
			return online.Notes{}, errors.New("the environment names no home directory, which has the settings of logins: set HOME")
		}
		dir = filepath.Join(home, ".config")
	}
	return online.Notes{Settings: dir}, nil
}

// hubProject is the project of a directory whose agents use a hub; false for none, and where a workspace is named by an option or the
// environment.
func (c *call) hubProject(dir string) (p online.Project, ok bool, err error) {
	if c.flags != nil && c.flags.String("workspace") != "" || c.env("MEMORY_WORKSPACE") != "" {
		return p, false, nil
	}
	notes, err := c.notes()
	if err != nil {
		return p, false, nil //nolint:nilerr // without a home nobody has logged in
	}
	if p, ok, err = notes.Find(dir); ok || err != nil {
		return p, ok, err
	}
	if linked, is := worktree.Find(dir); is {
		return notes.Find(linked.Corresponding(dir))
	}
	return p, false, nil
}

// oneWord is a token without the blanks and line ends around it; not ok where none or more than one word is left.
func oneWord(text string) (token string, ok bool) {
	words := strings.Fields(text)
	if len(words) != 1 {
		return "", false
	}
	return words[0], true
}

// client asks the hub of a project, by the token of the environment or the kept one.
func (c *call) client(p online.Project) (*online.Client, error) {
	if text := c.env(tokenVariable); text != "" {
		token, ok := oneWord(text)
		if !ok {
			return nil, fail.Usagef("%s has to be one word", tokenVariable)
		}
		return &online.Client{Hub: p.Hub, Token: token}, nil
	}
	notes, err := c.notes()
	if err != nil {
		return nil, err
	}
	token, err := notes.ReadToken(p.Hub)
	if errors.Is(err, fs.ErrNotExist) {
		err = online.ErrNoToken
	}
	if err != nil {
		return nil, &online.Error{Hub: p.Hub, Err: err}
	}
	return &online.Client{Hub: p.Hub, Token: token}, nil
}

// hookHub is the hub that events of a directory go to; nil for none.
func (c *call) hookHub(dir string) *hook.Hub {
	p, ok, err := c.hubProject(dir)
	if !ok && err == nil {
		return nil
	}
	return &hook.Hub{Name: p.Hub.String(), Ask: func(ctx context.Context, input []byte) (string, error) {
		if err != nil {
			return "", err
		}
		client, err := c.client(p)
		if err != nil {
			return "", err
		}
		return client.Hook(ctx, c.args[0], c.args[1], filepath.Base(p.Dir), input)
	}}
}

// once reports whether something is to be told to a person for the first time.
func (c *call) once(name string) bool {
	notes, err := c.notes()
	return err == nil && notes.Once(name, clock())
}

// hubDocument says which hub the agents of a project use, and whether it answers.
type hubDocument struct {
	online.Project
	Answers   bool   `json:"answers"`
	Principal string `json:"principal,omitempty"` // whom the token stands for
	Error     string `json:"error,omitempty"`     // why it doesn't answer
}

// hubPatience is how long a person waits to be told whether a hub answers.
const hubPatience = 3 * time.Second

// askedHub asks the hub of the current directory's project; nil for none.
func (c *call) askedHub() (*hubDocument, error) {
	p, ok, err := c.hubProject(c.Dir)
	if err != nil || !ok {
		return nil, err
	}
	doc := &hubDocument{Project: p}
	client, err := c.client(p)
	if err == nil {
		ctx, cancel := context.WithTimeout(c.ctx, hubPatience)
		defer cancel()
		doc.Principal, err = client.Principal(ctx)
	}
	if doc.Answers = err == nil; err != nil {
		doc.Error = err.Error()
		if of := (*online.Error)(nil); errors.As(err, &of) {
			doc.Error = of.Err.Error()
		}
	}
	return doc, nil
}

// text says it in a line.
func (d *hubDocument) text() string {
	if d.Answers {
		return fmt.Sprintf("%s: it answers, and the token is %s's", d.Hub, d.Principal)
	}
	return fmt.Sprintf("%s: %s", d.Hub, d.Error)
}

// todo says what to do where it doesn't answer.
func (d *hubDocument) todo() string {
	return fmt.Sprintf("agents get no memories and save none until it does; another token: \"memory login %s %s\"; without a hub: \"memory logout\"", d.URL, d.Workspace)
}
