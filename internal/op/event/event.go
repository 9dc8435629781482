// Package event handles an event of a coding agent's host: it gives the agent memories, has the ends of sessions settled in the background,
// or asks the hub of the project.
package event

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/memoryd/memoryd/internal/app"
	"github.com/memoryd/memoryd/internal/hook"
	"github.com/memoryd/memoryd/internal/op/discover"
	"github.com/memoryd/memoryd/internal/op/login"
	"github.com/memoryd/memoryd/pkg/process"
	"github.com/memoryd/memoryd/pkg/recall"
	"github.com/memoryd/memoryd/pkg/workspace"
	"github.com/memoryd/memoryd/pkg/workspace/ops"
)

// Options are an event and where it happens.
type Options struct {
	discover.Options
	Host  *hook.Host
	Event string // the host's name for it
	Input io.Reader
	Now   func() time.Time // as of when the event is handled
	Clock func() time.Time // the machine's clock
}

// Handle handles the event and returns what the host reads. It never fails: what goes wrong is in ops/hook.log.
func Handle(o Options) string {
	call := &hook.Call{
		Host: o.Host, Event: o.Event, Input: o.Input, Env: o.Getenv, Dir: o.Dir, At: o.Now().UTC(), Hub: o.hub, Once: o.once,
		Find: func(dir string) string { return discover.ForAgents(o.From(dir)) }, Open: o.open, Brief: o.give,
		Late: o.late, Settle: func(dir string) error { return Settle(dir, o.Env) },
	}
	call.Process, _ = process.Host() // where it isn't known, the session is open for as long as the settings say
	return call.Run()
}

// Settle starts a process that settles the ends of sessions that wait.
func Settle(dir string, env []string) error {
	return hook.Detach(dir, env, "--workspace", dir, "--quiet", "session", "end", "--spooled", "--wait", "5m")
}

// SettleAbandoned has a process of its own settle sessions that nobody has ended.
func SettleAbandoned(store *workspace.FileStore, env []string, now time.Time) error {
	if _, err := store.Ops().SpoolAbandoned(now, store.SessionIdle); err != nil {
		return err
	}
	waiting, err := store.Ops().Waiting(ops.SpoolDir)
	if err != nil || !waiting {
		return err
	}
	return Settle(store.Dir(), env)
}

func (o Options) open(dir string) (*workspace.FileStore, error) {
	store, _, err := discover.Open(dir, o.Env)
	return store, err
}

// give writes what a session is given.
func (o Options) give(store *workspace.FileStore, to hook.Recipient) (string, error) {
	conf, err := discover.Settings(store, o.Env, nil)
	if err != nil {
		return "", hook.Notice{Err: fmt.Errorf("memory: no memories are given: %w", err)}
	}
	text, err := app.GiveBlock(store, conf.Settings, o.Now(), app.BlockSession{
		ID: to.Session, Host: to.Host, Agent: to.Agent, Project: to.Project, Prompt: to.Prompt, Starts: to.Starts, Resumes: to.Resumes, Late: to.Late,
	})
	if errors.Is(err, recall.ErrTooMuch) {
		err = errors.Join(err, o.readAhead(store.Dir()))
	}
	return text, err
}

// readAhead starts a process of its own that leaves what is read and indexed in the cache, for the prompts to come.
func (o Options) readAhead(dir string) error {
	return hook.Detach(dir, o.Env, "--workspace", dir, "--quiet", "recall", "--limit", "1")
}

// late does so where there is no index of words.
func (o Options) late(dir string) error {
	store, err := o.open(dir)
	if err != nil {
		return err
	}
	defer func() { _ = store.Close() }() // nothing is written by closing
	if _, err := store.Cache().Read(recall.CacheName); errors.Is(err, fs.ErrNotExist) {
		return o.readAhead(dir)
	}
	return nil
}

// hub is the hub that events of a directory go to; nil for none.
func (o Options) hub(dir string) *hook.Hub {
	p, ok, err := discover.HubProject(o.From(dir))
	if !ok && err == nil {
		return nil
	}
	return &hook.Hub{Name: p.Hub.String(), Ask: func(ctx context.Context, input []byte) (string, error) {
		if err != nil {
			return "", err
		}
		client, err := login.Client(o.Getenv, p)
		if err != nil {
			return "", err
		}
		return client.Hook(ctx, o.Host.Name, o.Event, filepath.Base(p.Dir), input)
	}}
}

// once reports whether something is to be told to a person for the first time.
func (o Options) once(name string) bool {
	notes, err := discover.Notes(o.Getenv)
	return err == nil && notes.Once(name, o.Clock())
}
