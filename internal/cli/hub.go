package cli

import (
	"cmp"
	"crypto/tls"
	"errors"
	"io/fs"
	"maps"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	urfave "github.com/urfave/cli/v2"

	"github.com/memoryd/memoryd/internal/fail"
	"github.com/memoryd/memoryd/internal/hub"
	"github.com/memoryd/memoryd/internal/metrics"
	"github.com/memoryd/memoryd/pkg/workspace/sqldisk"
)

func hubCommand() *command {
	return &command{
		args:    "[migrate|workspace|grant|token …] [options]",
		purpose: "serve workspaces in a database to many agents, with tokens and grants",
		detail: `Without more, it serves: the dashboard at /, to who signs in with a token; MCP
over HTTP at /mcp/WORKSPACE; /healthz and /metrics. Its workers run the schedules.
The database is PostgreSQL, or one SQLite file.

  hub migrate                          make the tables, or bring them up to date
  hub workspace add NAME [DIR]         a new workspace, with the files of DIR
  hub workspace list                   what there is, and what is planned
  hub workspace export NAME DIR        write its files into a new directory
  hub failed [WORKSPACE]               the last runs that failed, and why
  hub check WORKSPACE                  look for problems, as "memory check" does
  hub grant WORKSPACE WHO ACCESS SCOPE let somebody read, write, review, run
                                       or admin in *, global, team:dev, …
  hub revoke WORKSPACE WHO [ACCESS SCOPE]
                                       take it back; without ACCESS everything
  hub token add WORKSPACE WHO          a token, which is shown once
  hub token list|revoke WORKSPACE [ID]`,
		page:    "teams.md",
		example: "memory hub --db sqlite:team.db",
		most:    -1, stays: true, unasked: true,
		flags: []urfave.Flag{
			&urfave.StringFlag{Name: "db", Usage: "postgres://… or sqlite:FILE; else MEMORY_HUB_DB", DefaultText: "none"},
			&urfave.StringFlag{Name: "addr", Usage: "serve at `ADDRESS`", DefaultText: hub.DefaultAddress},
			&urfave.IntFlag{Name: "workers", Usage: "run `N` schedules at a time; 0 for none", Value: 4},
			&urfave.StringFlag{Name: "tls-cert", Usage: "certificate `FILE`, for an address that other machines reach"},
			&urfave.StringFlag{Name: "tls-key", Usage: "`FILE` with the key of the certificate"},
			&urfave.BoolFlag{Name: "behind-proxy", Usage: "a proxy before it does TLS"},
			&urfave.StringFlag{Name: "url", Usage: "`URL` by which others reach it, such as https://hub.example", DefaultText: "its address"},
			&urfave.StringFlag{Name: "issuer", Usage: "take OAuth access tokens of the server at `URL`, too"},
			&urfave.StringFlag{Name: "expires", Usage: "the token holds for `DURATION`", Value: "90d"},
			&urfave.StringFlag{Name: "label", Usage: "what the token is for"},
			&urfave.StringFlag{Name: "organisation", Usage: "whose workspace it is"},
			&urfave.StringFlag{Name: "login", Usage: "migrate: let the role `NAME` of PostgreSQL serve"},
			&urfave.IntFlag{Name: "partitions", Usage: "migrate: split new tables of PostgreSQL in `N`"},
			&urfave.BoolFlag{Name: "log-json", Usage: "log one JSON object per line"},
		},
		run: runHub, words: func(c *call) []string { return firstWord(slices.Sorted(maps.Keys(hubTasks()))...)(c) },
	}
}

// hubTask is something that "memory hub" does besides serving.
type hubTask struct {
	least, most int // number of arguments
	unready     bool
	adds        bool // "add" makes a database that isn't there
	run         func(c *call, db *sqldisk.DB, args []string) error
}

// creates reports whether a task makes a database that isn't there.
func (t hubTask) creates(args []string) bool {
	return t.unready || t.adds && len(args) > 0 && args[0] == "add"
}

func hubTasks() map[string]hubTask {
	return map[string]hubTask{
		"migrate":   {unready: true, run: hubMigrate},
		"workspace": {least: 1, most: 3, adds: true, run: hubWorkspace},
		"check":     {least: 1, most: 1, run: hubCheck},
		"failed":    {most: 1, run: hubFailed},
		"grant":     {least: 4, most: 4, run: hubGrant},
		"revoke":    {least: 2, most: 4, run: hubRevoke},
		"token":     {least: 2, most: 3, run: hubToken},
	}
}

