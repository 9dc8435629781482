package cli

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"path/filepath"
	"strings"
	"time"

	urfave "github.com/urfave/cli/v2"

	"github.com/memoryd/memoryd/internal/app"
	"github.com/memoryd/memoryd/internal/document"
	"github.com/memoryd/memoryd/internal/fail"
	"github.com/memoryd/memoryd/internal/filechange"
	"github.com/memoryd/memoryd/internal/op/serving"
	"github.com/memoryd/memoryd/internal/printer"
	"github.com/memoryd/memoryd/internal/web"
	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/memory"
)

func serveCommand() *command {
	return &command{
		args:    "[options]",
		purpose: "serve the dashboard: review, plan, apply and undo in a browser",
		detail: `Prints a link that opens the dashboard once, within a minute. It answers to
this machine only. With --open the link is opened in a browser; where a server of
this workspace runs already, it is asked for a new link. Every change that is made
in the dashboard is a run: logged, and undoable. Ctrl-C or SIGTERM ends it, never
in the middle of a run.`,
		page:    "dashboard.md",
		example: "memory serve --open",
		flags: append(serveFlags(),
			&urfave.BoolFlag{Name: "open", Usage: "open the link in a browser"},
			&urfave.BoolFlag{Name: "log-json", Usage: "log one JSON object per line"},
		),
		textOnly: true, stays: true,
		needs: needsStore, text: true, run: runServe,
	}
}

func serveFlags() []urfave.Flag {
	return []urfave.Flag{
		&urfave.StringFlag{Name: "addr", Usage: "serve at `ADDRESS`", DefaultText: web.DefaultAddress},
		&urfave.BoolFlag{Name: "read-only", Usage: "show everything and change nothing"},
		&urfave.StringSliceFlag{Name: "allow-host", Usage: "answer to the host `NAME` too; repeat the option for more"},
		&urfave.StringFlag{Name: "token-file", Usage: "let programs in that send a token of `FILE`, one a line"},
		&urfave.StringFlag{Name: "tls-cert", Usage: "certificate `FILE`, for an address that other machines reach"},
		&urfave.StringFlag{Name: "tls-key", Usage: "`FILE` with the key of the certificate"},
		&urfave.StringFlag{Name: "idle-exit", Usage: "end after `DURATION` without a request"},
	}
}

func runServe(c *call) error {
	note := serving.NoteOf(c.store.Dir())
	if c.flags.Bool("open") {
		if url, ok := note.Ask(c.ctx); ok {
			return openBrowser(&c.Printer, url, note)
		}
	}
	server, err := dashboard(c, note)
	if err != nil {
		return err
	}
	if c.flags.Bool("open") {
		err = openBrowser(&c.Printer, server.URL(), note)
	} else {
		c.Printf("%s\n", server.URL())
		c.Say("The link works once, within a minute: \"memory serve --open\" gives another. Ctrl-C ends the server.\n")
	}
	if err == nil {
		err = c.Out.Flush()
	}
	if err == nil {
		err = server.Run(c.ctx)
	}
	return errors.Join(err, note.Remove())
}

