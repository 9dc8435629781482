package login

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/memoryd/memoryd/internal/fail"
	"github.com/memoryd/memoryd/internal/online"
	"github.com/memoryd/memoryd/internal/op/discover"
	"github.com/memoryd/memoryd/internal/worktree"
)

// tokenVariable is the environment's token for a hub, in place of the kept one.
const tokenVariable = "MEMORY_HUB_TOKEN"

// Result says what a login has done.
type Result struct {
	online.Project
	Principal string `json:"principal"` // whom the token stands for
	File      string `json:"file"`      // where the token is stored
	DryRun    bool   `json:"dry_run,omitempty"`
	Folder    string `json:"folder,omitempty"` // the workspace in a folder, which agents no longer use
}

// Login has the agents of a project use a workspace of a hub from now on, if the hub takes the token. The project is the repository around
// the directory of the options, or the directory itself. A dry run asks the hub and writes nothing.
func Login(ctx context.Context, o discover.Options, hub online.Hub, text string, dry bool) (*Result, error) {
	notes, err := discover.Notes(o.Getenv)
	if err != nil {
		return nil, err
	}
	token, ok := oneWord(text)
	if !ok {
		return nil, fail.WithHint(fail.Usagef("login: the token has to be one word"), "memory-hub token add WORKSPACE WHO | memory login URL WORKSPACE")
	}
	done := &Result{DryRun: dry}
	done.Principal, err = (&online.Client{Hub: hub, Token: token}).Principal(ctx)
	switch {
	case errors.Is(err, online.ErrToken):
		return nil, fail.WithHint(err, "nothing was kept: \"memory-hub token list "+hub.Workspace+"\" on the hub shows which tokens there are")
	case err != nil:
		return nil, fail.WithHint(err, "nothing was kept: log in once the hub answers")
	}
	done.Folder = discover.ForAgents(o)
	if dry {
		done.Project, done.File = notes.Project(projectRoot(o.Dir), hub), hub.TokenFile(notes.Settings)
		return done, nil
	}
	if done.File, err = notes.WriteToken(hub, token); err != nil {
		return nil, err
	}
	if done.Project, err = notes.Add(projectRoot(o.Dir), hub); err != nil {
		return nil, err
	}
	return done, nil
}

// Ended says what a logout has done.
type Ended struct {
	online.Project
	Forgotten bool `json:"token_removed"`
	DryRun    bool `json:"dry_run,omitempty"`
}

// Logout has the agents of a project no longer use a hub. A dry run only says what would be removed.
func Logout(o discover.Options, dry bool) (*Ended, error) {
	notes, err := discover.Notes(o.Getenv)
	if err != nil {
		return nil, err
	}
	project, ok, err := notes.Find(projectRoot(o.Dir))
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, fail.WithHint(fail.Errorf(fail.ExitNotFound, "%s uses no hub", o.Dir), "memory login URL WORKSPACE")
	}
	remove := notes.Remove
	if dry {
		remove = notes.Forgets
	}
	forgotten, err := remove(project)
	return &Ended{project, forgotten, dry}, err
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

// oneWord is a token without the blanks and line ends around it; not ok where none or more than one word is left.
func oneWord(text string) (token string, ok bool) {
	words := strings.Fields(text)
	if len(words) != 1 {
		return "", false
	}
	return words[0], true
}

// Client asks the hub of a project, by the token of the environment or the kept one.
func Client(getenv func(name string) string, p online.Project) (*online.Client, error) {
	if text := getenv(tokenVariable); text != "" {
		token, ok := oneWord(text)
		if !ok {
			return nil, fail.Usagef("%s has to be one word", tokenVariable)
		}
		return &online.Client{Hub: p.Hub, Token: token}, nil
	}
	notes, err := discover.Notes(getenv)
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

// ClientFor asks the hub of the project in a directory; nil for none.
func ClientFor(o discover.Options) (*online.Client, error) {
	p, ok, err := discover.HubProject(o)
	if err != nil || !ok {
		return nil, err
	}
	return Client(o.Getenv, p)
}

// Status says which hub the agents of a project use, and whether it answers.
type Status struct {
	online.Project
	Answers   bool   `json:"answers"`
	Principal string `json:"principal,omitempty"` // whom the token stands for
	Error     string `json:"error,omitempty"`     // why it doesn't answer
}

// hubPatience is how long a person waits to be told whether a hub answers.
const hubPatience = 3 * time.Second

// Ask asks the hub of the project in a directory whether it answers; nil for none.
func Ask(ctx context.Context, o discover.Options) (*Status, error) {
	p, ok, err := discover.HubProject(o)
	if err != nil || !ok {
		return nil, err
	}
	doc := &Status{Project: p}
	client, err := Client(o.Getenv, p)
	if err == nil {
		ctx, cancel := context.WithTimeout(ctx, hubPatience)
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

// Text says it in a line.
func (d *Status) Text() string {
	if d.Answers {
		return fmt.Sprintf("%s: it answers, and the token is %s's", d.Hub, d.Principal)
	}
	return fmt.Sprintf("%s: %s", d.Hub, d.Error)
}

// Todo says what to do where it doesn't answer.
func (d *Status) Todo() string {
	return fmt.Sprintf("agents get no memories and save none until it does; another token: \"memory login %s %s\"; without a hub: \"memory logout\"", d.URL, d.Workspace)
}