func runHub(c *call) error {
	var task hubTask
	if len(c.args) > 0 {
		known := false
		if task, known = hubTasks()[c.args[0]]; !known {
			return unknownVerb(c.args[0], append(slices.Sorted(maps.Keys(hubTasks())), "nothing to serve")...)
		}
		if n := len(c.args) - 1; n < task.least || n > task.most {
			return fail.WithHint(fail.Usagef("%s: %d arguments", c.args[0], n), "\"memory hub --help\" shows what it takes")
		}
	}
	var serve hub.Options // what is wrong with them is told before a database is made
	if task.run == nil {
		var err error
		if serve, err = c.hubOptions(); err != nil {
			return err
		}
	}
	db, err := c.openHub(len(c.args) == 0 || task.creates(c.args[1:]))
	if err != nil {
		return err
	}
	if !task.unready {
		err = db.Ready(c.ctx)
	}
	switch {
	case err != nil:
	case task.run != nil:
		err = task.run(c, db, c.args[1:])
	default:
		serve.DB = db
		err = c.serveHub(serve)
	}
	return errors.Join(err, db.Close())
}

// openHub opens the database that the options or the environment name. A SQLite file is made only where that is meant: a name that
// is misspelled is not an empty database.
func (c *call) openHub(create bool) (*sqldisk.DB, error) {
	address := cmp.Or(c.flags.String("db"), c.env("MEMORY_HUB_DB"))
	if address == "" {
		return nil, fail.WithHint(fail.Usagef("no database"), "write --db sqlite:FILE or --db postgres://…, or set MEMORY_HUB_DB")
	}
	if file, ok := strings.CutPrefix(address, "sqlite:"); ok && file != "" {
		address = "sqlite:" + c.path(file)
		if _, err := os.Stat(c.path(file)); !create && errors.Is(err, fs.ErrNotExist) {
			return nil, fail.WithHint(fail.Errorf(fail.ExitNotFound, "there is no database %s", file), "\"memory hub workspace add NAME\" makes one; or mend --db")
		}
	}
	db, err := sqldisk.Open(c.ctx, address)
	if errors.Is(err, sqldisk.ErrAddress) {
		return nil, &fail.Error{Err: err, Code: fail.ExitUsage}
	}
	return db, err
}

// hubOptions are those of serving.
func (c *call) hubOptions() (hub.Options, error) {
	build := thisBuild()
	o := hub.Options{
		Address: cmp.Or(c.flags.String("addr"), hub.DefaultAddress), Workers: c.flags.Int("workers"), Proxied: c.flags.Bool("behind-proxy"),
		Log: c.logger(), Metrics: metrics.New(build.Version, build.Commit, clock()), Version: build.Version,
		SetSetting: scheduleSetting,
		Now: func() time.Time {
			if c.fixed {
				return c.at
			}
			return clock()
		},
	}
	if c.json {
		return o, fail.Usagef("serving has no form for --json")
	}
	if text := c.flags.String("url"); text != "" {
		public, err := url.Parse(text)
		if err != nil || public.Host == "" || public.Scheme != "https" && public.Scheme != "http" || strings.Trim(public.Path, "/") != "" {
			return o, fail.WithHint(fail.Usagef("--url %s: not the address of a server", text), "write it like https://hub.example")
		}
		o.Public = &url.URL{Scheme: public.Scheme, Host: public.Host}
	}
	if name := c.flags.String("issuer"); name != "" {
		issuer, err := hub.NewIssuer(name, o.Now, o.Log)
		if err != nil {
			return o, fail.Usagef("--issuer: %w", err)
		}
		o.Issuer = issuer
	}
	cert, key := c.flags.String("tls-cert"), c.flags.String("tls-key")
	if (cert == "") != (key == "") {
		return o, fail.Usagef("--tls-cert and --tls-key belong together")
	}
	if cert != "" {
		pair, err := tls.LoadX509KeyPair(c.path(cert), c.path(key))
		if err != nil {
			return o, fail.Usagef("--tls-cert: %w", err)
		}
		o.TLS = &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}
	}
	if err := o.Check(); errors.Is(err, hub.ErrPublic) || errors.Is(err, hub.ErrUnnamed) {
		return o, &fail.Error{Err: err, Code: fail.ExitUsage}
	} else if err != nil {
		return o, fail.Usagef("--addr: %w", err)
	}
	return o, nil
}

// serveHub serves until it is asked to stop.
func (c *call) serveHub(o hub.Options) error {
	server, err := hub.Listen(o)
	if err != nil {
		return err
	}
	c.printf("%s\n", server.URL())
	c.say("People sign in there with a token. Agents ask it at %s/mcp/WORKSPACE, with a token too: \"memory hub token add\" makes one. Ctrl-C ends it.\n", server.URL())
	if err := c.out.Flush(); err != nil {
		return err
	}
	return server.Run(c.ctx)
}