// dashboard opens the server of the dashboard as the flags and settings say, and notes where it is.
func dashboard(c *call, note serving.Note) (*web.Server, error) {
	conf, err := c.settings()
	if err != nil {
		return nil, err
	}
	o := web.Options{
		Store: c.store, Meanings: &app.Embeddings{Env: c.env, Now: clock}, Settings: c.readSettings, Started: c.started, Log: logger(c), Version: thisBuild().Version, Clock: clock,
		Address: cmp.Or(c.flags.String("addr"), conf.Serve.Addr), Hosts: append(c.flags.StringSlice("allow-host"), conf.Serve.AllowHosts...),
		Session: conf.Serve.Session.Clock(), IdleExit: conf.Serve.IdleExit.Clock(), ReadOnly: c.flags.Bool("read-only") || conf.Serve.ReadOnly,
		CertFile: c.flags.String("tls-cert"), KeyFile: c.flags.String("tls-key"),
		Now: func() time.Time {
			if c.fixed {
				return c.at
			}
			return clock().UTC().Truncate(time.Second)
		},
		Watched: func() (*document.Watch, error) { return watched(c.store) },
		SetSetting: func(key, value string, write bool) ([]byte, []byte, error) {
			return changeSetting(c.store.Dir(), key, value, write)
		},
		Schedule: func(ctx context.Context, snap *memory.Snapshot, would bool) (*document.Schedule, error) {
			conf, err := c.readSettings()
			if err != nil {
				return nil, err
			}
			doc, _, err := scheduleDocument(c, conf, snap, would, func(int, int) error { return ctx.Err() })
			return doc, err
		},
	}
	if c.flags.IsSet("idle-exit") {
		if o.IdleExit, err = c.duration("idle-exit", config.Minutes); err != nil {
			return nil, err
		}
	}
	if o.TLS = o.CertFile != "" && o.KeyFile != ""; !o.TLS && o.CertFile+o.KeyFile != "" {
		return nil, fail.Usagef("--tls-cert and --tls-key belong together")
	}
	if name := c.flags.String("token-file"); name != "" {
		if o.Tokens, err = serving.ReadTokens(c.path(name)); err != nil {
			return nil, err
		}
	}
	public := len(o.Tokens) > 0
	secret := rand.Text()
	if o.Tokens = append(o.Tokens, secret); !public {
		o.LocalTokens = true
	}
	c.store.Note = func(text string) { o.Log.Info(text) }
	c.store.Progress = nil // it tells people of one command
	server, err := web.Listen(o)
	if errors.Is(err, web.ErrPublic) {
		return nil, &fail.Error{Err: err, Code: fail.ExitUsage}
	}
	if err != nil && c.flags.IsSet("addr") {
		return nil, fail.Address(err)
	}
	if err != nil {
		return nil, err
	}
	if err := note.Write(server.Origin(), secret); err != nil {
		o.Log.Warn("\"memory serve --open\" will not find this server", "error", err)
	}
	return server, nil
}

// serveBeside serves the dashboard in the process that watches, if the flag --serve asks for it. What it returns waits for its end.
func serveBeside(c *call, log *slog.Logger) (func() error, error) {
	if !c.flags.Bool("serve") {
		return func() error { return nil }, nil
	}
	own := *c
	own.store = nil // each has its own reading of the files
	store, err := own.open()
	if err != nil {
		return nil, err
	}
	note := serving.NoteOf(store.Dir())
	server, err := dashboard(&own, note)
	if err != nil {
		return nil, errors.Join(err, store.Close())
	}
	log.Info("serving the dashboard: \"memory serve --open\" opens it", "origin", server.Origin())
	ended := make(chan error, 1)
	go func() { ended <- server.Run(c.ctx) }()
	return func() error { return errors.Join(<-ended, store.Close(), note.Remove()) }, nil
}

// changeSetting is the text of memory.toml before and after a change, which is written if write is set. A schedule without a value is
// taken out.
func changeSetting(dir, key, value string, write bool) (before, after []byte, err error) {
	name := filepath.Join(dir, memory.ConfigFile)
	if before, err = filechange.Read(name); err != nil {
		return nil, nil, err
	}
	after, err = scheduleSetting(before, key, value)
	if err == nil && write && !bytes.Equal(before, after) {
		err = (&filechange.Change{File: name, Before: before, After: after}).Replace()
	}
	return before, after, err
}

// scheduleSetting is the text of a memory.toml with a setting of another value. A schedule without a value is taken out.
func scheduleSetting(before []byte, key, value string) ([]byte, error) {
	if value == "" && strings.HasPrefix(key, "schedules.") {
		return config.Unset(memory.ConfigFile, before, key)
	}
	return setSetting(before, key, value)
}

// openBrowser prints a link and opens it; that it can't be opened is a note, and no error.
func openBrowser(p *printer.Printer, link string, note serving.Note) error {
	p.Printf("%s\n", link)
	if err := note.Open(link); err != nil {
		p.Note("%v: open the link yourself", err)
	}
	return p.Out.Flush()
}
