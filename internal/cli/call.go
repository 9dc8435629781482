package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"time"

	urfave "github.com/urfave/cli/v2"

	"github.com/memoryd/memoryd/internal/app"
	"github.com/memoryd/memoryd/internal/fail"
	"github.com/memoryd/memoryd/internal/op/discover"
	"github.com/memoryd/memoryd/internal/printer"
	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/workspace"
)

// call is one command at work.
type call struct {
	Process
	printer.Printer
	ctx     context.Context
	program *Program
	cmd     *command // the one that runs
	flags   *urfave.Context
	args    []string

	at    time.Time // as of when the command works
	fixed bool      // at was given: the clock stands still, so that a run can be repeated

	store *workspace.FileStore // once open
	conf  *config.Config       // once read
	snap  *memory.Snapshot     // the last that was loaded
	noted bool                 // that some files could not be read

	scoring *config.Settings // by which memories are scored, once one is
}

// clock reads the clock of the machine; nothing else does.
func clock() time.Time { return time.Now() }

// started is when a run begins, for its duration; unknown while the clock stands
// still.
func (c *call) started() time.Time {
	if c.fixed {
		return time.Time{}
	}
	return clock()
}

// open opens the workspace.
func (c *call) open() (*workspace.FileStore, error) {
	if c.store != nil {
		return c.store, nil
	}
	dir, err := discover.Workspace(c.search())
	if err != nil {
		return nil, err
	}
	store, err := c.openIn(dir)
	if err != nil {
		return nil, err
	}
	c.store = store
	if c.fixed {
		store.Now = func() time.Time { return c.at }
	}
	if c.flags != nil && c.has("wait") && c.flags.IsSet("wait") {
		if store.Wait, err = c.duration("wait", config.Seconds); err != nil {
			return nil, err
		}
	}
	store.Progress = c.reading
	store.Actor = c.actor()
	store.Note = func(text string) { c.Note("%s", text) }
	return store, nil
}

// openIn opens a workspace, and has times written in its time zone.
func (c *call) openIn(dir string) (*workspace.FileStore, error) {
	store, conf, err := discover.Open(dir, c.Env)
	if err == nil && conf != nil {
		c.Zone = conf.Triggers.Days()
	}
	return store, err
}

// search says where the command looks for a workspace.
func (c *call) search() discover.Options {
	o := discover.Options{Dir: c.Dir, Getenv: c.env, Env: c.Env}
	if c.flags != nil { // nil while a shell completes
		o.Workspace = c.flags.String("workspace")
	}
	return o
}

// actor is who asks, for the log: the agent whose host says so, else whoever is logged in. What runs without being asked
// for has none.
func (c *call) actor() string {
	if c.cmd.unasked {
		return ""
	}
	return cmp.Or(c.env("MEMORY_AGENT"), c.env("USER"), c.env("USERNAME"))
}

// load opens and reads the workspace, and mentions what could not be read.
func (c *call) load() (*workspace.FileStore, *memory.Snapshot, error) {
	store, err := c.open()
	if err != nil {
		return nil, nil, err
	}
	if c.Line == nil {
		defer c.Progress("reading").End()
	}
	snap, err := store.Load(c.at)
	if err != nil {
		return nil, nil, err
	}
	c.snap = snap
	unread := 0
	for _, p := range snap.Problems {
		if p.Severity == memory.Error {
			unread++
		}
	}
	if unread > 0 && !c.noted && c.cmd.name != "check" {
		c.noted = true
		c.Note("%s could not be read: see \"memory check\"", app.Quantity(unread, "file"))
	}
	return store, snap, nil
}

// settings are those that hold for the command: they are read once.
func (c *call) settings() (_ *config.Config, err error) {
	if c.conf == nil {
		c.conf, err = c.readSettings()
	}
	return c.conf, err
}

// readSettings reads the settings of memory.toml, then of the environment, then of flags.
func (c *call) readSettings() (*config.Config, error) {
	store, err := c.open()
	if err != nil {
		return nil, err
	}
	return discover.Settings(store, c.Env, c.override)
}

// override applies the flags that stand for settings.
func (c *call) override(conf *config.Config) error {
	for _, f := range []struct{ flag, key string }{{"max", "run.limit"}, {"pause", "run.pause"}, {"consent-user", "exclude.consent_user"}} {
		if !c.has(f.flag) || !c.flags.IsSet(f.flag) {
			continue
		}
		if err := conf.Override(f.key, fmt.Sprint(c.flags.Value(f.flag)), "flag --"+f.flag); err != nil {
			return fail.Usagef("%w", err)
		}
	}
	return nil
}

// has reports whether the command takes a flag.
func (c *call) has(flag string) bool {
	_, ok := flagForms(c.cmd.flags)[flag]
	return ok
}

// duration reads a flag that holds one, usually in a unit.
func (c *call) duration(flag string, usual config.Unit) (time.Duration, error) {
	d, err := config.ParseDurationIn(usual, c.flags.String(flag))
	if err != nil {
		return 0, fail.Usagef("--%s: %w", flag, err)
	}
	return d.Clock(), nil
}

// limit reads the flag --limit; 0 when it isn't given.
func (c *call) limit() (int, error) {
	limit := c.flags.Int("limit")
	if limit < 0 || limit == 0 && c.flags.IsSet("limit") {
		return 0, fail.Usagef("--limit: write a number above 0")
	}
	return limit, nil
}

// scopes reads the flag --scope by which memories are chosen: a scope, or a kind for all scopes of it; nil when it isn't given.
func (c *call) scopes() (*memory.Scope, error) { return readScope(c, memory.ParseScopes) }

// oneScope reads the flag --scope where memories are put; nil when it isn't given.
func (c *call) oneScope() (*memory.Scope, error) { return readScope(c, memory.ParseScope) }

func readScope(c *call, parse func(string) (memory.Scope, error)) (*memory.Scope, error) {
	text := c.flags.String("scope")
	if text == "" {
		return nil, nil
	}
	scope, err := parse(text)
	if err != nil {
		return nil, fail.Usagef("--scope: %w", err)
	}
	return &scope, nil
}

// readStdin reads the standard input to its end, or until the command is
// interrupted.
func (c *call) readStdin() ([]byte, error) {
	type read struct {
		text []byte
		err  error
	}
	done := make(chan read, 1)
	go func() {
		text, err := io.ReadAll(c.Stdin)
		done <- read{text, err}
	}()
	select {
	case r := <-done:
		if r.err != nil {
			return nil, fmt.Errorf("read the standard input: %w", r.err)
		}
		return r.text, nil
	case <-c.ctx.Done():
		return nil, c.ctx.Err()
	}
}
